"""Where second copies of state go: beside their owners, spread out, as far as there is room."""

import pytest

from albic.spark import standby
from albic.spark.executors import Executor
from albic.spark.placement import KeyGroup
from albic.spark.standby import chosen

ONE, TWO, THREE = (Executor(each, f"host{each}", 1, 0.0) for each in "123")
GROUPS = [KeyGroup(0, partition) for partition in range(4)]
SIZES = dict.fromkeys(GROUPS, 10)


def test_what_one_owner_has_goes_to_all_others() -> None:
    found = chosen(SIZES, dict.fromkeys(GROUPS, ONE), [ONE, TWO, THREE], {})
    assert sorted(executor.id for executor in found.values()) == ["2", "2", "3", "3"]


def test_a_copy_lies_on_another_host_if_there_is_one() -> None:
    beside = Executor("4", ONE.host, 1, 0.0)
    found = chosen(SIZES, dict.fromkeys(GROUPS, ONE), [ONE, beside, TWO], {})
    assert set(found.values()) == {TWO}
    assert set(chosen(SIZES, dict.fromkeys(GROUPS, ONE), [ONE, beside], {}).values()) == {beside}


def test_there_is_none_without_another_executor() -> None:
    assert chosen(SIZES, dict.fromkeys(GROUPS, ONE), [ONE], {}) == {}


def test_a_copy_stays_unless_its_executor_became_the_owner() -> None:
    owners = {**dict.fromkeys(GROUPS, ONE), GROUPS[0]: TWO}
    found = chosen(SIZES, owners, [ONE, TWO, THREE], dict.fromkeys(GROUPS, TWO))
    assert found[GROUPS[0]] != TWO
    assert {found[group] for group in GROUPS[1:]} == {TWO}


def test_the_largest_come_first_where_there_is_no_room_for_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes = {group: 10 * (1 + group.partition) for group in GROUPS}
    monkeypatch.setattr(standby, "MOST_BYTES", 75)
    assert set(chosen(sizes, dict.fromkeys(GROUPS, ONE), [ONE, TWO], {})) == set(GROUPS[2:])
    monkeypatch.setattr(standby, "MOST_COPIES", 1)
    assert set(chosen(sizes, dict.fromkeys(GROUPS, ONE), [ONE, TWO], {})) == {GROUPS[3]}
