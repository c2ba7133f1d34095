"""A plan is cut into stages at its exchanges, and each stage with state is an operator."""

import pytest

from albic.model import InvalidInput, Operator, Topology
from albic.spark.bridge import NodeState, PlanNode
from albic.spark.operators import JOIN_STORES, runs_python, shape, topology


def node(kind, *children, operator=None, version=0):
    state = None if operator is None else NodeState("file:/c/state", operator, 4, version)
    return PlanNode(kind, kind == "ShuffleExchangeExec", state, children)


def exchange(child):
    return node("ShuffleExchangeExec", child)


SCAN = node("MicroBatchScanExec")


def aggregate(child, operator):
    restore = node("StateStoreRestoreExec", exchange(child), operator=operator)
    return node("StateStoreSaveExec", restore, operator=operator)


def join(left, right, operator, version=2):
    sides = (exchange(left), exchange(right))
    return node("StreamingSymmetricHashJoinExec", *sides, operator=operator, version=version)


def test_restore_and_save_are_one_operator_with_one_store() -> None:
    found = shape(node("WriteToDataSourceV2Exec", aggregate(SCAN, 0)), "q", "r")
    (stage,) = found.stages
    assert (stage.name, stage.partitions, stage.stores) == ("aggregate 0", 4, ((0, "default"),))
    assert found.streams == ()


def test_sources_come_before_what_they_feed_and_left_before_right() -> None:
    found = shape(join(aggregate(SCAN, 1), aggregate(SCAN, 2), 0), "q", "r")
    assert [stage.name for stage in found.stages] == ["aggregate 1", "aggregate 2", "join 0"]
    assert found.streams == found.measurable == ((0, 2), (1, 2))


@pytest.mark.parametrize(("version", "names"), [(1, JOIN_STORES), (2, JOIN_STORES)])
def test_a_join_has_four_stores(version, names) -> None:
    found = shape(join(SCAN, SCAN, 0, version), "q", "r")
    assert [store.name for store in found.stores(0, 3)] == list(names)
    assert {store.partition for store in found.stores(0, 3)} == {3}


def test_a_join_has_one_store_from_format_three_on() -> None:
    assert shape(join(SCAN, SCAN, 0, 3), "q", "r").stages[0].stores == ((0, "default"),)


def test_stateful_nodes_without_an_exchange_between_them_move_as_one() -> None:
    both = node("StreamingDeduplicateExec", aggregate(SCAN, 1), operator=0)
    (stage,) = shape(both, "q", "r").stages
    assert stage.name == "aggregate 1 + deduplicate 0"
    assert stage.stores == ((0, "default"), (1, "default"))


def test_a_stateless_stage_between_two_operators_hides_their_traffic() -> None:
    found = shape(aggregate(exchange(aggregate(SCAN, 1)), 0), "q", "r")
    assert found.streams == ((0, 1),)
    assert found.measurable == ()


def test_only_what_reads_from_state_alone_shows_what_key_groups_sent() -> None:
    both = shape(join(aggregate(SCAN, 1), aggregate(SCAN, 2), 0), "q", "r")
    assert both.fed_by_state == (2,)
    half = shape(join(aggregate(SCAN, 1), SCAN, 0), "q", "r")
    assert half.fed_by_state == ()
    assert half.measurable == ((0, 1),)


@pytest.mark.parametrize(
    ("kind", "python"),
    [
        ("TransformWithStateInPySparkExec", True),
        ("FlatMapGroupsInPandasWithStateExec", True),
        ("ArrowEvalPythonExec", True),
        ("HashAggregateExec", False),
    ],
)
def test_python_anywhere_in_a_plan_is_seen(kind, python) -> None:
    below = node("ProjectExec", node(kind))
    assert runs_python(node("StateStoreSaveExec", below)) is python


def test_a_query_without_state_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no stateful operator"):
        shape(node("ProjectExec", SCAN), "q", "r")


def test_queries_are_numbered_one_after_the_other() -> None:
    one = shape(aggregate(aggregate(SCAN, 1), 0), "one", "r")
    two = shape(aggregate(aggregate(SCAN, 1), 0), "", "s")
    both = topology([one, two])
    assert [o.name for o in both.operators][::2] == ["one / aggregate 1", "query 1 / aggregate 1"]
    assert both.streams == ((0, 1), (2, 3))
    assert both.key_groups == 16


def test_a_query_may_bring_better_names_for_its_partitions() -> None:
    own = Topology(
        (Operator("a", 1), Operator("b", 3), Operator("c", 4)), ((0, 2), (1, 2)), stages=(0, 0, 1)
    )
    plain = shape(aggregate(aggregate(SCAN, 1), 0), "plain", "r")
    named = shape(aggregate(aggregate(SCAN, 1), 0), "named", "s", own)
    both = topology([plain, named])
    assert [o.name for o in both.operators][2:] == ["named / a", "named / b", "named / c"]
    assert both.streams == ((0, 1), (2, 4), (3, 4))
    assert both.stages == (0, 1, 2, 2, 3)


@pytest.mark.parametrize("sizes", [(4, 5), (4,), (8,)])
def test_names_for_other_partitions_are_refused(sizes) -> None:
    own = Topology(tuple(Operator(f"o{at}", size) for at, size in enumerate(sizes)))
    with pytest.raises(InvalidInput, match="'q' has stages of 4, 4 partitions"):
        shape(aggregate(aggregate(SCAN, 1), 0), "q", "r", own)
