"""What every version of Spark that is served must do: ``make spark-versions`` asks each of them."""

import importlib
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.group import GroupedData

from albic.control import RoundRecord, read_journal
from albic.control.journal import Status
from albic.model import InvalidInput
from albic.spark.bridge import VERSIONS, Bridge, Followers, release
from albic.spark.executors import Executor, Executors
from albic.spark.operators import shape
from albic.spark.placement import KeyGroup, Placement
from albic.spark.prepared_moves import Preparing
from albic.spark.session import LocalCluster
from albic.spark.support import SCHEMA_CHECK
from tests.spark.conftest import KEYS, ROWS, numbers
from tests.spark.exactness import InTurn, Stream, attach_mover, ends_of_copies, wait_until
from tests.spark.kinds import FILES, KINDS, Kind

PROVIDER = "spark.sql.streaming.stateStore.providerClass"
CHANGELOG = "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled"
FORMAT = "spark.sql.streaming.stateStore.checkpointFormatVersion"
STATE = "org.apache.spark.sql.execution.streaming.state"
STORES = {
    "RocksDB with changelog": {CHANGELOG: "true"},
    "RocksDB without changelog": {CHANGELOG: "false"},
    "HDFS-backed": {PROVIDER: f"{STATE}.HDFSBackedStateStoreProvider"},
    "RocksDB with changelog, checkpoint format 2": {CHANGELOG: "true", FORMAT: "2"},
    "RocksDB without changelog, checkpoint format 2": {CHANGELOG: "false", FORMAT: "2"},
}
#: Files that are there at the start, and the last one that is followed by a move as it is.
BEFORE, COLD = 1, 3
#: The thread that makes newcomers warm.
WARM_UP = "albic-warm-up"
seeds = count()


@dataclass(frozen=True)
class Moved:
    """What came of a query whose state moved at once and then prepared."""

    found: Counter
    expected: Counter
    judged: int
    prepared: int
    unable: int
    ends: frozenset[str]


@dataclass(frozen=True)
class Place:
    """Where queries run."""

    spark: SparkSession
    bridge: Bridge
    executors: tuple[Executor, ...]

    def run(self, kind: Kind, folder: Path) -> Moved:
        """Run a query from file to file; before each of them, all of its state goes elsewhere."""
        stream = Stream(self.spark, kind.case, folder, seed=next(seeds))
        stream.release(BEFORE)
        query = stream.start()
        judged = prepared = unable = 0
        try:
            query.processAllAvailable()
            plan, run_id = self.bridge.plan(query), str(query.runId)
            assert plan is not None
            found, followers = shape(plan, kind.case.name, run_id), Followers(self.spark)
            placement = Placement(self.bridge, found)
            preparing = Preparing(self.bridge, followers, query, found, placement)
            for upto in range(BEFORE + 1, FILES + 1):
                before = self._owners(placement)
                moves = self._elsewhere(before)
                cold: Mapping[KeyGroup, Executor] = moves
                if upto > COLD:
                    version = self.bridge.last_batch(query) + 1
                    cold = preparing.begin(moves, version, together=False)
                    wait_until(lambda: self._handed_over(placement, preparing), "no copy was ready")
                    unable += len(cold)
                    prepared += len(moves) - len(cold)
                placement.move_now(cold)
                stream.release(upto)
                query.processAllAvailable()
                # Tasks say where they are, so this is where they ran.
                now = placement.read_back()
                assert now == {group: target.id for group, target in moves.items()}
                judged += len(moves)
                # Whoever goes back finds nothing of its own any more.
                for group, owner in before.items():
                    preparing.give_back(group, owner)
            ends = ends_of_copies(followers, self.executors, run_id) if prepared else set()
        finally:
            query.stop()
        return Moved(stream.found(), stream.expected(), judged, prepared, unable, frozenset(ends))

    def _owners(self, placement: Placement) -> dict[KeyGroup, Executor]:
        there = {each.id: each for each in self.executors}
        return {group: there[owner] for group, owner in placement.read_back().items()}

    def _elsewhere(self, owners: Mapping[KeyGroup, Executor]) -> dict[KeyGroup, Executor]:
        return {
            group: next(each for each in self.executors if each.id != owner.id)
            for group, owner in owners.items()
        }

    def _handed_over(self, placement: Placement, preparing: Preparing) -> bool:
        preparing.hand_over(self.executors)
        assert not (lost := preparing.dropped()), lost
        return not placement.held()


