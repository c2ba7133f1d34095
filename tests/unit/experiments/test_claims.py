"""Every claim can fail: rows that bear it out, and rows that do not."""

import pytest

pytest.importorskip("matplotlib", reason="the extra albic[figures] is missing")

from albic.experiments.catalogue import EXPERIMENTS
from albic.experiments.rows import Rows
from albic.experiments.runs.jobs import POTC, SPARK, UNRESTRICTED
from albic.experiments.runs.methods import (
    ALBIC,
    COLA,
    FLUX,
    JOINT,
    MILP,
    REPAIRED,
    SCRATCH,
    SEARCH,
    STAGES,
)
from albic.experiments.runs.scale import AT_ONCE, RACKS
from albic.experiments.runs.scale_in import SEPARATE

INTEGRATED, URGENT = "integrated, MILP", "integrated, search, urgent overload first"


def claim(experiment, words):
    found = [c for c in EXPERIMENTS[experiment].claims if words in c.statement]
    (only,) = [c for c in found if not c.from_scratch]
    return only


def solved(seed=1, **distances):
    """Return one setting planned by all; keywords are distances of methods and times."""
    lines = {
        "flux": (FLUX, 1.0),
        "milp": (MILP, 1.0),
        "later": (MILP, 5.0),
        "scratch": (SCRATCH, 5.0),
        "longest": (SCRATCH, 20.0),
        "ours": (REPAIRED, 1.0),
        "search": (SEARCH, 0.05),
    }
    return [
        {
            "method": lines[name][0],
            "moves": 10,
            "varies": 20.0,
            "limit_s": lines[name][1],
            "seed": seed,
            "distance": distance,
        }
        for name, distance in distances.items()
    ]


def draining(ours, theirs, ours_empty=11, theirs_empty=10, label=INTEGRATED):
    """Return rounds in which distances stay and nodes are empty from some round on."""
    return [
        {
            "label": label,
            "overloaded": 1,
            "seed": 1,
            "round": number,
            "distance": distance,
            "left": int(number < empty),
            "findings": 0,
        }
        for label, distance, empty in (
            (label, ours, ours_empty),
            (SEPARATE, theirs, theirs_empty),
        )
        for number in range(21)
    ]


def with_spark(rows):
    """Return rows as they are measured with the costs of Spark."""
    return [{**row, "costs": SPARK} for row in rows]


def periods(label, *, job=1, moves=13, count=60, **values):
    """Return periods that are all alike."""
    usual = {
        "after": 0.5,
        "distance": 5.0,
        "collocation": 50.0,
        "index": 100.0,
        "planned": 13,
        "paused_s": 32.5,
        "merge_s": 0.0,
        "load": 50.0,
        "backlog_s": 0.0,
    }
    return [
        {"job": job, "label": label, "moves": moves, "seed": 1, "period": number, **usual, **values}
        for number in range(1, count + 1)
    ]


def rounds(method, collocation, distance, obtainable=50.0):
    return [
        {
            "method": method,
            "obtainable": obtainable,
            "cluster": "4/40/2",
            "round": number,
            "collocation": collocation,
            "distance": distance,
        }
        for number in range(1, 11)
    ]


def checked(method, first, second, literal=0):
    return [
        {
            "case": "random",
            "method": method,
            "clusters": 10,
            "lemma_1_broken": first,
            "lemma_2_broken": second,
            "lemma_2_literally_broken": literal,
        }
    ]


def planned(method, distance, nodes=10_000, wall_s=5.0, failed="", **values):
    return [
        {
            "method": method,
            "nodes": nodes,
            "limit_s": 5.0,
            "wall_s": wall_s,
            "distance": distance,
            "peak_gib": 1.0,
            "failed": failed,
            **values,
        }
    ]


def few(after):
    return periods(f"{MILP}, 10", moves=10, after=after)


def free(**values):
    return periods(f"{MILP}, unrestricted", moves=UNRESTRICTED, **values)


