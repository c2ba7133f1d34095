"""The values refuse what cannot be, and keep what they are given."""

import numpy as np
import pytest
import scipy.sparse as sp

from albic.model import (
    Allocation,
    Budget,
    Bundles,
    Cluster,
    InvalidInput,
    Node,
    NodeState,
    Operator,
    Outcome,
    Period,
    PlanRejected,
    SearchReport,
    Topology,
    plan_for,
)
from tests.worlds import request, world

A, B = Operator("a", 2), Operator("b", 3)


class TestTopology:
    def test_key_groups_are_numbered_operator_after_operator(self):
        topology = Topology((A, B), ((0, 1),))
        assert topology.key_groups == 5
        assert topology.offsets().tolist() == [0, 2, 5]
        assert topology.operator_of().tolist() == [0, 0, 1, 1, 1]

    def test_an_operator_is_listed_downstream_once(self):
        operators = (A, B, Operator("c", 1))
        topology = Topology(operators, ((0, 2), (0, 1), (0, 2)))
        assert topology.downstream(0) == (2, 1)
        assert topology.downstream(1) == ()

    @pytest.mark.parametrize(
        ("operators", "streams", "told"),
        [
            ((), (), "operators is empty"),
            ((A, Operator("a", 1)), (), r"operators\[1\]: the name 'a' is used twice"),
            ((A, B), ((0, 2),), r"streams\[0\] names operator 2; there are 2"),
            ((A, B), ((0, -1),), r"streams\[0\] names operator -1"),
            ((A, B), ((0, 1), (1, 0)), "cycle through 'a', 'b'"),
            ((A,), ((0, 0),), "cycle through 'a'"),
        ],
    )
    def test_what_is_no_job_is_refused(self, operators, streams, told):
        with pytest.raises(InvalidInput, match=told):
            Topology(operators, streams)

    def test_operators_of_one_stage_run_at_the_same_time(self):
        topology = Topology((A, B, Operator("c", 1)), (), stages=(0, 0, 1))
        assert topology.stage_count == 2
        assert topology.stage_of().tolist() == [0, 0, 0, 0, 0, 1]
        alone = Topology((A, B))
        assert alone.stage_count == 2
        assert alone.stage_of().tolist() == [0, 0, 1, 1, 1]
        assert Topology((A, B), stages=(0, 1)) == alone

    @pytest.mark.parametrize(
        ("stages", "told"),
        [((0,), "stages has 1 entries; there are 2"), ((0, 2), "from 0"), ((-1, 0), "from 0")],
    )
    def test_stages_that_cannot_be_are_refused(self, stages, told):
        with pytest.raises(InvalidInput, match=told):
            Topology((A, B), stages=stages)

    def test_an_operator_without_key_groups_is_refused(self):
        with pytest.raises(InvalidInput, match="operator 'x' has 0 key groups"):
            Operator("x", 0)


class TestCluster:
    def test_capacities_and_draining_nodes_are_by_position(self):
        cluster = Cluster((Node("a", 2.0), Node("b", state=NodeState.DRAINING)))
        assert cluster.capacities().tolist() == [2, 1]
        assert cluster.draining().tolist() == [False, True]

    @pytest.mark.parametrize("capacity", [0.0, -1.0, np.inf, np.nan])
    def test_a_capacity_is_a_number_above_zero(self, capacity):
        with pytest.raises(InvalidInput, match="node 'a' has capacity"):
            Node("a", capacity)

    @pytest.mark.parametrize(
        ("nodes", "told"),
        [
            ((), "nodes is empty"),
            ((Node("a"), Node("a")), r"nodes\[1\]: the id 'a' is used twice"),
            ((Node("a", state=NodeState.DRAINING),), "every node is draining"),
        ],
    )
    def test_what_is_no_cluster_is_refused(self, nodes, told):
        with pytest.raises(InvalidInput, match=told):
            Cluster(nodes)


class TestSnapshot:
    def test_its_arrays_are_its_own_and_cannot_be_written(self):
        loads = [1.0, 2.0]
        snapshot = request(loads, [0, 1], traffic=[(0, 1, 3.0)]).snapshot
        for array in (
            snapshot.usage,
            snapshot.state_bytes,
            snapshot.background,
            snapshot.traffic.data,
            snapshot.allocation.owner,
        ):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 9

    def test_traffic_listed_twice_is_added_up(self):
        snapshot = request([1, 1], [0, 0], traffic=[(0, 1, 3.0), (0, 1, 4.0)]).snapshot
        assert snapshot.traffic.nnz == 1
        assert snapshot.traffic[0, 1] == 7

    @pytest.mark.parametrize(
        ("changed", "told"),
        [
            ({"home": [0, 2]}, r"owner\[1\] is node 2; there are 2"),
            ({"home": [0, -1]}, r"owner\[1\] is node -1"),
            ({"home": [0]}, "owner has shape"),
            ({"loads": [1, np.nan]}, r"usage.cpu\[1\] is nan"),
            ({"loads": [-1, 1]}, r"usage.cpu\[0\] is -1"),
            ({"memory": [1, np.inf]}, r"usage.memory\[1\] is inf"),
            ({"background": [1.0]}, "background has shape"),
            ({"background": [1.0, -2.0]}, r"background\[1\] is -2"),
            ({"state_bytes": [1]}, "state_bytes has shape"),
            ({"state_bytes": [1, -1]}, r"state_bytes\[1\] is -1"),
            ({"traffic": [(0, 1, -3.0)]}, r"traffic.bytes_per_s\[0\] is -3"),
        ],
    )
    def test_measurements_that_cannot_be_are_refused(self, changed, told):
        with pytest.raises(InvalidInput, match=told):
            request(**{"loads": [1, 1], "home": [0, 1], "nodes": 2, **changed})

    @pytest.mark.parametrize("ends", [(0.0, 0.0), (5.0, 1.0), (0.0, np.inf), (np.nan, 1.0)])
    def test_a_period_has_a_length(self, ends):
        with pytest.raises(InvalidInput, match="period"):
            Period(*ends)


