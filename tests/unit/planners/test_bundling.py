"""Steps 2 and 3 of ALBIC: what stays together, how it is split, where a pair meets."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from albic.model import BudgetUnit, Outcome, SearchReport, metrics, plan_for, violations
from albic.planners.affinity import Pairs, heavy_pairs
from albic.planners.bundling import Gathering, Joined, collocated_sets, split
from albic.planners.problem import allocation_of, problem_of
from tests.strategies import small_requests
from tests.worlds import world


def pairs(*ends):
    """Return these pairs; their rates do not matter here."""
    ups, downs = ([end[side] for end in ends] for side in (0, 1))
    return Pairs(np.array(ups, dtype=int), np.array(downs, dtype=int), np.ones(len(ends)))


def sets_of(home, *ends):
    return [members.tolist() for members in collocated_sets(pairs(*ends), np.array(home))]


def parts_of(asked, max_part_load_pct):
    everything = np.arange(asked.snapshot.topology.key_groups)
    return [part.tolist() for part in split([everything], asked, max_part_load_pct)]


def gathered(asked, *sets):
    return Gathering(asked, [np.array(members) for members in sets])


def drawing_of(gathering):
    """Return the units of several key groups as {members: node or None}."""
    bundles = gathering.bundles()
    pins = dict(bundles.pinned)
    members = {unit: np.flatnonzero(bundles.unit_of == unit) for unit in range(bundles.units)}
    return {tuple(m.tolist()): pins.get(unit) for unit, m in members.items() if m.size > 1}


def test_pairs_that_share_a_key_group_make_one_set() -> None:
    assert sets_of([0, 0, 0, 0, 0], (0, 2), (1, 2), (3, 4)) == [[0, 1, 2], [3, 4]]


def test_pairs_on_two_nodes_are_left_out() -> None:
    assert sets_of([0, 1, 0, 1], (0, 1), (2, 3), (0, 2)) == [[0, 2]]


def test_there_may_be_none() -> None:
    assert sets_of([0, 0]) == []


def test_a_light_and_cheap_set_stays_whole() -> None:
    assert parts_of(world("a: 10 10 5", budget=3), 25.0) == [[0, 1, 2]]


def test_a_heavy_set_is_cut_where_little_is_said() -> None:
    links = [(0, 3, 9.0), (1, 2, 9.0), (0, 2, 1.0)]
    asked = world("a: 10 10 10 10", operators=[2, 2], streams=[(0, 1)], traffic=links)
    assert parts_of(asked, 25.0) == [[0, 3], [1, 2]]


TWO_TALKING_PAIRS = {
    "operators": [2, 2],
    "streams": [(0, 1)],
    "traffic": [(0, 2, 9.0), (1, 3, 9.0)],
}


def test_where_cost_is_the_tighter_limit_parts_are_even_in_cost() -> None:
    # Even in load, 0 and 2 stay together: 18 of a budget of 12, so a third part is needed.
    cost = {"budget": 12, "unit": BudgetUnit.COST, "state_bytes": [9, 1, 9, 1]}
    assert len(parts_of(world("a: 1 1 1 1", **TWO_TALKING_PAIRS, **cost), 25.0)) == 2


def test_where_load_is_the_tighter_limit_parts_are_even_in_load() -> None:
    assert len(parts_of(world("a: 20 1 20 1", budget=9, **TWO_TALKING_PAIRS), 25.0)) == 2


def test_a_budget_in_moves_bounds_the_number_of_key_groups() -> None:
    assert [len(part) for part in parts_of(world("a: 1 1 1 1 1 1", budget=2), 25.0)] == [2, 2, 2]


def test_without_any_budget_cost_splits_nothing() -> None:
    assert parts_of(world("a: 1 1 1", budget=0), 25.0) == [[0, 1, 2]]


def test_a_key_group_too_heavy_for_any_part_is_alone() -> None:
    assert [0] in parts_of(world("a: 90 1 1"), 25.0)


@given(small_requests(), st.sampled_from([1e-9, 5.0, 25.0]))
def test_no_part_of_several_is_too_heavy_or_too_dear(asked, most) -> None:
    load, charge = metrics.group_loads(asked.snapshot), asked.charge()
    found = parts_of(asked, most)
    assert sorted(group for part in found for group in part) == list(range(load.size))
    for part in found:
        if len(part) > 1:
            assert load[part].sum() <= most * (1 + 1e-5)
            limit = asked.budget.limit
            assert limit == 0 or charge[part].sum() <= limit * (1 + 1e-5)


def test_two_single_groups_meet_on_the_idler_node() -> None:
    gathering = gathered(world("a: 30 | b: 10"))
    assert gathering.bring_together(0, 1) == Joined(0, 1, node=1)
    assert drawing_of(gathering) == {(0, 1): 1}


def test_on_equally_busy_nodes_they_meet_upstream() -> None:
    assert gathered(world("a: 10 | b: 10")).bring_together(1, 0) == Joined(1, 0, node=1)


def test_a_single_group_comes_to_the_one_in_a_set_even_if_busier() -> None:
    gathering = gathered(world("a: 30 30 | b: 10"), [0, 1])
    assert gathering.bring_together(1, 2) == Joined(1, 2, node=0)
    assert drawing_of(gathering) == {(0, 1, 2): 0}


def test_it_does_not_matter_which_end_is_in_the_set() -> None:
    gathering = gathered(world("a: 10 | b: 30 30"), [1, 2])
    assert gathering.bring_together(0, 1) == Joined(0, 1, node=1)


def test_two_sets_meet_whole_on_the_idler_node() -> None:
    gathering = gathered(world("a: 30 30 | b: 10 10"), [0, 1], [2, 3])
    assert gathering.bring_together(1, 2) == Joined(1, 2, node=1)
    assert drawing_of(gathering) == {(0, 1, 2, 3): 1}


def test_other_sets_are_kept_but_not_pinned() -> None:
    gathering = gathered(world("a: 1 1 1 | b: 5"), [0, 1])
    gathering.bring_together(2, 3)
    assert drawing_of(gathering) == {(0, 1): None, (2, 3): 0}


def test_a_pair_that_costs_more_than_the_budget_stays_apart() -> None:
    gathering = gathered(world("a: 30 30 30 | b: 10 10", budget=2), [0, 1, 2], [3, 4])
    assert gathering.bring_together(0, 3) is None
    assert drawing_of(gathering) == {(0, 1, 2): None, (3, 4): None}


def test_a_pair_that_would_not_fit_into_memory_stays_apart() -> None:
    asked = world("a: 50 | b: 30", memory=[25, 25], limits_pct=np.array([100, 40, 100]))
    assert gathered(asked).bring_together(0, 1) is None


def test_load_itself_is_no_limit() -> None:
    assert gathered(world("a: 90 | b: 80")).bring_together(0, 1) == Joined(0, 1, node=1)


def test_earlier_pairs_use_up_the_budget() -> None:
    gathering = gathered(world("a: 9 9 | b: 5 5", budget=1))
    assert gathering.bring_together(0, 2) is not None
    assert gathering.bring_together(1, 3) is None


def test_earlier_pairs_fill_the_nodes() -> None:
    # After 12 has come to c it is no longer the idler of a and c.
    gathering = gathered(world("a: 10 | b: 12 30 | c: 1 1"))
    assert gathering.bring_together(1, 3) == Joined(1, 3, node=2)
    assert gathering.bring_together(0, 4) == Joined(0, 4, node=0)


def test_earlier_pairs_fill_the_memory() -> None:
    memory = {"memory": [10, 10, 10, 10], "limits_pct": np.array([100, 30, 100])}
    gathering = gathered(world("a: 30 60 | b: 10 10", **memory))
    assert gathering.bring_together(0, 2) is not None
    assert gathering.bring_together(1, 3) is None


def test_a_third_group_comes_to_where_the_pair_has_met() -> None:
    gathering = gathered(world("a: 30 | b: 10 | c: 1"))
    gathering.bring_together(0, 1)
    assert gathering.bring_together(1, 2) == Joined(1, 2, node=1)
    assert drawing_of(gathering) == {(0, 1, 2): 1}


def test_even_a_set_on_an_idler_node_comes_to_where_the_pair_has_met() -> None:
    gathering = gathered(world("a: 30 | b: 10 | c: 1 1"), [2, 3])
    gathering.bring_together(0, 1)
    assert gathering.bring_together(1, 2) == Joined(1, 2, node=1)


def test_two_pairs_that_have_met_elsewhere_stay_there() -> None:
    gathering = gathered(world("a: 9 | b: 5 | c: 9 | d: 5"))
    gathering.bring_together(0, 1)
    gathering.bring_together(2, 3)
    assert gathering.bring_together(1, 2) is None


def test_a_pair_that_is_together_by_now_needs_nothing() -> None:
    gathering = gathered(world("a: 9 9 | b: 5"), [0, 1])
    gathering.bring_together(0, 2)
    assert gathering.bring_together(1, 2) is None


def test_the_pair_meets_on_the_node_that_stays() -> None:
    gathering = gathered(world("a: 50 | b(draining): 5"))
    assert gathering.bring_together(0, 1) == Joined(0, 1, node=0)


def test_even_a_set_leaves_a_draining_node() -> None:
    gathering = gathered(world("a: 50 | b(draining): 5 5"), [1, 2])
    assert gathering.bring_together(0, 1) == Joined(0, 1, node=0)


def test_a_pair_on_two_draining_nodes_waits() -> None:
    asked = world("a: 50 | b(draining): 5 | c(draining): 5")
    assert gathered(asked).bring_together(1, 2) is None


def test_until_all_have_left_only_they_may_use_the_budget() -> None:
    gathering = gathered(world("a: 50 | b: 20 | c(draining): 5"))
    assert gathering.bring_together(0, 1) is None
    assert gathering.bring_together(0, 2) == Joined(0, 2, node=0)
    assert gathering.bring_together(0, 1) == Joined(0, 1, node=0)


@given(small_requests(), st.randoms())
def test_the_pins_alone_break_no_rule(asked, random) -> None:
    found = heavy_pairs(asked.snapshot, 1.5)
    sets = collocated_sets(found, asked.snapshot.allocation.owner)
    gathering = Gathering(asked, sets)
    ends = list(zip(found.upstream.tolist(), found.downstream.tolist(), strict=True))
    random.shuffle(ends)
    for up, down in ends:
        gathering.bring_together(up, down)
    bundles = gathering.bundles()
    bundled = replace(asked, bundles=bundles)
    target = allocation_of(bundled, problem_of(bundled).home)
    plan = plan_for(bundled, target, SearchReport("pins", Outcome.HEURISTIC, ""))
    assert violations(plan, bundled) == []
