"""Real Jobs 2, 3 and 4: ALBIC against COLA; and what collocation can do for Real Job 1."""

from functools import partial

from albic.experiments.entries.job_claims import (
    MOVES,
    around_five,
    cola_61,
    end_of,
    gradually,
    half_of_job_2,
    immediately,
    index_falls,
    joint_faster,
    load_index,
    low_index,
    lower_distance,
    migrations,
    one_cola,
    overwhelms,
)
from albic.experiments.entries.lines import lines, table
from albic.experiments.experiment import Claim, Experiment
from albic.experiments.rows import Rows
from albic.experiments.runs.jobs import JobPoint, steer
from albic.experiments.runs.methods import ALBIC, COLA, JOINT, SEARCH, STAGES
from albic.figures import Chart, Table

MAX_DISTANCE_PCT, JOINT_DISTANCE_PCT = 10.0, 2.0
#: ALBIC brings one pair together a period, and Real Job 4 has hundreds.
PERIODS = {1: 40, 2: 120, 3: 120, 4: 400}
QUICK_PERIODS = 15
LIMIT_S = {ALBIC: 0.05, COLA: 1.0, JOINT: 0.1, SEARCH: 0.05, STAGES: 0.05}
COLA_SEEDS = (1, 2, 3)

NOTES = (
    "Simulated: 20 nodes, 100 key groups an operator, periods of 5 minutes, 10 migrations a "
    "period, a trace from a seed in the shape of the job; the airline and weather data "
    "themselves are not used. The cost of serialisation is set so that a fully collocated Real "
    "Job 2 has half the load, and the ratios of Real Job 4's streams so that about 61 % of its "
    "traffic can be local: both are the paper's results, so that they come out again proves "
    "little. What is measured is how they are reached: when, at what load distance and with "
    "which migrations. Input swings by 10 %, so the end is the mean of the last 48 periods. "
    "COLA plans every period from scratch and all of its plans are carried out. joint may go to "
    "a load distance of 2 points, ALBIC and COLA to 10, the default."
)


def points(job: int, methods: tuple[str, ...], periods: int) -> tuple[JobPoint, ...]:
    """Return every method on one job."""
    return tuple(
        JobPoint(
            job,
            method,
            method,
            MOVES,
            JOINT_DISTANCE_PCT if method == JOINT else MAX_DISTANCE_PCT,
            periods,
            LIMIT_S[method],
            seed=1,
        )
        for method in methods
    )


def _charts(rows: Rows) -> tuple[Chart, ...]:
    """Return the paper's four panels."""
    panels = (
        ("Collocation factor", "collocation", "collocation factor, %"),
        ("Load distance", "after", "load distance after migrations, points"),
        ("Load index", "index", "load index, %"),
        ("Migrations", "planned", "key groups moved a period"),
    )
    return tuple(
        Chart(title, "period", unit, lines(rows, "label", "period", value))
        for title, value, unit in panels
    )


def _tables(rows: Rows) -> tuple[Table, ...]:
    """Return what every line has at the end."""
    names = ("collocation", "after", "distance", "index", "planned", "paused_s", "makespan_s")
    cells = [
        [label, rows.where(label=label).most("period"), *(end_of(rows, label, n) for n in names)]
        for label in rows.words("label")
    ]
    columns = (
        "method",
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


def _cola_points() -> tuple[JobPoint, ...]:
    """Return three short runs of COLA, as the paper did for Real Job 4."""
    return tuple(
        JobPoint(4, f"{COLA}, run {seed}", COLA, MOVES, MAX_DISTANCE_PCT, 4, LIMIT_S[COLA], seed)
        for seed in COLA_SEEDS
    )


SAME = (
    Claim("ALBIC gradually reaches COLA's collocation", "the same", gradually),
    Claim("ALBIC has a lower load distance than COLA", "consistently", lower_distance),
)
OURS = (Claim("joint collocates sooner than ALBIC", "", joint_faster, ours=True),)
METHODS = (ALBIC, COLA, JOINT, SEARCH, STAGES)

JOB_2 = Experiment(
    name="fig-job2",
    figure="Figure: Real Job 2",
    question="Does ALBIC collocate a job that can be collocated perfectly, and what does it save?",
    notes=NOTES,
    points=points(2, METHODS, PERIODS[2]),
    quick=points(2, METHODS, QUICK_PERIODS),
    measure=steer,
    claims=(
        Claim("COLA reaches the optimum collocation immediately", "at once", immediately),
        *SAME,
        Claim("the load index falls", "ALBIC to 50 %, COLA to 75 %", load_index),
        Claim(
            "COLA migrates close to 200 key groups a period, ALBIC 10",
            "close to 200; 10",
            partial(migrations, groups=200, said=170.0),
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
    notes=NOTES,
    points=points(3, METHODS, PERIODS[3]),
    quick=points(3, METHODS, QUICK_PERIODS),
    measure=steer,
    claims=(
        *SAME,
        Claim("the collocation factor is only half of Real Job 2's", "half", half_of_job_2),
        Claim("a similar trend of the load index", "no number", index_falls),
        Claim("COLA's migrations overwhelm the system at full input", "at 100 % input", overwhelms),
        *OURS,
    ),
    charts=_charts,
    tables=_tables,
)

JOB_4 = Experiment(
    name="fig-job4",
    figure="Figure: Real Job 4",
    question="And in a job of eight operators?",
    notes=NOTES,
    points=(
        *points(4, (ALBIC,), PERIODS[4]),
        *_cola_points(),
        *points(4, (JOINT, SEARCH, STAGES), PERIODS[4]),
    ),
    quick=(
        *points(4, (ALBIC,), QUICK_PERIODS),
        *_cola_points()[:1],
        *points(4, (JOINT, SEARCH, STAGES), QUICK_PERIODS),
    ),
    measure=steer,
    claims=(
        Claim("COLA's collocation is very consistent", "around 61 %", cola_61),
        Claim(
            "ALBIC gradually achieves a similar collocation",
            "about 61 %",
            lambda rows: gradually(one_cola(rows)),
        ),
        Claim(
            "ALBIC reduces the load index at a low load distance",
            "no number",
            low_index,
        ),
        *OURS,
    ),
    charts=lambda rows: _charts(one_cola(rows)),
    tables=_tables,
)

JOB_1 = Experiment(
    name="fig-job1-collocation",
    figure="Section: Load Balance and Collocation (Real Data), last paragraph",
    question="Can Real Job 1 be collocated?",
    notes=NOTES,
    points=points(1, METHODS, PERIODS[1]),
    quick=points(1, METHODS, 8),
    measure=steer,
    claims=(Claim("the collocation maxes out", "around 5 %", around_five),),
    charts=_charts,
    tables=_tables,
)