BOTH_WAYS = [
    ("fig-solver-20", "after a few seconds", solved(flux=1, milp=0.5), solved(flux=1, milp=2)),
    ("fig-solver-20", "given the longest", solved(flux=1, later=0.5), solved(flux=1, later=2)),
    (
        "fig-solver-20",
        "further solving",
        solved(flux=1, milp=0.5, later=0.4),
        solved(flux=1, milp=5, later=0.4),
    ),
    ("fig-solver-20", "further solving", solved(milp=0.5, later=0.4), solved(milp=0.5)),
    ("fig-solver-20", "never worse than Flux", solved(flux=1, ours=0.5), solved(flux=1, ours=2)),
    ("fig-solver-20", "never worse than Flux", solved(flux=1, ours=0.5), solved(flux=1, ours=1)),
    ("fig-solver-20", "in a blink", solved(search=0.2, longest=1), solved(search=0.2, longest=0.1)),
    ("fig-scale-in", "much faster", draining(5, 40), draining(35, 40)),
    ("fig-scale-in", "similar time", draining(5, 40), draining(5, 40, ours_empty=19)),
    (
        "fig-scale-in",
        "empty every",
        draining(5, 40, label=URGENT),
        draining(5, 40, ours_empty=99, label=URGENT),
    ),
    ("fig-job1-balance", "below 1 %", periods(MILP, after=0.9), periods(MILP, after=1.1)),
    ("fig-job1-balance", "fluctuates", periods(FLUX, after=7.0), periods(FLUX, after=2.0)),
    (
        "fig-job1-balance",
        "better than Flux",
        periods(MILP, after=0.5) + periods(FLUX, after=0.6),
        periods(MILP, after=0.5) + periods(FLUX, after=0.4),
    ),
    (
        "fig-job1-balance",
        "PoTC",
        periods(POTC, after=9.0, merge_s=9.0),
        periods(POTC, after=0.2, merge_s=9.0),
    ),
    (
        "fig-job1-balance",
        "our planners",
        periods(REPAIRED) + periods(SEARCH),
        periods(REPAIRED) + periods(SEARCH, after=2.0),
    ),
    (
        "fig-job1-migrations",
        "correlated",
        few(after=2.0) + free(after=0.1),
        few(after=0.1) + free(after=2.0),
    ),
    (
        "fig-job1-migrations",
        "correlated",
        few(after=2.0) + periods(f"{MILP}, 13", after=1.0) + free(after=0.1),
        few(after=2.0) + periods(f"{MILP}, 13", after=3.0) + free(after=0.1),
    ),
    (
        "fig-job1-migrations",
        "spikes",
        few(after=2.0) + free(after=0.1),
        few(after=0.3) + free(after=0.1),
    ),
    (
        "fig-job1-migrations",
        "very large",
        periods(f"{MILP}, 13") + free(paused_s=700.0),
        periods(f"{MILP}, 13") + free(paused_s=40.0),
    ),
    (
        "fig-job1-migrations",
        "pauses",
        periods(f"{MILP}, 13"),
        periods(f"{MILP}, 13", paused_s=325.0),
    ),
    (
        "fig-collocation",
        "smaller load distance",
        rounds(ALBIC, 50, 1) + rounds(COLA, 50, 8),
        rounds(ALBIC, 50, 9) + rounds(COLA, 50, 8),
    ),
    (
        "fig-collocation",
        "in terms of collocation",
        rounds(ALBIC, 55, 1) + rounds(COLA, 50, 8),
        rounds(ALBIC, 45, 1) + rounds(COLA, 50, 8),
    ),
    (
        "fig-collocation",
        "joint collocates",
        rounds(JOINT, 50, 1) + rounds(ALBIC, 10, 1),
        rounds(JOINT, 5, 1) + rounds(ALBIC, 10, 1),
    ),
    (
        "fig-job2",
        "immediately",
        periods(COLA, collocation=96.0),
        periods(COLA, collocation=9.0, count=2) + periods(COLA, collocation=96.0)[2:],
    ),
    (
        "fig-job2",
        "gradually",
        periods(ALBIC, collocation=95.0) + periods(COLA, collocation=96.0) + periods(JOINT),
        periods(ALBIC, collocation=60.0) + periods(COLA, collocation=96.0) + periods(JOINT),
    ),
    (
        "fig-job2",
        "lower load distance",
        periods(ALBIC, after=1.0) + periods(COLA, after=9.0),
        periods(ALBIC, after=9.5) + periods(COLA, after=9.0),
    ),
    (
        "fig-job2",
        "load index",
        periods(ALBIC, index=52.0) + periods(COLA, index=72.0),
        periods(ALBIC, index=52.0) + periods(COLA, index=52.0),
    ),
    (
        "fig-job2",
        "migrates",
        periods(ALBIC, planned=10) + periods(COLA, planned=190),
        periods(ALBIC, planned=10) + periods(COLA, planned=40),
    ),
    (
        "fig-job2",
        "sooner",
        periods(JOINT, collocation=99.0) + periods(ALBIC, collocation=60.0),
        periods(JOINT, collocation=60.0) + periods(ALBIC, collocation=99.0),
    ),
    ("fig-job3", "half", periods(ALBIC, collocation=52.0), periods(ALBIC, collocation=90.0)),
    (
        "fig-job3",
        "similar trend",
        periods(ALBIC, index=70.0) + periods(COLA, index=90.0),
        periods(ALBIC, index=95.0) + periods(COLA, index=90.0),
    ),
    (
        "fig-job2",
        "index falls with the costs of Spark",
        with_spark(periods(ALBIC, index=45.0) + periods(COLA, index=70.0)),
        periods(ALBIC, index=45.0) + with_spark(periods(ALBIC, index=99.0) + periods(COLA)),
    ),
    (
        "fig-job3",
        "trend is the same",
        with_spark(periods(ALBIC, index=70.0) + periods(COLA, index=90.0)),
        with_spark(periods(ALBIC, index=95.0) + periods(COLA, index=90.0)),
    ),
    (
        "fig-job4",
        "reduces it with the costs of Spark",
        with_spark(periods(ALBIC, index=70.0)),
        periods(ALBIC, index=70.0) + with_spark(periods(ALBIC, index=99.0)),
    ),
    ("fig-job3", "overwhelm", periods(COLA, backlog_s=60.0), periods(COLA)),
    (
        "fig-job4",
        "consistent",
        periods(COLA, collocation=61.0),
        periods(COLA, collocation=80.0),
    ),
    ("fig-job4", "low load distance", periods(ALBIC, index=70.0), periods(ALBIC, index=99.0)),
    (
        "fig-job1-collocation",
        "maxes out",
        periods(ALBIC, collocation=5.0),
        periods(ALBIC, collocation=30.0),
    ),
    ("lemmas", "Lemma 1: no", checked(MILP, 0, 0), checked(MILP, 1, 0)),
    ("lemmas", "in use", checked(MILP, 0, 0), checked(MILP, 0, 1)),
    ("lemmas", "minimum d", checked(MILP, 0, 0), checked(MILP, 0, 0, literal=1)),
    ("lemmas", "our planners", checked(SEARCH, 0, 0), checked(SEARCH, 0, 1)),
    ("scale", "in time", planned(SEARCH, 0.1), planned(SEARCH, 3.0)),
    ("scale", "the search ends", planned(SEARCH, 0.1), planned(SEARCH, 0.1, wall_s=19.0)),
    ("scale", "by stage ends", planned(STAGES, 9.0), planned(STAGES, 9.0, failed="no plan")),
    ("scale", "joint ends", planned(JOINT, 2.0), planned(JOINT, 2.0, wall_s=19.0)),
    (
        "scale",
        "above its bound",
        planned(STAGES, 9.0, makespan=101.0, bound=100.0),
        planned(STAGES, 9.0, makespan=110.0, bound=100.0),
    ),
    (
        "scale",
        "breaks first",
        planned(SCRATCH, 1, nodes=100, failed="too large") + planned(SEARCH, 1),
        planned(SCRATCH, 1),
    ),
    (
        "scale",
        "racks",
        planned(RACKS, 0.1) + planned(SEARCH, 0.2),
        planned(RACKS, 0.3) + planned(SEARCH, 0.2),
    ),
    (
        "scale",
        "racks",
        planned(RACKS, 0.1) + planned(AT_ONCE, 0.2),
        planned(RACKS, 0.3) + planned(AT_ONCE, 0.2),
    ),
]


