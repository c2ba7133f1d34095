"""Simulated jobs under the real controller: what its records say, and what they do not."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from albic.advice import Finding
from albic.control import Settings
from albic.control.advising import advice
from albic.control.settings import Pace
from albic.model import Allocation, Resource, Snapshot
from albic.planners import PLANNERS
from albic.sim import (
    COMPUTE_ONLY,
    Degradation,
    Eyesight,
    Steering,
    World,
    simulate,
    steady_scene,
    synthetic,
)

SETTINGS = Settings(pace=Pace(batches=1))
LEVEL = World(costs=COMPUTE_ONLY)


def told(snapshot: Snapshot, world: World = LEVEL, periods: int = 3) -> tuple[Finding, ...]:
    """Return the advice after some periods of ``snapshot`` as it is."""
    steering = Steering(PLANNERS["flux"](), SETTINGS)
    return advice(simulate(steady_scene(snapshot), steering, periods, world).records)


def rules(findings: Sequence[Finding]) -> set[str]:
    return {finding.rule for finding in findings}


def level(key_groups: int = 24, nodes: int = 4, operators: int = 1, **more) -> Snapshot:
    """Return a job that can be spread evenly over its nodes."""
    return synthetic(
        nodes, key_groups, operators, **{"varies_pct": 0, "one_to_one": 0, "seed": 1, **more}
    )


def heavier(snapshot: Snapshot, factor: float, group: int | None = None) -> Snapshot:
    usage = snapshot.usage.copy()
    usage[Resource.CPU, slice(None) if group is None else group] *= factor
    return replace(snapshot, usage=usage)


def test_a_level_job_hears_nothing() -> None:
    assert told(level()) == ()


def test_a_hot_key_group_is_found_and_named() -> None:
    (finding,) = [f for f in told(heavier(level(), 12, group=5)) if f.key_group is not None]
    assert (finding.rule, finding.key_group) == ("oversized key group", 5)
    assert finding.unit == "s a batch"
    assert finding.cost > 0


def test_a_hot_key_group_that_fits_is_not() -> None:
    assert told(heavier(level(), 3, group=5)) == ()


def test_five_key_groups_are_too_few_for_four_nodes() -> None:
    few = told(level(key_groups=5))
    assert rules(few) == {"too few key groups"}
    assert "12 partitions" in few[0].remedy


def test_a_chain_of_partners_could_be_shorter() -> None:
    paired = told(level(operators=2, one_to_one=1.0))
    assert rules(paired) == {"one-to-one edge"}
    assert told(level(operators=2)) == ()


def test_a_degraded_node_is_found_and_forgotten_when_it_is_well() -> None:
    slow = Degradation(0, "node-002", 0.5)
    world = replace(LEVEL, events=(slow,), eyesight=Eyesight(knows_capacities=True))
    found = told(level(), world)
    assert [(f.rule, f.executor) for f in found] == [("slow executor", "node-002")]
    well = replace(world, events=(slow, Degradation(2, "node-002", 1.0)))
    assert told(level(), well, periods=5) == ()


def test_more_work_than_nodes_misses_every_interval() -> None:
    (finding,) = told(heavier(level(), 3))
    assert finding.rule == "trigger interval"
    assert "executors of this kind instead of 4" in finding.remedy


def test_work_on_one_node_is_a_matter_of_placement() -> None:
    snapshot = level()
    piled = replace(snapshot, allocation=Allocation(np.zeros(24, dtype=np.int64)))
    assert told(piled, periods=1) == ()


@pytest.mark.parametrize("factor", [1.0, 40.0])
def test_advice_does_not_depend_on_how_much_is_sent(factor: float) -> None:
    snapshot = level(operators=2)
    more = replace(snapshot, traffic=sp.csr_array(snapshot.traffic * factor))
    assert told(more) == ()
