"""Whatever moves, dies or starts again: the examples say what a computation over all input says."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

import albic
from albic.cli import main
from albic.control import Controller, RoundRecord, read_journal
from albic.control.journal import Status
from albic.spark.batch import BatchSample
from albic.spark.bridge import Bridge
from albic.spark.operators import shape
from albic.spark.session import LocalCluster
from albic.spark.statistics import StatisticsReader
from tests.spark.conftest import ran_on
from tests.spark.exactness import FILES, Stream, attach_dice, wait_until
from tests.spark.examples_over_files import CASES

PARTITIONS, PARTITIONS_SETTING = 8, "spark.sql.shuffle.partitions"
NODES = 3
#: Files that are there at the start; the others come after whatever happens in the middle.
FIRST = 4
SCENARIOS = ("moved", "killed", "moved and killed", "restarted")


@dataclass(frozen=True)
class Run:
    """One scenario, with all examples side by side."""

    scenario: str
    streams: dict[str, Stream]
    batches: dict[str, list[BatchSample]]
    middle: dict[str, int]
    victim: str | None
    journal: Path

    def rounds(self) -> tuple[RoundRecord, ...]:
        return read_journal(self.journal)


@pytest.fixture(scope="module")
def three_nodes(spark: SparkSession, cluster: LocalCluster) -> Iterator[Callable[[], None]]:
    """Return a function that makes the cluster whole; in the end all is as it was."""
    before, nodes = spark.conf.get(PARTITIONS_SETTING), len(cluster.hosts)

    def complete() -> None:
        while len(cluster.hosts) < NODES:
            cluster.add_node()
        cluster.wait_for_executors(NODES)

    spark.conf.set(PARTITIONS_SETTING, PARTITIONS)
    yield complete
    spark.conf.set(PARTITIONS_SETTING, before)
    while len(cluster.hosts) > nodes:
        cluster.remove_node(cluster.hosts[-1])


@pytest.fixture(scope="module", params=SCENARIOS)
def run(request, spark, bridge, cluster, three_nodes, tmp_path_factory) -> Run:
    """Return a run of one scenario; all examples run side by side, under one controller."""
    scenario, folder = request.param, tmp_path_factory.mktemp("exact")
    three_nodes()
    seed = SCENARIOS.index(scenario)
    streams = {case.name: Stream(spark, case, folder / case.name, seed) for case in CASES}
    journal = folder / "journal.jsonl"
    attach = attach_planner if scenario == "killed" else attach_dice
    with Watch(bridge, streams) as watch:
        watch.release(1)
        watch.start(lambda queries: attach(queries, journal, seed))
        watch.feed(range(2, FIRST + 1), journal)
        # A loss before anything was measured is answered by Spark alone.
        wait_until(lambda: planned(journal), "no round came to a plan")
        victim = kill_one(bridge, cluster) if "killed" in scenario else None
        if scenario == "restarted":
            watch.stop()
            # A query without news has no batch to show that it runs again.
            watch.release(FIRST + 1)
            watch.start(lambda queries: attach(queries, journal, seed + 1))
        middle = watch.last_batches()
        watch.feed(range(watch.released + 1, FILES + 1), journal)
        watch.finish()
    return Run(scenario, streams, watch.books, middle, victim, journal)


class Watch:
    """All examples side by side, and what Spark's books say of them."""

    def __init__(self, bridge: Bridge, streams: dict[str, Stream]) -> None:
        self._bridge = bridge
        self._streams = streams
        self._controller: Controller | None = None
        self.released = 0
        self.books: dict[str, list[BatchSample]] = {name: [] for name in streams}

    def __enter__(self) -> "Watch":
        return self

    def __exit__(self, *_) -> None:
        for stream in self._streams.values():
            if stream.query is not None:
                stream.query.stop()
        if self._controller is not None:
            self._controller.stop()

    def release(self, upto: int) -> None:
        self.released = upto
        for stream in self._streams.values():
            stream.release(upto)

    def feed(self, files: Iterable[int], journal: Path) -> None:
        """Release one file after the other, each when a round has followed the one before."""
        for upto in files:
            rounds = len(read_journal(journal)) if journal.exists() else 0
            self.release(upto)
            for stream in self._streams.values():
                stream.query.processAllAvailable()
            wait_until(lambda rounds=rounds: len(read_journal(journal)) > rounds, "no round came")

    def start(self, attach: Callable[[list[StreamingQuery]], Controller]) -> None:
        """Start the queries one by one: a Python worker has ten seconds to come up, no more."""
        for name, stream in self._streams.items():
            stream.start()
            self._wait_for_batch([name], 0)
        self._controller = attach([stream.query for stream in self._streams.values()])

    def last_batches(self) -> dict[str, int]:
        return {n: self._bridge.last_batch(stream.query) for n, stream in self._streams.items()}

    def _wait_for_batch(self, names: Iterable[str], batch_id: int) -> None:
        def came() -> bool:
            queries = [self._streams[name].query for name in names]
            for query in queries:
                assert query.isActive, query.exception()
            return min(map(self._bridge.last_batch, queries)) >= batch_id

        wait_until(came, "no batches came")

    def finish(self) -> None:
        """Let the queries end what there is, and stop them."""
        for stream in self._streams.values():
            stream.query.processAllAvailable()
        self.stop()

    def stop(self) -> None:
        """Stop the queries wherever they are; the controller ends with them."""
        for name, stream in self._streams.items():
            stream.query.stop()
            plan = self._bridge.plan(stream.query)
            assert plan is not None
            reader = StatisticsReader(self._bridge, shape(plan, name, str(stream.query.runId)))
            self.books[name] += reader.read(self._bridge.last_batch(stream.query))
        wait_until(lambda: not self._controller.running, "the controller outlived its queries")


