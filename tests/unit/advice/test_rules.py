"""Each rule speaks of a job that has its cause, and is silent about one that has not."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from albic.advice import Evidence, Finding, TaskCost, advise
from albic.advice.granularity import crowded
from albic.advice.surroundings import (
    CHANGELOG,
    CHECKPOINT_SCHEME,
    FILE_MANAGER,
    HDFS_BACKED,
    IMPATIENT,
    PROVIDER,
    QUICK_FILES,
    SPECULATION,
    WAIT,
)
from albic.model import PlanRequest
from tests.strategies import small_requests
from tests.worlds import request, world

ROCKS = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


def seen(drawing: str, **more) -> Evidence:
    """Return the evidence of a drawn cluster whose batches take 10 s."""
    return Evidence(world(drawing).snapshot, **{"batch_s": 10.0, **more})


def found(evidence: Evidence, rule: str) -> list[Finding]:
    return [finding for finding in advise(evidence) if finding.rule == rule]


def test_a_balanced_job_hears_nothing() -> None:
    assert advise(seen("a: 10 10 10 | b: 10 10 10 | c: 10 10 10")) == ()


def test_an_idle_job_hears_nothing() -> None:
    assert advise(seen("a: 0 0 | b(x0.5): 0", interval_s=1.0, batch_s=0.1)) == ()


@given(small_requests(), st.floats(0.0, 100.0), st.floats(0.01, 100.0))
def test_costs_are_numbers_and_wins_are_no_more(
    asked: PlanRequest, batch_s: float, interval_s: float
) -> None:
    costs = (TaskCost(stage=0, task_s=0.2, fixed_s=0.15),)
    evidence = Evidence(
        asked.snapshot, batch_s, interval_s=interval_s, busy_s=2.0, wait_s=1.0, task_costs=costs
    )
    for finding in advise(evidence):
        assert 0 <= finding.cost < np.inf
        assert finding.win is None or 0 <= finding.win <= finding.cost * (1 + 1e-9)
        assert finding.sentence
        assert finding.remedy


def test_a_key_group_beyond_the_fair_share_is_named_with_its_parts() -> None:
    (finding,) = found(seen("a: 10 10 | b: 80 | c: 10 10"), "oversized key group")
    # 120 on three nodes are 40 each; a batch waits for 80 of which 40 could go away.
    assert (finding.operator, finding.key_group) == ("o0", 2)
    assert finding.cost == pytest.approx(5.0)
    assert finding.win == pytest.approx(5.0)
    assert "salt its hottest key 2 ways" in finding.remedy
    assert "10 partitions" in finding.remedy
    assert "2.0 times the fair share" in finding.sentence


def test_what_a_split_wins_ends_at_the_next_largest() -> None:
    both = found(seen("a: 60 | b: 54 | c: 2 2 2"), "oversized key group")
    assert [finding.key_group for finding in both] == [0, 1]
    assert both[0].win == pytest.approx(1.0)
    assert both[0].cost == pytest.approx(10 * (60 - 40) / 60)


def test_without_a_timed_batch_costs_are_shares() -> None:
    (finding,) = found(seen("a: 10 10 | b: 80 | c: 10 10", batch_s=None), "oversized key group")
    assert (finding.cost, finding.unit) == (pytest.approx(50.0), "% of a batch")


def test_a_heavy_key_group_that_fits_a_node_is_placed_and_not_spoken_of() -> None:
    assert found(seen("a: 30 10 | b: 20 20 | c: 40"), "oversized key group") == []


def test_a_slot_is_what_a_key_group_has_to_fit_into() -> None:
    wide = "a(2 slots): 50 10 10 | b(2 slots): 10 10 10"
    # Half a node at most works on it: 100 points long, and all of the work would take 50.
    (finding,) = found(seen(wide), "oversized key group")
    assert finding.cost == pytest.approx(5.0)


def test_too_few_key_groups_are_told_how_many_to_be() -> None:
    (finding,) = found(seen("a: 10 | b: 10 | c: 10 | d:"), "too few key groups")
    assert "12 partitions" in finding.remedy
    assert finding.cost == pytest.approx(2.5)
    assert found(seen("a: 10 | b: 10 | c: 10 | d:"), "oversized key group") == []


def test_one_key_group_too_many_for_the_slots_is_one_too_few_for_two_rounds() -> None:
    (finding,) = found(seen("a: 10 10 | b: 10 | c: 10"), "too few key groups")
    assert finding.cost == pytest.approx(10 * (20 - 40 / 3) / 20)
    assert "9 partitions" in finding.remedy


def test_key_groups_that_can_be_spread_are_enough() -> None:
    assert found(seen("a: 10 10 | b: 10 10 | c: 20"), "too few key groups") == []


@given(st.lists(st.floats(0.0, 100.0), min_size=1, max_size=7), st.integers(1, 4))
def test_no_placement_is_below_the_bound(loads: Sequence[float], slots: int) -> None:
    heaviest_first = np.array(sorted(loads, reverse=True))
    least = min(
        np.bincount(owner, weights=heaviest_first, minlength=slots).max()
        for owner in np.ndindex(*[slots] * len(loads))
    )
    assert crowded(heaviest_first, slots) <= least + 1e-9


def test_tasks_of_mostly_fixed_cost_shall_be_fewer() -> None:
    many = "a: 5 5 5 5 5 5 5 5 | b: 5 5 5 5 5 5 5 5"
    costs = (TaskCost(stage=0, task_s=0.1, fixed_s=0.08),)
    (finding,) = found(seen(many, task_costs=costs), "mostly fixed cost")
    assert finding.cost == pytest.approx(16 * 0.08 / 2)
    assert finding.win == pytest.approx(10 * 0.08 / 2)
    assert "6 partitions instead of 16" in finding.remedy


@pytest.mark.parametrize(
    ("drawing", "fixed_s"),
    [
        pytest.param("a: 5 5 5 5 5 5 5 5 | b: 5 5 5 5 5 5 5 5", 0.02, id="rows make the cost"),
        pytest.param("a: 5 5 5 | b: 5 5 5", 0.08, id="fewer would leave slots idle"),
    ],
)
def test_tasks_that_are_worth_it_stay(drawing: str, fixed_s: float) -> None:
    costs = (TaskCost(stage=0, task_s=0.1, fixed_s=fixed_s),)
    assert found(seen(drawing, task_costs=costs), "mostly fixed cost") == []


def chained(traffic: Sequence[tuple[int, int, float]], **more) -> Evidence:
    asked = request([10.0] * 6, [0, 1, 0, 1, 0, 1], operators=[2, 2, 2], traffic=traffic, **more)
    return Evidence(asked.snapshot)


def test_partners_without_others_could_be_one_operator() -> None:
    partners = [(0, 3, 1e6), (1, 2, 2e6)]
    (finding,) = found(chained(partners, streams=[(0, 1)]), "one-to-one edge")
    assert finding.operator == "o1"
    assert (finding.cost, finding.unit) == (3e6, "bytes/s")
    assert "o0 and o1" in finding.remedy
    assert "keeps_key=True" in finding.remedy


@pytest.mark.parametrize(
    ("traffic", "streams"),
    [
        pytest.param([(0, 2, 1e6), (0, 3, 1e6), (1, 2, 1e6)], [(0, 1)], id="shuffled"),
        pytest.param([(0, 2, 1e6), (1, 2, 1e6)], [(0, 1)], id="all to one"),
        pytest.param([(0, 4, 1e6), (1, 5, 1e6)], [(0, 2), (1, 2)], id="a join has two inputs"),
        pytest.param([], [(0, 1)], id="nothing sent"),
    ],
)
def test_other_edges_stay(traffic, streams) -> None:
    assert found(chained(traffic, streams=streams), "one-to-one edge") == []


def test_waiting_for_rows_is_a_matter_of_links() -> None:
    slow = seen("a: 10 10 | b: 10 10", busy_s=100.0, wait_s=30.0)
    (finding,) = found(slow, "short of network")
    assert (finding.cost, finding.win) == (pytest.approx(30.0), None)
    assert "fewer bytes" in finding.remedy
    assert found(seen("a: 10 | b: 10", busy_s=100.0, wait_s=10.0), "short of network") == []


def test_where_key_groups_talk_they_can_be_gathered() -> None:
    asked = request([10.0] * 4, [0, 1, 1, 0], operators=[2, 2], traffic=[(0, 2, 9.0), (1, 3, 9.0)])
    (finding,) = found(Evidence(asked.snapshot, busy_s=10.0, wait_s=5.0), "short of network")
    assert finding.win == pytest.approx(50.0)
    assert 'planner="joint"' in finding.remedy


def remembering(memory: float, load: float, **more) -> Evidence:
    asked = request([load, load], [0, 1], memory=[memory, 1.0])
    return Evidence(asked.snapshot, **more)


def test_state_that_fills_the_heap_goes_to_disk() -> None:
    (finding,) = found(remembering(80.0, 20.0, settings={PROVIDER: HDFS_BACKED}), "short of memory")
    assert (finding.executor, finding.setting) == ("n0", PROVIDER)
    assert (finding.cost, finding.unit) == (80.0, "% of memory")
    (elsewhere,) = found(remembering(80.0, 20.0, settings={PROVIDER: "mine"}), "short of memory")
    assert elsewhere.setting is None


@pytest.mark.parametrize(("memory", "load"), [(40.0, 20.0), (80.0, 90.0)])
def test_memory_that_is_not_the_shortest_is_left_alone(memory: float, load: float) -> None:
    assert found(remembering(memory, load), "short of memory") == []


def test_a_slow_executor_is_named_with_what_it_costs_even_when_placed_well() -> None:
    (finding,) = found(seen("a: 20 20 | b: 20 20 | c(x0.5): 20"), "slow executor")
    assert finding.executor == "c"
    assert finding.cost == pytest.approx(10 / 40 * (100 / 2.5 - 100 / 3))
    assert "50%" in finding.sentence


@pytest.mark.parametrize(
    "drawing",
    [
        pytest.param("a: 20 20 | b: 20 20 | c(x0.9): 20", id="a little slower"),
        pytest.param("a(x1, 4 slots): 9 9 9 9 | b(x0.5, 2 slots): 9 9", id="only smaller"),
        pytest.param("a: 20 20 | b: 20 20 | c(x0.5, draining): 20", id="on its way out"),
    ],
)
def test_an_executor_that_does_its_part_is_left_alone(drawing: str) -> None:
    assert found(seen(drawing), "slow executor") == []


def test_an_interval_that_no_placement_keeps_says_how_many_executors_would() -> None:
    late = seen("a: 20 20 20 | b: 20 20 20", beside_s=1.0, interval_s=7.0)
    # 9 s of work on two executors; 6 s are left for it.
    (finding,) = found(late, "trigger interval")
    assert finding.cost == pytest.approx(3.0)
    assert "3 executors of this kind instead of 2" in finding.remedy
    assert "interval to 10 s" in finding.remedy


def test_where_one_key_group_is_too_long_executors_do_not_help() -> None:
    (finding,) = found(seen("a: 60 | b: 5 5", interval_s=8.0), "trigger interval")
    assert "split the largest key groups first" in finding.remedy


def test_where_a_batch_passes_beside_its_key_groups_only_time_helps() -> None:
    (finding,) = found(seen("a: 6 | b: 6", beside_s=9.0, interval_s=8.0), "trigger interval")
    assert "beside all key groups" in finding.remedy


@pytest.mark.parametrize(
    "more", [{"interval_s": 8.0}, {"interval_s": None}, {"batch_s": None, "interval_s": 1.0}]
)
def test_an_interval_that_a_placement_keeps_is_a_matter_of_placement(more) -> None:
    assert found(seen("a: 20 20 20 20 | b: 20 20", **more), "trigger interval") == []


def files(**more: str) -> Evidence:
    costs = (TaskCost(stage=0, task_s=0.15, fixed_s=0.12),)
    settings = {FILE_MANAGER: "", CHECKPOINT_SCHEME: "file", PROVIDER: ROCKS, CHANGELOG: "true"}
    return seen("a: 5 5 | b: 5 5", task_costs=costs, settings={**settings, **more})


def test_a_file_manager_that_starts_processes_is_named() -> None:
    (finding,) = found(files(), "checkpoint files")
    assert finding.setting == FILE_MANAGER
    assert QUICK_FILES in finding.remedy
    assert finding.cost == pytest.approx(4 * 0.12 / 2)
    assert finding.win == pytest.approx(4 * 0.05 / 2)


def test_a_file_manager_that_costs_nothing_is_left_alone() -> None:
    assert found(files(**{FILE_MANAGER: QUICK_FILES}), "checkpoint files") == []
    assert found(files(**{CHECKPOINT_SCHEME: "s3a"}), "checkpoint files") == []
    cheap = (TaskCost(stage=0, task_s=0.15, fixed_s=0.05),)
    evidence = seen("a: 5 | b: 5", task_costs=cheap, settings=files().settings)
    assert found(evidence, "checkpoint files") == []
    assert found(seen("a: 5 | b: 5"), "checkpoint files") == []


def test_a_store_that_uploads_snapshots_is_named_where_tasks_are_dear() -> None:
    (finding,) = found(files(**{CHANGELOG: "false"}), "state snapshots")
    assert (finding.setting, finding.win) == (CHANGELOG, None)
    assert found(files(), "state snapshots") == []
    assert found(files(**{CHANGELOG: "false", PROVIDER: HDFS_BACKED}), "state snapshots") == []


def test_speculation_is_told_what_it_cost() -> None:
    on = {SPECULATION: "true"}
    evidence = seen("a: 5 5 | b: 5 5", settings=on, judged=200, compliant=190)
    (finding,) = found(evidence, "speculation")
    assert (finding.cost, finding.unit) == (pytest.approx(5.0), "% of tasks")
    off = seen("a: 5 5 | b: 5 5", settings={SPECULATION: "false"}, judged=200, compliant=190)
    assert found(off, "speculation") == []


def test_state_that_wanders_by_itself_needs_a_longer_wait() -> None:
    (finding,) = found(seen("a: 5 | b: 5", wandering=0.3, settings={WAIT: "0s"}), "locality wait")
    assert finding.cost == pytest.approx(30.0)
    assert "wait 0s" in finding.sentence


@pytest.mark.parametrize(
    "more",
    [
        {"wandering": 0.01},
        {"wandering": 0.3, "judged": 10, "compliant": 10},
        {"wandering": 0.3, "settings": {SPECULATION: "true"}},
    ],
)
def test_state_that_stays_or_has_another_reason_to_go_is_left_alone(more) -> None:
    assert found(seen("a: 5 | b: 5", **more), "locality wait") == []


def test_where_no_wait_does_as_well_as_plans_that_is_told() -> None:
    (finding,) = found(seen("a: 5 | b: 5", impatience=(3.0, 1.0, 1.06)), "needless wait")
    assert IMPATIENT in finding.sentence
    assert finding.cost == pytest.approx(3.0)
    for ratios in ((), (1.0,), (1.0, 1.0, 1.2, 1.2)):
        assert found(seen("a: 5 | b: 5", impatience=ratios), "needless wait") == []