#: The same statements about HiGHS without a start.
ALONE = [
    ("fig-solver-20", "after a few", solved(flux=1, scratch=0.5), solved(flux=1, scratch=2)),
    ("fig-solver-20", "the longest", solved(flux=1, longest=0.5), solved(flux=1, longest=2)),
    (
        "fig-solver-20",
        "further solving",
        solved(scratch=0.5, longest=0.4),
        solved(scratch=5, longest=0.4),
    ),
    ("fig-job1-balance", "below 1 %", periods(SCRATCH, after=0.9), periods(SCRATCH, after=1.1)),
]


@pytest.mark.parametrize(
    ("experiment", "words", "good", "bad"),
    ALONE,
    ids=[f"{name}: {words}" for name, words, _, _ in ALONE],
)
def test_a_claim_about_the_solver_alone_looks_at_its_line_only(experiment, words, good, bad):
    (alone,) = [
        each
        for each in EXPERIMENTS[experiment].claims
        if each.from_scratch and words in each.statement
    ]
    (same,) = [
        each
        for each in EXPERIMENTS[experiment].claims
        if each.statement in alone.statement and each.of_paper
    ]
    assert alone.check(Rows.of(good)).holds
    assert not alone.check(Rows.of(bad)).holds
    assert same.check(Rows.of(good)).is_missing


