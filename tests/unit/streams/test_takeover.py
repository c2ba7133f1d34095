"""Who takes over from whom when a network changes, and what is refused."""

import pytest

from albic.model import InvalidInput
from albic.streams.packing import UNKNOWN
from albic.streams.state import About
from albic.streams.takeover import Address, address, heritage
from tests.unit.streams.conftest import network, operator, source


def stored(name, groups=2, tables=("sums",), sources=("numbers",), reached=(7,)) -> list:
    return [
        About(name, group, groups, list(reached), 10, 5, 1, list(sources), 100, list(tables))
        for group in range(groups)
    ]


def taken_over(operators, before, renamed=None, sources=None, chain="auto"):
    made = network(operators, sources)
    return heritage(
        made.sources, made.operators, made.layout(chain), before, {} if renamed is None else renamed
    )


def test_key_groups_take_over_from_those_of_the_same_name_and_number() -> None:
    found = taken_over([operator("a"), operator("b", "a")], [*stored("a"), *stored("b")])
    names = [(heir.operator, heir.share.key_group) for heir in found.heirs]
    assert names == [("a", 0), ("a", 1), ("b", 0), ("b", 1)]
    assert found.takers == {("a", 0): (0,), ("a", 1): (1,), ("b", 0): (2,), ("b", 1): (3,)}
    assert all(heir.division is None for heir in found.heirs)


def test_names_may_be_swapped() -> None:
    operators = [operator("a"), operator("b", "a")]
    found = taken_over(operators, [*stored("a"), *stored("b")], {"a": "b", "b": "a"})
    assert found.takers == {("b", 0): (0,), ("b", 1): (1,), ("a", 0): (2,), ("a", 1): (3,)}


def test_what_is_gone_has_no_heir_and_what_is_new_no_heritage() -> None:
    found = taken_over([operator("a"), operator("new", "a")], [*stored("a"), *stored("gone")])
    assert found.takers == {("a", 0): (0,), ("a", 1): (1,)}
    assert len(found.heirs) == 4


def test_watermarks_belong_to_sources_by_their_names() -> None:
    before = stored("a", sources=("x", "y"), reached=(3, 4))
    sources = [source("late"), source("y"), source("z")]
    operators = [operator("a", ["late", "y", "z"])]
    found = taken_over(operators, before, {"x": "late"}, sources)
    assert found.sources == ("late", "y", "z")
    assert found.watermarks == (3, 4, UNKNOWN)


def test_watermarks_belong_to_sources_by_their_order_where_names_are_unknown() -> None:
    assert taken_over([operator("a")], stored("a", sources=())).watermarks == (7,)


def test_state_lies_by_stage_label_and_place_in_the_chain() -> None:
    operators = [operator("a", keeps_key=True), operator("b", "a", keeps_key=True)]
    chained, alone = network(operators).layout(), network(operators).layout("never")
    labels = alone.labels()
    assert address(chained, 1, 1) == Address(1, labels[1], 1)
    assert address(alone, 1, 1) == Address(2, labels[1], 0)


@pytest.mark.parametrize(
    ("operators", "renamed", "says"),
    [
        pytest.param(
            [operator("a")], {"c": "a"}, "'c' cannot be renamed: .* no such", id="unknown"
        ),
        pytest.param(
            [operator("a")], {"b": "x"}, "'b' is renamed to 'x', which is not", id="to none"
        ),
        pytest.param(
            [operator("c")], {"a": "c", "b": "c"}, "'a' and 'b' would both become 'c'", id="to one"
        ),
        pytest.param([operator("b")], {"a": "b"}, "'a' and 'b' would both become 'b'", id="taken"),
        pytest.param(
            [operator("a", key_groups=4)],
            {},
            "operator 'a' had 2 key groups and now has 4; .* split",
            id="no split",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused(operators, renamed, says) -> None:
    with pytest.raises(InvalidInput, match=says):
        taken_over(operators, [*stored("a"), *stored("b")], renamed)


def test_an_operator_without_state_needs_no_split() -> None:
    found = taken_over([operator("a", key_groups=4)], stored("a", tables=()))
    assert found.takers == {("a", 0): (0, 2), ("a", 1): (1, 3)}
