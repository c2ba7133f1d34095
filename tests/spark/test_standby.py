"""Second copies of state: an executor is lost, and another has its state already."""

import time
from pathlib import Path

import pytest

import albic
from albic.spark.bridge import CLOSE, Followers, Order
from albic.spark.placement import KeyGroup
from albic.spark.query_copies import Copying, CopyRules
from tests.spark.conftest import Watched, counts, exact_counts, ran_on
from tests.spark.exactness import wait_until

KEPT = CopyRules(warm=True, standby_bytes=0)


@pytest.fixture
def spare(cluster):
    """Return a host of its own that a test may take away."""
    host = cluster.add_node()
    cluster.wait_for_executors(len(cluster.hosts))
    yield host
    if host in cluster.hosts:
        cluster.remove_node(host)


def copying_of(running: Watched, spark) -> Copying:
    return Copying(
        running.bridge, Followers(spark), running.query, running.shape, running.placement, KEPT
    )


def arranged(running: Watched, copying: Copying) -> None:
    """Let every key group have a second copy."""
    sizes = dict.fromkeys(running.groups(), 1)
    ends_s = time.monotonic() + 60
    while copying.standbys().keys() != set(running.groups()):
        assert time.monotonic() < ends_s, copying.standbys()
        copying.arrange(
            sizes, running.executors.live(), running.bridge.last_batch(running.query) + 1
        )
        running.batches(1)


def states(running: Watched, spark) -> dict[KeyGroup, list[str]]:
    """Return how the copies of a query are doing, wherever they are."""
    places = {(each.host, each.id): [] for each in running.executors.live()}
    found: dict[KeyGroup, list[str]] = {}
    for copy in Followers(spark).give(places, "test"):
        if copy.run_id == str(running.query.runId):
            found.setdefault(KeyGroup(0, copy.partition), []).append(f"{copy.state} {copy.why}")
    return found


@pytest.mark.timeout(300)
def test_what_a_lost_executor_had_is_used_where_a_copy_of_it_is(
    spark, watch, cluster, spare, monkeypatch
) -> None:
    monkeypatch.setattr("albic.spark.standby.ARRANGE_EVERY_S", 0.0)
    monkeypatch.setattr("albic.spark.standby.ASK_EVERY_S", 0.5)
    running = watch(counts(spark), "standby_lost", "complete", pause_s=0.3)
    running.batches(2)
    running.executors.look()
    lost = next(each for each in running.executors.live() if each.host == spare)
    mine = running.groups()[:2]
    running.placement.move_now(dict.fromkeys(mine, lost))
    running.batch_on(dict.fromkeys(mine, lost))
    copying = copying_of(running, spark)
    arranged(running, copying)
    there = copying.standbys()
    assert lost.id not in {there[group].id for group in mine}
    cluster.remove_node(spare)
    wait_until(lambda: lost.id not in running.bridge.executor_ids(), "Spark did not notice")
    running.executors.look()
    assert copying.rescue(running.executors.live()) == ()
    running.bridge.place_waiting_tasks([lost.id])
    wanted = {group: there[group] for group in mine}
    running.batch_on(wanted)
    assert {group: at for group, at in ran_on(running.batches(1)[-1]).items() if group in mine} == {
        group: target.id for group, target in wanted.items()
    }
    found = states(running, spark)
    assert [found[group] for group in mine] == [["used "]] * len(mine)
    copying.stop()
    running.query.stop()
    exact_counts(spark, "standby_lost")


def test_kept_copies_end_when_nobody_wants_them(spark, watch, monkeypatch) -> None:
    monkeypatch.setattr("albic.spark.standby.ARRANGE_EVERY_S", 0.0)
    monkeypatch.setattr("albic.spark.standby.ASK_EVERY_S", 0.5)
    running = watch(counts(spark), "standby_ends", "complete", pause_s=0.3)
    running.batches(2)
    copying = copying_of(running, spark)
    arranged(running, copying)
    copying.stop()
    left = [["left "]] * len(running.groups())
    wait_until(lambda: list(states(running, spark).values()) == left, "copies stayed")