def test_a_claim_is_judged_on_the_median_of_its_seeds():
    check = claim("fig-solver-20", "after a few seconds").check
    rows = [row for seed in (1, 2, 3) for row in solved(seed, flux=1, milp=(0.5, 0.6, 9)[seed - 1])]
    found = check(Rows.of(rows))
    assert found.holds
    assert found.seeds == "2 of 3"
    assert found.note


def test_a_seed_that_has_no_flux_beside_it_does_not_count():
    rows = solved(1, flux=1, milp=0.5) + solved(2, milp=9)
    assert claim("fig-solver-20", "after a few seconds").check(Rows.of(rows)).seeds == "1 of 1"


@pytest.mark.parametrize(
    ("experiment", "words", "good", "bad"),
    BOTH_WAYS,
    ids=[f"{name}: {words}" for name, words, _, _ in BOTH_WAYS],
)
def test_a_claim_holds_and_fails(experiment, words, good, bad):
    check = claim(experiment, words).check
    assert check(Rows.of(good)).holds
    failed = check(Rows.of(bad))
    assert not failed.holds
    assert failed.remark


@pytest.mark.parametrize("name", ["fig-job2", "fig-job3", "fig-job4"])
def test_what_no_line_measured_is_said_to_be_missing(name):
    rows = Rows.of(periods(ALBIC) + periods(COLA) + periods(JOINT))
    unsure = [c.statement for c in EXPERIMENTS[name].claims if c.check(rows).is_missing]
    assert unsure
    assert all("Spark" in statement for statement in unsure)


def test_a_claim_about_a_job_is_judged_on_the_median_of_its_seeds():
    def seeded(label, *index):
        return [
            {**row, "seed": seed}
            for seed, value in enumerate(index)
            for row in periods(label, index=value)
        ]

    check = claim("fig-job3", "similar trend").check
    found = check(Rows.of(seeded(ALBIC, 70, 70, 95) + seeded(COLA, 80, 80, 80)))
    assert found.holds
    assert found.seeds == "2 of 3"
