"""One line added to a running query: it is measured, planned and moved, and stays exact."""

import threading
import time
from collections.abc import Callable

import pytest
from pyspark.sql import functions as fn

import albic
from albic.control import Settings, read_journal
from albic.control.adaptation import rehearsal
from albic.control.journal import Status
from albic.model import InvalidInput
from albic.planners import PLANNERS
from tests.spark.conftest import PATIENCE_S, counts, exact_counts, numbers


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    """Compile the planner first, which takes long once after an installation."""
    PLANNERS["search"]().plan(rehearsal(Settings()))


def skewed(spark):
    """Return counts whose tasks take long for a few of the keys."""
    cost_ms = fn.when(fn.col("key") < 5, 60).otherwise(10).cast("long")
    spent = fn.expr("reflect('java.lang.Thread', 'sleep', cost_ms) AS slept")
    return counts(spark).withColumn("cost_ms", cost_ms).select("key", "count", spent)


def waits(bridge) -> tuple[str | None, str | None]:
    return bridge.locality_wait("process"), bridge.locality_wait("node")


def wait_until(true: Callable[[], bool], what: str) -> None:
    ends_s = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < ends_s, what
        time.sleep(0.1)


def more_batches(watched, count: int) -> None:
    """Wait for batches without reading them: that is the controller's to do now."""
    begun = watched.bridge.last_batch(watched.query)
    wait_until(lambda: watched.bridge.last_batch(watched.query) >= begun + count, "no batches came")


def threads() -> list[str]:
    return [t.name for t in threading.enumerate() if t.name.startswith("albic")]


def test_a_skewed_job_is_balanced_stays_exact_and_is_left_as_it_was(
    spark, bridge, watch, executors, tmp_path
) -> None:
    before = waits(bridge)
    watched = watch(skewed(spark), "balanced", "complete")
    first = executors[0]
    watched.placement.move_now(dict.fromkeys(watched.groups(), first))
    watched.batches(2)
    path = tmp_path / "journal.jsonl"
    controller = albic.attach(
        watched.query, planner="auto", period="2 batches", max_migrations=8, journal=path
    )
    wait_until(lambda: set(watched.placement.read_back().values()) > {first.id}, "nothing moved")
    # What the plan promised has to show in a later round.
    wait_until(lambda: len([r for r in read_journal(path) if r.snapshot]) >= 3, "no more rounds")
    assert controller.running
    assert controller.stop()
    assert not controller.running
    assert threads() == []
    assert waits(bridge) == before
    assert watched.query.isActive
    watched.query.stop()
    exact_counts(spark, "balanced")

    rounds = [record for record in read_journal(path) if record.snapshot]
    moved = next(record for record in rounds if record.status is Status.APPLIED)
    assert moved.objective == "makespan"
    assert {move.source for move in moved.moves} == {first.id}
    assert moved.makespan_after < 0.8 * moved.makespan_before
    assert max(record.batches for record in rounds) >= 2
    judged = sum(record.judged for record in rounds)
    assert sum(record.compliant for record in rounds) >= 0.9 * judged > 0


def test_a_dry_run_proposes_and_touches_nothing(spark, bridge, watch, executors) -> None:
    watched = watch(skewed(spark), "dry", "complete")
    watched.placement.move_now(dict.fromkeys(watched.groups(), executors[0]))
    watched.batches(2)
    before = waits(bridge)
    with albic.attach(watched.query, period="2 batches", dry_run=True) as controller:
        assert controller.journal.path == watched.checkpoint / "albic-journal.jsonl"
        wait_until(
            lambda: any(r.status is Status.PROPOSED for r in controller.journal.records()),
            "nothing was proposed",
        )
        assert waits(bridge) == before
        assert set(watched.placement.read_back().values()) == {executors[0].id}


def test_a_lost_node_is_replaced_at_once_and_the_batch_in_flight_goes_on(
    spark, cluster, watch
) -> None:
    cluster.add_node()
    cluster.wait_for_executors(3)
    watched = watch(skewed(spark), "lossy", "complete")
    watched.batches(1)
    *stay, victim = watched.executors.live()
    both = (victim, stay[0])
    watched.placement.move_now({g: both[g.partition % 2] for g in watched.groups()})
    watched.batches(2)
    # Rounds far away: only the loss can call for one.
    controller = albic.attach(watched.query, period="1h")
    more_batches(watched, 4)
    killer = threading.Thread(target=cluster.remove_node, args=(victim.host,))
    killer.start()
    wait_until(lambda: len(controller.journal.records()) > 0, "the loss was not answered")
    killer.join()
    more_batches(watched, 3)
    longest_ms = max(p["durationMs"]["triggerExecution"] for p in watched.query.recentProgress[-5:])
    assert longest_ms < 20_000, "a batch waited for the dead"
    assert controller.stop()
    (record,) = controller.journal.records()
    assert (record.trigger, record.status, record.error) == ("loss", Status.APPLIED, None)
    assert victim.id in {move.source for move in record.moves}
    assert victim.id not in {move.target for move in record.moves}
    assert victim.id not in watched.placement.read_back().values()
    watched.query.stop()
    exact_counts(spark, "lossy")


def test_the_controller_ends_with_its_query(spark, watch) -> None:
    watched = watch(counts(spark), "short", "complete")
    controller = albic.attach(watched.query)
    watched.query.stop()
    wait_until(lambda: not controller.running, "the controller outlived its query")
    assert controller.stop()


def test_what_cannot_be_served_is_refused_with_the_reason(spark, watch) -> None:
    with pytest.raises(InvalidInput, match="not str"):
        albic.attach(["no query"])
    with pytest.raises(InvalidInput, match="at least one"):
        albic.attach([])
    watched = watch(counts(spark), "served", "complete")
    with pytest.raises(InvalidInput, match="there is no planner"):
        albic.attach(watched.query, planner="best")
    with pytest.raises(InvalidInput, match="there is no objective"):
        albic.attach(watched.query, objective="speed")
    with pytest.raises(InvalidInput, match="5 batches"):
        albic.attach(watched.query, period="soon")
    with pytest.raises(InvalidInput, match="twice"):
        albic.attach([watched.query, watched.query])
    watched.query.stop()
    with pytest.raises(InvalidInput, match="has stopped"):
        albic.attach(watched.query)
    stateless = numbers(spark).writeStream.format("noop").start()
    try:
        with pytest.raises(InvalidInput, match="no stateful operator"):
            albic.attach(stateless)
    finally:
        stateless.stop()
