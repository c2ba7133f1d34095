"""Moves that are prepared wait for their copies, go together where they must, and fall away."""

import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from albic.spark import prepared_moves as module
from albic.spark.bridge import Copy, Order, Recipe, StoreId
from albic.spark.executors import Executor
from albic.spark.operators import QueryShape, StageInfo
from albic.spark.placement import KeyGroup, Placement
from albic.spark.prepared_moves import Preparing
from tests.unit.spark.test_steering import Coordinator

SHAPE = QueryShape("q", "run", (StageInfo("count", 2, "file:/s", ((0, "default"),)),), (), ())
ONE, TWO = Executor("1", "a", 1, 0.0), Executor("2", "b", 1, 0.0)
FIRST, SECOND = KeyGroup(0, 0), KeyGroup(0, 1)


class Executors:
    """Answers orders as executors do whose copies are in the state that the test says."""

    def __init__(self) -> None:
        self.states = {0: "following", 1: "following"}
        self.orders: list[Order] = []
        self.silent = False
        self._copies: dict[int, Copy] = {}

    def recipes(self, _) -> dict[tuple[int, str], Recipe]:
        return {(0, "default"): Recipe(())}

    def give(self, orders, group: str) -> list[Copy]:  # noqa: ARG002  what the bridge takes
        if self.silent:
            raise RuntimeError("no answer")
        for order in (order for listed in orders.values() for order in listed):
            self.orders.append(order)
            at = order.store.partition
            if order.recipe is not None:
                self._copies[at] = Copy(
                    0, at, "default", "run", order.ticket, "2", "waiting", 5, 1.0, 0.1, ""
                )
        return [replace(copy, state=self.states[at]) for at, copy in self._copies.items()]


@pytest.fixture
def executors(monkeypatch: pytest.MonkeyPatch) -> Executors:
    monkeypatch.setattr(module, "ASK_EVERY_S", 0.01)
    return Executors()


class Answering(Coordinator):
    """Spark's coordinator, with executors whose copies answer a call at once, but for some."""

    def __init__(self) -> None:
        super().__init__()
        self.named: dict[StoreId, str] = {}
        self.deaf: set[int] = set()

    def point(self, stores, host: str, executor_id: str) -> None:
        super().point(stores, host, executor_id)
        for store in stores:
            if store.partition not in self.deaf or store.run_id == SHAPE.run_id:
                self.named[replace(store, run_id=SHAPE.run_id)] = executor_id

    def location(self, store: StoreId) -> str | None:
        return self.named.get(store)

    def forget_stores(self, run_id: str) -> None:
        """Nobody is called any more."""


@pytest.fixture
def placement() -> Placement:
    started = Placement(Answering(), SHAPE)
    started.move_now({FIRST: ONE, SECOND: ONE})
    return started


def until(true: Callable[[], bool]) -> None:
    ends_s = time.monotonic() + 10
    while not true():
        assert time.monotonic() < ends_s
        time.sleep(0.01)


def owners(placement: Placement) -> list[str]:
    return [owner.id for _, owner in sorted(placement.owners().items())]


def test_what_is_ready_is_handed_over_and_what_failed_stays(executors, placement) -> None:
    executors.states[1] = "failed"
    preparing = Preparing(placement._bridge, executors, None, SHAPE, placement)
    assert preparing.begin({FIRST: TWO, SECOND: TWO}, 5, together=False) == {}
    assert placement.held() == {FIRST: TWO, SECOND: TWO}
    until(lambda: preparing.hand_over([ONE, TWO]))
    until(lambda: not placement.held() or preparing.hand_over([ONE, TWO]))
    assert owners(placement) == ["2", "1"]
    assert preparing.took_s(FIRST) == 1.0
    assert preparing.took_s(FIRST) is None, "the next move may be another kind"
    assert preparing.took_s(SECOND) is None
    (told,) = preparing.dropped()
    assert "key group 1 of stage 0 stays" in told
    assert preparing.dropped() == ()


def test_those_that_go_together_wait_for_each_other(executors, placement) -> None:
    executors.states[1] = "loading"
    preparing = Preparing(placement._bridge, executors, None, SHAPE, placement)
    preparing.begin({FIRST: TWO, SECOND: TWO}, 5, together=True)
    until(lambda: len(executors.orders) == 2)
    time.sleep(0.1)
    assert not preparing.hand_over([ONE, TWO])
    executors.states[1] = "following"
    until(lambda: len(preparing.hand_over([ONE, TWO])) == 2)
    assert owners(placement) == ["2", "2"]


def test_an_owner_stays_until_the_copy_has_answered(executors, placement) -> None:
    coordinator = placement._bridge
    coordinator.deaf = {1}
    preparing = Preparing(coordinator, executors, None, SHAPE, placement)
    preparing.begin({FIRST: TWO, SECOND: TWO}, 5, together=True)
    until(lambda: preparing.hand_over([ONE, TWO]) == (FIRST,))
    assert owners(placement) == ["2", "1"]
    assert placement.held() == {SECOND: TWO}
    coordinator.named[SHAPE.stores(*SECOND)[0]] = "2"
    assert preparing.hand_over([ONE, TWO]) == (SECOND,)
    assert owners(placement) == ["2", "2"]


def test_a_new_plan_and_the_end_leave_what_was_under_way(executors, placement) -> None:
    executors.states[0] = "loading"
    preparing = Preparing(placement._bridge, executors, None, SHAPE, placement)
    preparing.begin({FIRST: TWO}, 5, together=False)
    preparing.begin({SECOND: TWO}, 6, together=False)
    assert placement.held() == {SECOND: TWO}
    until(lambda: preparing.hand_over([ONE, TWO]))
    preparing.stop()
    assert placement.held() == {}
    until(lambda: len(executors.orders) >= 2)
    assert [o.store.partition for o in executors.orders if o.recipe is None] == [0]


def test_executors_that_do_not_answer_end_it_for_good(executors, placement) -> None:
    executors.silent = True
    preparing = Preparing(placement._bridge, executors, None, SHAPE, placement)
    preparing.begin({FIRST: TWO}, 5, together=False)
    until(lambda: not preparing.hand_over([ONE, TWO]) and not placement.held())
    assert preparing.begin({FIRST: TWO}, 5, together=False) == {FIRST: TWO}
    assert owners(placement) == ["1", "1"]


def test_where_spark_does_not_say_how_stores_are_opened_moves_go_without(
    executors, placement, monkeypatch, caplog
) -> None:
    def unknown(_) -> None:
        raise RuntimeError("no such method\n  at java...")

    monkeypatch.setattr(executors, "recipes", unknown)
    preparing = Preparing(placement._bridge, executors, None, SHAPE, placement)
    for _ in range(2):
        assert preparing.begin({FIRST: TWO}, 5, together=False) == {FIRST: TWO}
    assert caplog.text.count("does not tell how stores are opened: no such method") == 1