class TestBundles:
    def test_units_are_numbered_without_gaps_and_the_rest_are_alone(self):
        bundles = Bundles.of(5, [[3, 1]], [(3, 2)])
        assert bundles.unit_of.tolist() == [0, 1, 2, 1, 3]
        assert bundles.units == 4
        assert bundles.pinned == ((1, 2),)

    def test_a_unit_is_at_home_where_it_lies_or_where_it_is_pinned(self):
        bundles = Bundles.of(3, [[0, 1]], [(2, 0)])
        assert bundles.home(Allocation([1, 1, 1]), 2).tolist() == [1, 0]

    def test_a_torn_unit_needs_a_pin(self):
        with pytest.raises(InvalidInput, match="bundle 0 lies on several nodes"):
            Bundles.of(2, [[0, 1]]).home(Allocation([0, 1]), 2)
        pinned = Bundles.of(2, [[0, 1]], [(0, 1)])
        assert pinned.home(Allocation([0, 1]), 2).tolist() == [1]

    def test_a_pin_to_a_node_that_does_not_exist_is_refused(self):
        with pytest.raises(InvalidInput, match="pinned to node 2; there are 2"):
            Bundles.of(2, pinned=[(0, 2)]).home(Allocation([0, 1]), 2)


class TestPlanRequest:
    @pytest.mark.parametrize(
        ("asked", "told"),
        [
            ({"budget": -1}, "migration budget is -1"),
            ({"budget": np.nan}, "migration budget is nan"),
            ({"time_limit_s": 0}, "time limit is 0 s"),
            ({"time_limit_s": np.inf}, "time limit is inf s"),
            ({"cost_per_byte": -1}, "cost per byte is -1"),
            ({"max_load_distance_pct": np.nan}, "maximum load distance is nan"),
            ({"drain_weight": np.inf}, "drain weight is inf"),
            ({"target_distance_pct": -0.5}, "target distance is -0.5"),
            ({"limits_pct": [100, 0, 100]}, "limits must be above 0"),
            ({"limits_pct": [100, np.nan, 100]}, "limits must be above 0"),
            ({"seed": -1}, "seed is -1"),
            ({"seed": 2**63}, "seed is"),
        ],
    )
    def test_settings_that_make_no_sense_are_refused(self, asked, told):
        with pytest.raises(InvalidInput, match=told):
            world("a: 1 | b: 1", **asked)

    def test_a_budget_in_moves_charges_one_each_and_one_in_cost_the_state(self):
        sizes = {"state_bytes": [5, 7], "cost_per_byte": 2.0}
        assert world("a: 1 1", **sizes).charge().tolist() == [1, 1]
        assert world("a: 1 1", unit="cost", **sizes).charge().tolist() == [10, 14]

    def test_an_unlimited_budget_is_one(self):
        assert Budget(np.inf).limit == np.inf


class TestPlan:
    def test_its_moves_lead_to_the_target_with_their_cost(self):
        asked = world("a: 1 2 | b: 3", state_bytes=[4, 5, 6], generation=7)
        report = SearchReport("test", Outcome.HEURISTIC, "why", bound=1.0, floor=0.5)
        plan = plan_for(asked, Allocation([1, 0, 0]), report)
        assert [(m.key_group, m.source, m.target, m.cost) for m in plan.moves] == [
            (0, 0, 1, 4.0),
            (2, 1, 0, 6.0),
        ]
        assert (plan.generation, plan.planner, plan.reason) == (7, "test", "why")
        assert (plan.outcome, plan.bound, plan.floor) == (Outcome.HEURISTIC, 1.0, 0.5)

    @pytest.mark.parametrize(
        ("outcome", "told"),
        [
            (Outcome.HEURISTIC, Outcome.UNCHANGED),
            (Outcome.TIME_LIMIT, Outcome.UNCHANGED),
            (Outcome.OPTIMAL, Outcome.OPTIMAL),
        ],
    )
    def test_a_plan_without_moves_is_unchanged_unless_that_is_proven_best(self, outcome, told):
        asked = world("a: 1 | b: 1")
        plan = plan_for(asked, asked.snapshot.allocation, SearchReport("test", outcome, ""))
        assert plan.outcome is told

    def test_a_rejected_plan_lists_every_finding(self):
        rejected = PlanRejected(["over budget", "stale"])
        assert rejected.findings == ("over budget", "stale")
        assert str(rejected) == "over budget; stale"


def test_traffic_of_another_shape_is_refused():
    snapshot = request([1, 1], [0, 1]).snapshot
    with pytest.raises(InvalidInput, match="traffic has shape"):
        type(snapshot)(
            snapshot.period,
            snapshot.topology,
            snapshot.cluster,
            snapshot.allocation,
            snapshot.usage,
            snapshot.state_bytes,
            sp.csr_array((3, 3)),
            snapshot.background,
        )