def attach_planner(queries: list[StreamingQuery], journal: Path, seed: int) -> Controller:
    return albic.attach(queries, period="1 batch", journal=journal, seed=seed)


def planned(journal: Path) -> bool:
    return journal.exists() and any(record.snapshot for record in read_journal(journal))


def kill_one(bridge: Bridge, cluster: LocalCluster) -> str:
    """Take the node away that ran the most tasks, and return the id of its executor."""
    there = [e for e in bridge.executors() if e["hostPort"].partition(":")[0] in cluster.hosts]
    executor = max(there, key=lambda e: e["totalTasks"])
    cluster.remove_node(executor["hostPort"].partition(":")[0])
    return executor["id"]


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", [case.name for case in CASES])
def test_every_row_is_there_once(run: Run, name: str) -> None:
    found, expected = run.streams[name].found(), run.streams[name].expected()
    assert len(expected) > 100
    assert found - expected == {}, "rows that should not be there, or are there too often"
    assert expected - found == {}, "rows that are missing"


@pytest.mark.parametrize("name", [case.name for case in CASES])
def test_what_should_have_happened_did_happen(run: Run, name: str) -> None:
    homes = [ran_on(sample) for sample in run.batches[name]]
    assert len(homes) >= FILES
    if "moved" in run.scenario or run.scenario == "restarted":
        applied = [record for record in run.rounds() if record.status is Status.APPLIED]
        assert len(applied) >= 3
        operator = run.streams[name].case.name
        moves = [m for r in applied for m in r.moves if m.operator.startswith(operator)]
        assert len(moves) >= PARTITIONS
        changed = sum(
            before[group] != after[group] for before, after in pairwise(homes) for group in before
        )
        assert changed >= PARTITIONS, "Spark did not follow the dice"
    if run.victim is not None:
        everywhere = [ran_on(sample) for samples in run.batches.values() for sample in samples]
        assert any(run.victim in home.values() for home in everywhere), "the dead had no state"
        assert run.batches[name][-1].batch_id >= run.middle[name] + 3
        assert not any(run.victim in home.values() for home in homes[-3:])
        assert any(r.trigger == "loss" and r.status is Status.APPLIED for r in run.rounds())


def test_the_journal_can_be_read_and_replayed(run: Run, capsys) -> None:
    assert main(["journal", "show", str(run.journal)]) == 0
    assert f"{len(run.rounds())} rounds" in capsys.readouterr().out
    assert main(["replay", str(run.journal), "--planner", "flux", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    planned = [record for record in run.rounds() if record.snapshot]
    assert [each["number"] for each in told["rounds"]] == [record.number for record in planned]
    for each, record in zip(told["rounds"], planned, strict=True):
        done = record.makespan_after if record.migrations else record.makespan_before
        assert each["recorded"]["makespan"] == pytest.approx(done)
