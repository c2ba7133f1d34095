"""Ctrl-C stops what the user waits for, and nothing else."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from tests.spark.conftest import PATIENCE_S, counts

TIMES = 12


def interrupted(work: Callable[[], object], after_s: float) -> None:
    """Do something again and again until Ctrl-C, which comes once, stops it."""

    def work_on() -> None:
        ends_s = time.monotonic() + PATIENCE_S
        pressed = threading.Timer(after_s, os.kill, (os.getpid(), signal.SIGINT))
        pressed.start()
        while time.monotonic() < ends_s:
            work()

    with pytest.raises(KeyboardInterrupt):
        work_on()


@contextmanager
def calling(work: Callable[[], object]) -> Iterator[None]:
    """Do something again and again in another thread; it must not fail."""
    over, wrong = threading.Event(), []

    def call() -> None:
        while not over.is_set():
            try:
                work()
            except Exception as error:  # noqa: BLE001  told below
                wrong.append(error)
            time.sleep(0.01)

    other = threading.Thread(target=call)
    other.start()
    try:
        yield
    finally:
        over.set()
        other.join(PATIENCE_S)
    assert not wrong


def test_calls_work_after_an_interrupt_and_those_of_other_threads_go_on(bridge) -> None:
    there = bridge.executor_ids()
    with calling(bridge.executor_ids):
        for number in range(TIMES):
            interrupted(bridge.executor_ids, 0.02 * number)
            assert bridge.executor_ids() == there


def test_a_call_that_waits_for_ever_is_cut_off_without_a_word(spark, watch, bridge, caplog) -> None:
    watched = watch(counts(spark), "waited_for", "complete")
    with calling(bridge.executor_ids):
        interrupted(watched.query.awaitTermination, 0.2)
        assert watched.query.isActive
        watched.batches(2)
    assert "KeyboardInterrupt" not in caplog.text
