"""Copies of state are handed over when all of them follow, and given up for a reason."""

import itertools
from dataclasses import replace

import pytest

from albic.spark.bridge import Copy
from albic.spark.copies import PATIENCE_S, Copies
from albic.spark.executors import Executor
from albic.spark.operators import QueryShape, StageInfo
from albic.spark.placement import KeyGroup

HERE, THERE = Executor("1", "a", 1, 0.0), Executor("2", "b", 1, 0.0)
GROUP = KeyGroup(0, 3)
STORES = ((0, "default"), (1, "default"))
SHAPE = QueryShape("q", "run", (StageInfo("count", 4, "file:/s", STORES),), (), ())
LOADED = Copy(
    operator_id=0,
    partition=3,
    name="default",
    run_id="run",
    ticket=0,
    executor_id="2",
    state="following",
    version=7,
    load_s=1.5,
    step_s=0.1,
    why="",
)


@pytest.fixture
def copies(monkeypatch: pytest.MonkeyPatch) -> Copies:
    """Return a key group of two stores that is wanted on an executor."""
    monkeypatch.setattr("albic.spark.copies.TICKETS", itertools.count(LOADED.ticket))
    wanted = Copies(SHAPE)
    wanted.want(GROUP, THERE, now_s=100.0)
    return wanted


def test_a_key_group_is_ready_when_all_its_stores_are(copies: Copies) -> None:
    assert copies.ready() == {}
    copies.heard([LOADED])
    assert copies.ready() == {}
    copies.heard([replace(LOADED, operator_id=1, load_s=0.5)])
    assert copies.ready() == {GROUP: THERE}
    assert copies.prepared_s(GROUP) == 2.0
    copies.forget([GROUP])
    assert not copies
    assert copies.prepared_s(GROUP) == 0.0


def test_a_copy_that_is_still_loading_is_not_ready(copies: Copies) -> None:
    copies.heard([LOADED, replace(LOADED, operator_id=1, state="loading")])
    assert copies.ready() == {}


def test_an_executor_loads_until_all_that_it_prepares_is_ready(copies: Copies) -> None:
    assert copies.loading() == {THERE.id}
    copies.heard([LOADED, replace(LOADED, operator_id=1, state="loading")])
    assert copies.loading() == {THERE.id}
    copies.heard([replace(LOADED, operator_id=1)])
    assert copies.loading() == set()


def test_copies_of_others_say_nothing(copies: Copies) -> None:
    strangers = [
        replace(LOADED, ticket=1),
        replace(LOADED, partition=4),
        replace(LOADED, operator_id=9),
    ]
    copies.heard(strangers)
    assert copies.ready() == {}
    assert copies.given_up(101.0, [HERE, THERE]) == {}


def test_what_fails_takes_too_long_or_is_gone_is_given_up(copies: Copies) -> None:
    assert copies.broken([THERE]) == {}
    assert copies.given_up(101.0, [HERE]) == {GROUP: "executor 2 is gone"}
    assert "within" in copies.given_up(101.0 + PATIENCE_S, [THERE])[GROUP]
    copies.heard([replace(LOADED, state="failed", why="the disk is full")])
    assert copies.given_up(101.0, [THERE]) == {GROUP: "the disk is full"}


def test_targets_are_where_something_is_on_its_way(copies: Copies) -> None:
    assert copies.targets() == {THERE}
    assert copies.all_targets() == {GROUP: THERE}
    assert len(copies) == 1
