"""How fast nodes are shows in what moved key groups cost before and after, and in nothing else."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pytest

from albic.control.samples import GroupSample, NodeSample, Observation, RawBatch
from albic.control.speeds import (
    MOST_DIFFERENCE,
    Comparison,
    Learning,
    believable,
    comparisons,
    speeds,
)
from albic.model import Operator, Topology

GROUPS = 24
ALIKE = np.zeros(GROUPS, dtype=np.int64)


def history(
    speed: Mapping[str, float],
    *,
    batches: int = 30,
    noise: float = 0.0,
    seed: int = 0,
    rows: Callable[[int, int], int] = lambda group, at: 1000,  # noqa: ARG005
    slower: Callable[[int], float] = lambda at: 1.0,  # noqa: ARG005
) -> list[RawBatch]:
    """Return batches of a cluster in which every third key group moves on every ten batches."""
    rng = np.random.default_rng(seed)
    nodes = sorted(speed)
    owner = [nodes[group % len(nodes)] for group in range(GROUPS)]
    seen = []
    for at in range(batches):
        moved = set()
        if at and at % 10 == 0:
            moved = {group for group in range(GROUPS) if group % 3 == (at // 10) % 3}
            for group in moved:
                others = [node for node in nodes if node != owner[group]]
                owner[group] = others[rng.integers(len(others))]
        groups = []
        for group in range(GROUPS):
            count = rows(group, at)
            work_s = 1e-4 * (1 + group % 5) * count * slower(at)
            busy_s = work_s / speed[owner[group]] * np.exp(noise * rng.standard_normal())
            if group in moved:
                busy_s += 1.0
            groups.append(
                GroupSample(group, owner[group], busy_s, loaded=group in moved, rows=count)
            )
        seen.append(RawBatch(float(at), at + 1.0, tuple(groups), {}))
    return seen


def learnt(batches: list[RawBatch]) -> Mapping[str, float]:
    return speeds(believable(comparisons(batches, ALIKE)))


def relative(found: Mapping[str, float], node: str) -> float:
    return found[node] / found["a"]


@pytest.mark.parametrize("seed", range(6))
def test_known_speeds_are_recovered(seed: int) -> None:
    true = {"a": 1.0, "b": 0.5, "c": 1.0, "d": 2.0}
    found = learnt(history(true, noise=0.1, seed=seed, batches=60))
    for node, speed in true.items():
        assert relative(found, node) == pytest.approx(speed, rel=0.15), found


@pytest.mark.parametrize("seed", range(6))
def test_equal_nodes_stay_equal_in_spite_of_noise(seed: int) -> None:
    found = learnt(history(dict.fromkeys("abcd", 1.0), noise=0.2, seed=seed))
    assert set(found.values()) == {1.0}


def test_a_change_of_input_is_not_mistaken_for_speed() -> None:
    growing = history({"a": 1.0, "b": 1.0}, rows=lambda group, at: 1000 + 20 * at + group)
    assert set(learnt(growing).values()) == {1.0}


def test_groups_whose_input_jumped_say_nothing() -> None:
    batches = history({"a": 1.0, "b": 1.0}, batches=20, rows=lambda _, at: 9000 if at < 10 else 90)
    assert comparisons(batches, ALIKE) == ()


def test_a_job_that_slows_down_everywhere_makes_no_node_slow() -> None:
    found = learnt(history({"a": 1.0, "b": 1.0}, slower=lambda at: 1.0 if at < 10 else 2.0))
    assert set(found.values()) == {1.0}


def test_the_batch_of_a_load_is_no_evidence_and_the_batches_after_it_are_young() -> None:
    assert comparisons(history({"a": 1.0, "b": 0.5}, batches=11), ALIKE) == ()
    for batches, young in ((12, True), (14, True), (15, False)):
        found = comparisons(history({"a": 1.0, "b": 0.5}, batches=batches), ALIKE)
        assert {(round(one.ratio, 6), one.young) for one in found} == {(0.5, young), (2.0, young)}


def test_a_slow_node_shows_one_batch_after_key_groups_left_it() -> None:
    left = [Comparison(at, 0.0, "slow", "abc"[at % 3], 0.5, young=True) for at in range(4)]
    assert speeds(believable(left))["slow"] == pytest.approx(0.5, rel=0.15)


def test_young_moves_to_a_node_say_nothing_of_it_for_it_may_be_cold() -> None:
    cold = [Comparison(at, 0.0, "a", "cold", 2.0, young=True) for at in range(8)]
    assert believable(cold) == []


def test_the_lucky_ones_of_many_young_moves_make_no_node_slow() -> None:
    draw = np.random.default_rng(3)
    noisy = [
        Comparison(at, 0.0, "a", "b", float(np.exp(0.4 * draw.standard_normal())), young=True)
        for at in range(30)
    ]
    assert sum(one.ratio < 1 / 1.3 for one in noisy) > 4
    assert believable(noisy) == []


def test_a_node_that_is_only_cold_is_not_slow() -> None:
    batches = history({"a": 1.0, "b": 1.0}, batches=20)
    cold = [
        replace(
            batch,
            groups=tuple(
                replace(one, busy_s=3 * one.busy_s)
                if one.node_id == "b" and one.key_group % 3 == 1 and batch.started_s in {11.0, 12.0}
                else one
                for one in batch.groups
            ),
        )
        for batch in batches
    ]
    assert set(learnt(cold).values()) == {1.0}


def test_learning_remembers_moves_whose_batches_are_gone() -> None:
    batches = history({"a": 1.0, "b": 0.5}, batches=20)
    seen = Observation(
        topology=Topology((Operator("count", GROUPS),)),
        nodes=(NodeSample("a"), NodeSample("b")),
        owner=("a",) * GROUPS,
        state_bytes=np.zeros(GROUPS, dtype=np.int64),
        batches=tuple(batches),
    )
    learning = Learning()
    learning.learn(seen)
    first = learning.applied(seen).nodes
    assert first[1].speed / first[0].speed == pytest.approx(0.5, rel=0.1)
    learning.learn(replace(seen, batches=tuple(batches[-2:])))
    assert learning.applied(seen).nodes == first


def test_two_moved_groups_are_not_enough() -> None:
    two = [Comparison(group, 0.0, "a", "b", 2.0) for group in range(2)]
    assert speeds(two) == {}
    assert speeds([*two, Comparison(2, 0.0, "a", "b", 2.0)])["b"] < 1


@pytest.mark.parametrize("seed", range(6))
def test_a_slow_node_shows_in_moves_to_several_others(seed: int) -> None:
    draw = np.random.default_rng(seed)
    left = [
        Comparison(at, 0.0, "slow", "abc"[at % 3], 0.5 * np.exp(0.05 * draw.standard_normal()))
        for at in range(5)
    ]
    found = speeds(left)
    assert set(found) == {"slow"}, "of the others too little is known"
    assert found["slow"] == pytest.approx(0.5, rel=0.15)


def test_an_outlier_among_moved_groups_changes_nothing() -> None:
    steady = [Comparison(group, 0.0, "a", "b", 2.0) for group in range(8)]
    wild = [Comparison(9, 0.0, "a", "b", 500.0)]
    assert speeds([*steady, *wild])["b"] == pytest.approx(speeds(steady)["b"], rel=0.05)


def test_speeds_have_bounds() -> None:
    absurd = [Comparison(group, 0.0, "a", "b", 1e6) for group in range(50)]
    assert speeds(absurd) == {"a": MOST_DIFFERENCE, "b": 1 / MOST_DIFFERENCE}


def test_both_directions_speak_of_the_same_two_nodes() -> None:
    forth = [Comparison(group, 0.0, "a", "b", 2.0) for group in range(4)]
    back = [Comparison(group, 1.0, "b", "a", 0.5) for group in range(4)]
    assert speeds(forth + back)["b"] == pytest.approx(speeds(forth * 2)["b"])