@contextmanager
def set_for_now(spark: SparkSession, wanted: Mapping[str, str]) -> Iterator[None]:
    """Set what queries begin with; it is as before afterwards."""
    before = {name: spark.conf.get(name, None) for name in wanted}
    for name, value in wanted.items():
        spark.conf.set(name, value)
    yield
    for name, old in before.items():
        spark.conf.unset(name) if old is None else spark.conf.set(name, old)


def unchecked(spark: SparkSession) -> Mapping[str, str]:
    """Return what attach asks of whoever joins streams with an old version."""
    return {SCHEMA_CHECK: "false"} if VERSIONS[release(spark.version)].rechecks_joins else {}


@pytest.fixture(scope="module")
def place(spark: SparkSession, bridge: Bridge, cluster: LocalCluster) -> Place:
    cluster.wait_for_executors(len(cluster.hosts))
    known = Executors(bridge)
    known.look()
    return Place(spark, bridge, known.live())


@pytest.fixture(scope="module", params=KINDS)
def moved(request, place: Place, tmp_path_factory) -> Moved:
    """Return what came of one kind of operator; not there where PySpark has no such operator."""
    kind = KINDS[request.param]
    if kind.needs and not hasattr(GroupedData, kind.needs):
        pytest.skip(f"PySpark has no {kind.needs}")
    with set_for_now(place.spark, {**kind.settings, **unchecked(place.spark)}):
        return place.run(kind, tmp_path_factory.mktemp("kind"))


@pytest.mark.contract("moves")
def test_state_moves_and_every_row_is_there_once(moved: Moved) -> None:
    assert sum(moved.expected.values()) > 10
    assert moved.found - moved.expected == {}, "rows that should not be there, or too often"
    assert moved.expected - moved.found == {}, "rows that are missing"
    assert moved.judged > 0


@pytest.mark.contract("prepared moves")
def test_a_prepared_move_leaves_nothing_to_load(moved: Moved, spark: SparkSession) -> None:
    if moved.prepared:
        assert moved.ends == {"used"}
    if not VERSIONS[release(spark.version)].join_schemas and moved.unable:
        pytest.skip("this version does not tell how the stores of a join are opened: it moves cold")
    assert moved.unable == 0
    assert moved.prepared > 0


@pytest.mark.contract("state in")
@pytest.mark.parametrize("store", STORES)
def test_state_of_every_store_moves(store, spark, place, tmp_path) -> None:
    if FORMAT in STORES[store] and not VERSIONS[release(spark.version)].checkpoint_ids:
        pytest.skip("this version has checkpoint format 1 alone")
    with set_for_now(spark, STORES[store]):
        done = place.run(KINDS["windows with a watermark"], tmp_path)
    assert done.found == done.expected
    assert done.ends == (frozenset() if FORMAT in STORES[store] else {"used"})


class Fed:
    """Several queries under one controller, fed file by file."""

    def __init__(self, streams: list[Stream], journal: Path) -> None:
        self._streams = streams
        self._journal = journal
        for stream in streams:
            stream.release(1)
            stream.start().processAllAvailable()
        self.controller = attach_mover([each.query for each in streams], journal, InTurn())

    def rounds(self) -> tuple[RoundRecord, ...]:
        return read_journal(self._journal) if self._journal.exists() else ()

    def feed(self, upto: int) -> None:
        """Let the queries see one more file, and wait for the round that follows."""
        seen = len(self.rounds())
        for stream in self._streams:
            stream.release(upto)
        for stream in self._streams:
            stream.query.processAllAvailable()
        wait_until(lambda: len(self.rounds()) > seen, "no round came")

    def targets(self) -> set[str]:
        """Return the executors that state was sent to."""
        applied = [record for record in self.rounds() if record.status is Status.APPLIED]
        return {move.target for record in applied for move in record.moves}

    def stop(self) -> None:
        for stream in self._streams:
            stream.query.stop()
        assert self.controller.stop()


