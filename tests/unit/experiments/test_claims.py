"""Every claim can fail: rows that bear it out, and rows that do not."""

import pytest

pytest.importorskip("matplotlib", reason="the extra albic[figures] is missing")

from albic.experiments.catalogue import EXPERIMENTS
from albic.experiments.rows import Rows
from albic.experiments.runs.jobs import POTC, UNRESTRICTED
from albic.experiments.runs.methods import ALBIC, COLA, FLUX, JOINT, MILP, REPAIRED, SEARCH
from albic.experiments.runs.scale import AT_ONCE, RACKS
from albic.experiments.runs.scale_in import SEPARATE

URGENT = "integrated, urgent overload first"


def claim(experiment, words):
    (found,) = [c for c in EXPERIMENTS[experiment].claims if words in c.statement]
    return found


def solved(**distances):
    """Return one setting planned by all; keywords are methods' distances after 5 s."""
    names = {"flux": FLUX, "milp": MILP, "ours": REPAIRED, "search": SEARCH}
    at = {"milp": 5.0, "later": 20.0, "search": 0.05}
    return [
        {
            "method": names.get(name, MILP),
            "moves": 10,
            "varies": 20.0,
            "limit_s": at.get(name, 1.0),
            "distance": distance,
        }
        for name, distance in distances.items()
    ]


def draining(ours, theirs, ours_empty=11, theirs_empty=10):
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
            (URGENT, ours, ours_empty),
            (SEPARATE, theirs, theirs_empty),
        )
        for number in range(21)
    ]


def periods(label, *, job=1, moves=13, count=60, **values):
    """Return periods that are all alike."""
    usual = {
        "after": 0.5,
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


def planned(method, distance, nodes=10_000, wall_s=5.0, failed=""):
    return [
        {
            "method": method,
            "nodes": nodes,
            "limit_s": 5.0,
            "wall_s": wall_s,
            "distance": distance,
            "peak_gib": 1.0,
            "failed": failed,
        }
    ]


def few(after):
    return periods(f"{SEARCH}, 10", moves=10, after=after)


def free(**values):
    return periods(f"{SEARCH}, unrestricted", moves=UNRESTRICTED, **values)


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
    ("fig-solver-20", "in a blink", solved(search=0.2, later=1), solved(search=0.2, later=0.1)),
    ("fig-scale-in", "much faster", draining(5, 40), draining(35, 40)),
    ("fig-scale-in", "similar time", draining(5, 40), draining(5, 40, ours_empty=19)),
    ("fig-scale-in", "empty every", draining(5, 40), draining(5, 40, ours_empty=99)),
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
        few(after=2.0) + periods(f"{SEARCH}, 13", after=1.0) + free(after=0.1),
        few(after=2.0) + periods(f"{SEARCH}, 13", after=3.0) + free(after=0.1),
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
        periods(f"{SEARCH}, 13") + free(paused_s=700.0),
        periods(f"{SEARCH}, 13") + free(paused_s=40.0),
    ),
    (
        "fig-job1-migrations",
        "pauses",
        periods(f"{SEARCH}, 13"),
        periods(f"{SEARCH}, 13", paused_s=325.0),
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
    ("fig-job3", "overwhelm", periods(COLA, backlog_s=60.0), periods(COLA)),
    (
        "fig-job4",
        "consistent",
        periods("COLA, run 1", collocation=61.0),
        periods("COLA, run 1", collocation=80.0),
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
    ("scale", "time limit", planned(SEARCH, 0.1), planned(SEARCH, 0.1, wall_s=19.0)),
    (
        "scale",
        "breaks first",
        planned(MILP, 1, nodes=100, failed="too large") + planned(SEARCH, 1),
        planned(MILP, 1),
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
