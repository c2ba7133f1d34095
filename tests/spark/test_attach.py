"""One line added to a running query: it is measured, planned and moved, and stays exact."""

import itertools
import threading
import time
from collections.abc import Callable

import pytest

import albic
from albic.control import Settings, read_journal
from albic.control.adaptation import rehearsal
from albic.control.journal import Status
from albic.model import InvalidInput
from albic.planners import PLANNERS
from albic.spark import attaching
from tests.spark.conftest import PATIENCE_S, counts, exact_counts, numbers, skewed


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    """Compile the planner first, which takes long once after an installation."""
    PLANNERS["search"]().plan(rehearsal(Settings()))


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


@pytest.mark.contract("attach balances a skewed job")
def test_a_skewed_job_is_balanced_stays_exact_and_is_left_as_it_was(
    spark, bridge, watch, executors, tmp_path
) -> None:
    # A test before this one may have left a thread that has yet to end.
    before, others = waits(bridge), threads()
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
    records = controller.journal.records
    wait_until(lambda: len([r for r in records() if r.snapshot]) >= 3, "no more rounds")
    assert controller.running
    assert controller.stop()
    assert not controller.running
    assert len(threads()) <= len(others)
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
    assert sum(record.compliant for record in rounds) >= 0.99 * judged > 0


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


def test_a_file_and_the_environment_set_what_no_keyword_does(
    spark, watch, tmp_path, monkeypatch
) -> None:
    watched = watch(skewed(spark), "configured", "complete")
    file = tmp_path / "mine.toml"
    file.write_text('period = "1 batch"\ndry_run = true\nmax_migrations = 0\nseed = 7\n')
    monkeypatch.setenv("ALBIC_SEED", "8")
    monkeypatch.setenv("ALBIC_JOURNAL", str(tmp_path / "mine.jsonl"))
    with albic.attach(watched.query, config=file, max_migrations=3, least_gain=0.2) as controller:
        wait_until(lambda: any(r.terms for r in controller.journal.records()), "no round")
    terms = next(r.terms for r in read_journal(tmp_path / "mine.jsonl") if r.terms)
    assert (terms.budget, terms.seed, terms.least_gain) == (3.0, 8, 0.2)


@pytest.mark.contract("a lost executor")
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
    # Rounds far away and nothing to spend: only the loss can move anything.
    controller = albic.attach(watched.query, period="1h", max_migrations=0)

    def losses():
        return [record for record in controller.journal.records() if record.trigger == "loss"]

    more_batches(watched, 4)
    killer = threading.Thread(target=cluster.remove_node, args=(victim.host,))
    killer.start()
    wait_until(lambda: len(losses()) > 0, "the loss was not answered")
    killer.join()
    more_batches(watched, 3)
    longest_ms = max(p["durationMs"]["triggerExecution"] for p in watched.query.recentProgress[-5:])
    assert longest_ms < 20_000, "a batch waited for the dead"
    assert controller.stop()
    (record,) = losses()
    assert (record.status, record.error) == (Status.APPLIED, None)
    assert victim.id in {move.source for move in record.moves}
    assert victim.id not in {move.target for move in record.moves}
    assert victim.id not in watched.placement.read_back().values()
    watched.query.stop()
    exact_counts(spark, "lossy")


@pytest.mark.contract("two queries")
def test_one_controller_steers_two_queries_and_outlives_the_first(spark, watch, executors) -> None:
    one = watch(skewed(spark), "one", "complete")
    two = watch(skewed(spark), "two", "complete")
    for watched in (one, two):
        watched.placement.move_now(dict.fromkeys(watched.groups(), executors[0]))
        watched.batches(2)
    both = [one.query, two.query]
    with albic.attach(both, period="1 batches", dry_run=True) as rehearsed:
        wait_until(lambda: operators(rehearsed) != [], "nothing was measured")
        # Stages of different queries run side by side.
        assert rehearsed.journal.records()[-1].objective == "distance"
    controller = albic.attach(both, period="2 batches", max_migrations=8, objective="makespan")
    assert controller.journal.path == one.checkpoint / "albic-journal.jsonl"
    for watched in (one, two):
        wait_until(lambda w=watched: len(set(w.placement.read_back().values())) > 1, "no move")
    one.query.stop()
    exact_counts(spark, "one")
    wait_until(lambda: operators(controller) == ["two / aggregate 0"], "no round of one query")
    applied = [r for r in controller.journal.records() if r.status is Status.APPLIED]
    assert applied
    assert controller.running
    more_batches(two, 2)
    assert controller.stop()
    two.query.stop()
    exact_counts(spark, "two")


def operators(controller) -> list[str]:
    """Return the operators in the last snapshot of a controller."""
    snapshots = [r.snapshot for r in controller.journal.records() if r.snapshot]
    return [each["name"] for each in snapshots[-1]["operators"]] if snapshots else []


def test_a_query_has_one_controller_at_a_time(spark, watch) -> None:
    watched = watch(counts(spark), "single", "complete")
    first = albic.attach(watched.query)
    with pytest.raises(InvalidInput, match=r"already has a controller.*stop\(\)"):
        albic.attach(watched.query)
    assert first.running
    assert first.stop()
    second = albic.attach(watched.query)
    assert second.running
    assert second.stop()


def test_a_stateless_query_is_refused_before_its_first_batch(spark, bridge, tmp_path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    lines = spark.readStream.text(str(empty))
    joined = lines.join(spark.range(3).selectExpr("CAST(id AS string) AS value"), "value")
    query = joined.writeStream.format("noop").start()
    try:
        with pytest.raises(InvalidInput, match="no stateful operator"):
            albic.attach(query)
        assert bridge.plan(query) is None
    finally:
        query.stop()


def test_a_query_that_waits_for_its_first_rows_is_served_when_they_come(
    spark, bridge, tmp_path, monkeypatch
) -> None:
    monkeypatch.setattr(attaching, "FIRST_BATCH_S", 0.1)
    folder = tmp_path / "later"
    folder.mkdir()
    totals = spark.readStream.text(str(folder)).groupBy("value").count()
    query = totals.writeStream.format("noop").outputMode("update").start()
    try:
        # Spark tells of a batch 0 that has not run.
        wait_until(lambda: query.lastProgress is not None, "no progress was told")
        assert bridge.last_batch(query) == -1
        controller = albic.attach(query, period="1s", dry_run=True)
        wait_until(lambda: len(controller.journal.records()) > 0, "no round")
        assert controller.journal.records()[-1].status is Status.NOT_READY
        files = itertools.count()

        def measured() -> bool:
            (folder / f"{next(files)}.txt").write_text("a\nb\nc\n" * 20)
            return any(record.snapshot for record in controller.journal.records())

        wait_until(measured, "it was never measured")
        assert controller.stop()
        assert all(record.error is None for record in controller.journal.records())
    finally:
        query.stop()


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
    with pytest.raises(InvalidInput, match="planner is 'best'"):
        albic.attach(watched.query, planner="best")
    with pytest.raises(InvalidInput, match="objective is 'speed'"):
        albic.attach(watched.query, objective="speed")
    with pytest.raises(InvalidInput, match="5 batches"):
        albic.attach(watched.query, period="soon")
    with pytest.raises(InvalidInput, match="did you mean least_gain"):
        albic.attach(watched.query, least_gian=0.1)
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