@pytest.mark.contract("newcomers, and exactness over moves and a kill")
@pytest.mark.timeout(300)
def test_results_are_exact_while_nodes_come_and_go(spark, bridge, cluster, tmp_path) -> None:
    kinds = "windows with a watermark", "outer join"
    streams = [Stream(spark, KINDS[name].case, tmp_path / name, seed=3) for name in kinds]
    before = bridge.executor_ids()
    with set_for_now(spark, unchecked(spark)):
        fed = Fed(streams, tmp_path / "journal.jsonl")
    host = cluster.add_node()
    try:
        cluster.wait_for_executors(len(before) + 1)
        (newcomer,) = bridge.executor_ids() - before
        fed.feed(2)
        # A newcomer gets no state before it is warm.
        wait_until(lambda: WARM_UP not in {t.name for t in threading.enumerate()}, "still cold")
        for upto in (3, 4):
            fed.feed(upto)
        assert newcomer in fed.targets(), "the newcomer got nothing"
    finally:
        cluster.remove_node(host)
    wait_until(lambda: newcomer not in bridge.executor_ids(), "Spark did not notice")
    for upto in range(5, FILES + 1):
        fed.feed(upto)
    fed.stop()
    for stream in streams:
        assert stream.found() == stream.expected()


def summing() -> Callable:
    """Return an operator with the sum of each key so far; a local function travels by value."""

    def summed(state, rows):
        seen = rows.frame().groupby("key")["value"].sum()
        if "sums" in state:
            seen = state["sums"]["value"].add(seen, fill_value=0).astype("int64")
        state["sums"] = seen.to_frame("value")
        return seen.reset_index()

    return summed


@pytest.mark.contract("a network of albic.streams")
def test_a_network_is_served_or_refused_by_name(spark, place, tmp_path) -> None:
    if not VERSIONS[release(spark.version)].python_processors:
        with pytest.raises(InvalidInput, match=r"needs PySpark 4\.0 or newer"):
            importlib.import_module("albic.streams").Network  # noqa: B018  looking is what fails
        pytest.skip("albic.streams is refused: it needs PySpark 4.0 or newer")
    streams = importlib.import_module("albic.streams")
    kept: dict[int, dict[int, int]] = {}

    def keep(frame, batch_id) -> None:
        kept[batch_id] = {row["key"]: row["value"] for row in frame.collect()}

    operator = streams.Operator("sums", "numbers", "key", 4, "key bigint, value bigint", summing())
    sources = [streams.Source("numbers", numbers(spark), event_time="timestamp")]
    made = streams.Network("sums", sources, [operator], [streams.Sink("sums", keep)])
    running = made.start(str(tmp_path))
    try:
        wait_until(lambda: len(running.batches()) > 0, "no batch came")
        plan = place.bridge.plan(running.query)
        placement = Placement(place.bridge, shape(plan, "sums", str(running.query.runId)))
        for turn in range(3):
            before = len(running.batches())
            groups = placement.read_back()
            placement.move_now({g: place.executors[(g.partition + turn) % 2] for g in groups})
            wait_until(lambda seen=before: len(running.batches()) > seen, "no batch came")
    finally:
        running.stop()
    last = max(batch.batch_id for batch in running.batches())
    rows = range((last + 1) * ROWS)
    assert kept[last] == {key: sum(rows[key::KEYS]) for key in range(KEYS)}
