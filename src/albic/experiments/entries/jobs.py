"""Real Jobs 2, 3 and 4: ALBIC against COLA; and what collocation can do for Real Job 1."""

from functools import partial

from albic.experiments.entries.job_claims import (
    MOVES,
    around_five,
    cola_61,
    gradually,
    half_of_job_2,
    immediately,
    index_falls,
    joint_faster,
    load_index,
    low_index,
    lower_distance,
    migrations,
    overwhelms,
)
from albic.experiments.entries.job_ends import middle_of, of_costs, with_costs
from albic.experiments.entries.job_notes import notes_of
from albic.experiments.entries.lines import lines, table
from albic.experiments.experiment import Claim, Experiment
from albic.experiments.rows import Rows
from albic.experiments.runs.jobs import PAPER, SPARK, JobPoint, steer
from albic.experiments.runs.methods import ALBIC, COLA, JOINT, SEARCH, STAGES
from albic.figures import Chart, Table

MAX_DISTANCE_PCT, JOINT_DISTANCE_PCT = 10.0, 2.0
#: The paper runs COLA on Real Job 4 for its collocation only; our searches do not collocate, which
#: fewer periods show as well.
PERIODS = {1: 40, 2: 120, 3: 120, 4: 365}
FEWER = {(4, COLA): 4, (4, SEARCH): 120, (4, STAGES): 120}
QUICK_PERIODS = 15
LIMIT_S = {ALBIC: 0.05, COLA: 1.0, JOINT: 0.1, SEARCH: 0.05, STAGES: 0.05}
SEEDS = (1, 2, 3, 4, 5)
METHODS = {PAPER: (ALBIC, COLA, JOINT, SEARCH, STAGES), SPARK: (ALBIC, COLA, JOINT)}


def points(job: int, periods: int, seeds: tuple[int, ...] = SEEDS) -> tuple[JobPoint, ...]:
    """Return every method on one job, with either costs and every seed."""
    return tuple(
        JobPoint(
            job,
            method,
            method,
            MOVES,
            JOINT_DISTANCE_PCT if method == JOINT else MAX_DISTANCE_PCT,
            min(periods, FEWER.get((job, method), periods)),
            LIMIT_S[method],
            seed,
            costs=costs,
        )
        for costs, methods in METHODS.items()
        for method in methods
        for seed in seeds
    )


def _charts(rows: Rows) -> tuple[Chart, ...]:
    """Return the paper's four panels, with either costs."""
    panels = (
        ("Collocation factor", "collocation", "collocation factor, %"),
        ("Load distance", "after", "load distance after migrations, points"),
        ("Load index", "index", "load index, %"),
        ("Migrations", "planned", "key groups moved a period"),
    )
    return tuple(
        Chart(title + more, "period", unit, lines(some, "label", "period", value))
        for costs, more in ((PAPER, ""), (SPARK, ", costs of Spark"))
        if (some := of_costs(rows, costs)).rows
        for title, value, unit in panels
    )


def _tables(rows: Rows) -> tuple[Table, ...]:
    """Return what every line has at the end."""
    names = ("collocation", "after", "distance", "index", "planned", "paused_s", "makespan_s")
    cells = [
        [
            label,
            costs,
            some.where(label=label).most("period"),
            *(middle_of(some, label, name) for name in names),
        ]
        for costs in METHODS
        if (some := of_costs(rows, costs)).rows
        for label in some.words("label")
    ]
    columns = (
        "method",
        "costs",
        "periods",
        "collocation, %",
        "distance after, points",
        "a period later",
        "load index, %",
        "moves",
        "paused, s",
        "batch waits, s",
    )
    return (table(columns, cells),)


SAME = (
    Claim("ALBIC gradually reaches COLA's collocation", "the same", with_costs(gradually)),
    Claim("ALBIC has a lower load distance than COLA", "consistently", with_costs(lower_distance)),
)
OURS = (
    Claim("joint collocates sooner than ALBIC", "", with_costs(joint_faster), ours=True),
    Claim("and so it does with the costs of Spark", "", with_costs(joint_faster, SPARK), ours=True),
)

JOB_2 = Experiment(
    name="fig-job2",
    figure="Figure: Real Job 2",
    question="Does ALBIC collocate a job that can be collocated perfectly, and what does it save?",
    notes=notes_of(2),
    points=points(2, PERIODS[2]),
    quick=points(2, QUICK_PERIODS, SEEDS[:1]),
    measure=steer,
    claims=(
        Claim(
            "COLA reaches the optimum collocation immediately", "at once", with_costs(immediately)
        ),
        *SAME,
        Claim("the load index falls", "ALBIC to 50 %, COLA to 75 %", with_costs(load_index)),
        Claim(
            "the index falls with the costs of Spark too",
            "ALBIC to 50 %, COLA to 75 %",
            with_costs(load_index, SPARK),
            other_costs=True,
        ),
        Claim(
            "COLA migrates close to 200 key groups a period, ALBIC 10",
            "close to 200; 10",
            with_costs(partial(migrations, groups=200, said=170.0)),
        ),
        *OURS,
    ),
    charts=_charts,
    tables=_tables,
)

JOB_3 = Experiment(
    name="fig-job3",
    figure="Figure: Real Job 3",
    question="And if only half of the traffic can be local?",
    notes=notes_of(3),
    points=points(3, PERIODS[3]),
    quick=points(3, QUICK_PERIODS, SEEDS[:1]),
    measure=steer,
    claims=(
        *SAME,
        Claim(
            "the collocation factor is only half of Real Job 2's", "half", with_costs(half_of_job_2)
        ),
        Claim("a similar trend of the load index", "no number", with_costs(index_falls)),
        Claim(
            "the trend is the same with the costs of Spark",
            "no number",
            with_costs(index_falls, SPARK),
            other_costs=True,
        ),
        Claim(
            "COLA's migrations overwhelm the system at full input",
            "at 100 % input",
            with_costs(overwhelms),
        ),
        *OURS,
    ),
    charts=_charts,
    tables=_tables,
)

JOB_4 = Experiment(
    name="fig-job4",
    figure="Figure: Real Job 4",
    question="And in a job of eight operators?",
    notes=notes_of(4),
    points=points(4, PERIODS[4]),
    quick=points(4, QUICK_PERIODS, SEEDS[:1]),
    measure=steer,
    claims=(
        Claim("COLA's collocation is very consistent", "around 61 %", with_costs(cola_61)),
        Claim(
            "ALBIC gradually achieves a similar collocation", "about 61 %", with_costs(gradually)
        ),
        Claim(
            "ALBIC reduces the load index at a low load distance",
            "no number",
            with_costs(low_index),
        ),
        Claim(
            "ALBIC reduces it with the costs of Spark too",
            "no number",
            with_costs(low_index, SPARK),
            other_costs=True,
        ),
        *OURS,
    ),
    charts=_charts,
    tables=_tables,
)

JOB_1 = Experiment(
    name="fig-job1-collocation",
    figure="Section: Load Balance and Collocation (Real Data), last paragraph",
    question="Can Real Job 1 be collocated?",
    notes=notes_of(1),
    points=points(1, PERIODS[1]),
    quick=points(1, 8, SEEDS[:1]),
    measure=steer,
    claims=(Claim("the collocation maxes out", "around 5 %", with_costs(around_five)),),
    charts=_charts,
    tables=_tables,
)
