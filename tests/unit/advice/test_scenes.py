"""Simulated jobs under the real controller: what its records say, and what they do not."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from albic.advice import Finding
from albic.advice.surroundings import (
    CHANGELOG,
    CHECKPOINT_SCHEME,
    FILE_MANAGER,
    PROVIDER,
    QUICK_FILES,
    SPECULATION,
    WAIT,
)
from albic.control import MemoryJournal, Settings
from albic.control.advice_evidence import advice
from albic.control.settings import Pace
from albic.model import Allocation, Cluster, Resource, Snapshot
from albic.planners import PLANNERS
from albic.sim import (
    COMPUTE_ONLY,
    Degradation,
    Eyesight,
    Steering,
    Surroundings,
    World,
    simulate,
    steady_scene,
    synthetic,
)

ROCKS = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
SETTINGS = Settings(pace=Pace(batches=1))
LEVEL = World(costs=COMPUTE_ONLY)


def told(
    snapshot: Snapshot,
    world: World = LEVEL,
    periods: int = 3,
    settings: Settings = SETTINGS,
    journal: MemoryJournal | None = None,
) -> tuple[Finding, ...]:
    """Return the advice after some periods of ``snapshot`` as it is."""
    steering = Steering(PLANNERS["flux"](), settings)
    return advice(simulate(steady_scene(snapshot), steering, periods, world, journal).records)


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


def around(**more) -> World:
    """Return a world with such surroundings."""
    return replace(LEVEL, step_s=10.0, surroundings=Surroundings(**more))


def test_tasks_that_cost_more_than_their_rows_shall_be_fewer() -> None:
    # A key group has some 2.5 points of load: a quarter of a second in a batch of 10.
    dear = told(level(key_groups=80), around(task_fixed_s=2.0))
    assert "mostly fixed cost" in rules(dear)
    assert "12 partitions instead of 80" in dear[0].remedy
    assert told(level(key_groups=80), around(task_fixed_s=0.01)) == ()
    assert told(level(key_groups=12), around(task_fixed_s=20.0)) == (), "fewer would idle slots"


@pytest.mark.parametrize(
    ("rule", "costs", "mended"),
    [
        pytest.param(
            "checkpoint files",
            {CHECKPOINT_SCHEME: "file", FILE_MANAGER: ""},
            {CHECKPOINT_SCHEME: "file", FILE_MANAGER: QUICK_FILES},
            id="checkpoint files",
        ),
        pytest.param(
            "state snapshots",
            {PROVIDER: ROCKS, CHANGELOG: "false"},
            {PROVIDER: ROCKS, CHANGELOG: "true"},
            id="state snapshots",
        ),
    ],
)
def test_a_setting_that_costs_is_named_until_it_is_another(
    rule: str, costs: dict[str, str], mended: dict[str, str]
) -> None:
    journal, few = MemoryJournal(), level(key_groups=12)
    found = told(few, around(task_fixed_s=0.2, settings=costs), journal=journal)
    assert rules(found) == {rule}
    assert found[0].setting in costs
    assert told(few, around(task_fixed_s=0.01, settings=costs)) == (), "cheap tasks do not mind"
    # The job is started again with the setting that was named; the journal goes on.
    assert told(few, around(task_fixed_s=0.2, settings=mended), journal=journal) == ()


def test_speculation_is_told_until_it_is_off() -> None:
    journal = MemoryJournal()
    on = told(level(), around(settings={SPECULATION: "true"}), journal=journal)
    assert [(f.rule, f.setting) for f in on] == [("speculation", SPECULATION)]
    assert told(level(), around(settings={SPECULATION: "false"}), journal=journal) == ()


def test_state_that_wanders_needs_a_longer_wait() -> None:
    watching = replace(SETTINGS, dry_run=True)
    restless = around(wandering_share=0.25, settings={WAIT: "0s"})
    found = told(level(), restless, periods=5, settings=watching)
    assert [(f.rule, f.setting) for f in found] == [("locality wait", WAIT)]
    assert told(level(), around(settings={WAIT: "0s"}), periods=5, settings=watching) == ()


def test_rows_of_other_nodes_keep_tasks_waiting_until_they_are_local() -> None:
    talking = level(operators=2, one_to_one=0.5)
    waits = rules(told(talking, around(waiting_share=0.5)))
    assert "short of network" in waits
    assert "short of network" not in rules(told(talking, around(waiting_share=0.1)))
    together = replace(
        talking, allocation=Allocation(np.zeros(talking.topology.key_groups, dtype=np.int64))
    )
    alone = replace(
        together, cluster=Cluster(talking.cluster.nodes[:1]), background=talking.background[:1]
    )
    assert "short of network" not in rules(told(alone, around(waiting_share=0.5)))


def test_state_that_fills_the_memory_is_the_bottleneck() -> None:
    snapshot = level()
    a_node_has = float(snapshot.state_bytes.sum()) / 4
    (found,) = told(snapshot, around(memory_bytes=1.1 * a_node_has))
    assert (found.rule, found.unit) == ("short of memory", "% of memory")
    assert told(snapshot, around(memory_bytes=4 * a_node_has)) == ()