def test_a_copy_that_is_kept_serves_a_move_as_well(spark, watch, monkeypatch) -> None:
    monkeypatch.setattr("albic.spark.standby.ARRANGE_EVERY_S", 0.0)
    monkeypatch.setattr("albic.spark.standby.ASK_EVERY_S", 0.5)
    running = watch(counts(spark), "standby_moves", "complete", pause_s=0.3)
    running.batches(2)
    copying = copying_of(running, spark)
    arranged(running, copying)
    group = running.groups()[0]
    target = copying.standbys()[group]
    version = running.bridge.last_batch(running.query) + 1
    assert copying.prepare({group: target}, version, together=False) == {}
    wait_until(lambda: copying.hand_over(running.executors.live()), "no copy was ready")
    running.batch_on({group: target})
    running.batches(1)
    assert states(running, spark)[group] == ["used "]
    assert copying.prepared_s(group) is not None
    running.query.stop()
    exact_counts(spark, "standby_moves")


def folders(spark, partition: int) -> set[Path]:
    """Return where executors have a store of this partition open, on their disks."""
    local = Path(spark.sparkContext.getConf().get("spark.local.dir"))
    return set(local.rglob(f"StateStoreId(opId=0,partId={partition},name=default)-*"))


def test_an_old_owner_gives_back_what_it_had_at_once(spark, watch) -> None:
    settled, followers = folders(spark, 0), Followers(spark)
    running = watch(counts(spark), "standby_back", "complete", pause_s=0.3)
    running.batches(2)
    group, ends_s = running.groups()[0], time.monotonic() + 60
    while True:
        source, mine = running.placement.owners()[group], folders(spark, 0) - settled
        target = next(each for each in running.executors.live() if each.id != source.id)
        running.placement.move_now({group: target})
        running.batch_on({group: target})
        # Spark's maintenance may have been there before, which tells nothing.
        if mine & folders(spark, 0):
            close = [Order(store, task=CLOSE) for store in running.shape.stores(*group)]
            followers.give({(source.host, source.id): close}, "test")
            assert not mine & folders(spark, 0)
            break
        assert time.monotonic() < ends_s, "Spark was always quicker"
    # Whoever owns a store keeps it, whatever is asked.
    owned = folders(spark, 0) - settled
    followers.give({(target.host, target.id): close}, "test")
    assert owned & folders(spark, 0)
    running.batches(2)
    running.query.stop()
    exact_counts(spark, "standby_back")


@pytest.mark.timeout(300)
def test_a_controller_keeps_copies_and_survives_a_loss_with_them(
    spark, bridge, cluster, spare, tmp_path, monkeypatch
) -> None:
    monkeypatch.setattr("albic.spark.standby.ARRANGE_EVERY_S", 0.5)
    monkeypatch.setattr("albic.spark.standby.ASK_EVERY_S", 0.5)
    writer = counts(spark).writeStream.format("memory").queryName("standby_attached")
    writer = writer.outputMode("complete").trigger(processingTime="300 milliseconds")
    query = writer.option("checkpointLocation", str(tmp_path / "checkpoint")).start()
    try:
        controller = albic.attach(query, period="1h", standby=1, journal=tmp_path / "j.jsonl")
        (watched,) = controller._parts.placement._queries.watches
        wait_until(lambda: len(watched.copying.standbys()) == len(watched.groups()), "no copies")
        cluster.remove_node(spare)
        after = bridge.last_batch(query) + 4
        wait_until(lambda: bridge.last_batch(query) >= after, "no batches came")
        wait_until(lambda: len(controller.journal.records()) >= 1, "no round came")
        controller.stop()
    finally:
        query.stop()
    exact_counts(spark, "standby_attached")
