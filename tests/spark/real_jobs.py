"""Real jobs side by side: batches that are let through one by one, and state that goes round."""

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from albic.jobs.datasets import synthetic
from albic.jobs.datasets.formats import WIKITICKER
from albic.jobs.datasets.recipe import Recipe
from albic.jobs.datasets.writing import save
from albic.jobs.real import REAL_JOBS, Inputs
from albic.spark.bridge import Bridge
from albic.spark.executors import Executors
from albic.spark.operators import QueryShape, shape
from albic.spark.placement import KeyGroup, Placement
from albic.spark.statistics import StatisticsReader
from albic.streams import Network, RunningNetwork, Sink

PATIENCE_S = 240.0
CRASH = "the sinks have written, and that is all"


def dense_edits(path: Path, rows: int) -> Path:
    """Write edits of a hundred pages in half an hour."""
    made = synthetic.edits(Recipe(rows, 100, 0.9, 0.1, date(2015, 9, 12), 1))
    times = made["event_time"].cast(pa.int64()).to_numpy()
    dense = pa.array((times[0] + (times - times[0]) // 48) // 1000 * 1000)
    at = made.schema.get_field_index("event_time")
    kind = made.schema.field(at)
    save(made.set_column(at, kind, dense.cast(kind.type)), WIKITICKER, path)
    return path


def chain_of(name: str) -> str:
    """Return how a job runs: all of them chained but one, whose operators Job 4 has as well."""
    return "never" if name == "job3" else "auto"


def wait_until(true: Callable[[], bool], what: str) -> None:
    ends_s = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < ends_s, what
        time.sleep(0.05)


class Gate:
    """Where batches wait in front of their sinks; those of one batch fail when done."""

    def __init__(self, crash: int) -> None:
        self.crash = crash
        self.arrived: dict[str, int] = {}
        self._through = -1
        self._moved = threading.Condition()

    def open(self, upto: int) -> None:
        """Let batches through, up to this one."""
        with self._moved:
            self._through = upto
            self._moved.notify_all()

    def guarded(self, network: Network) -> Network:
        """Return a network whose sinks wait here."""
        *first, last = network.sinks
        sinks = [Sink(sink.operator, self._waiting(sink, network.name)) for sink in first]
        return replace(network, sinks=[*sinks, Sink(last.operator, self._failing(last, network))])

    def _waiting(self, sink: Sink, name: str) -> Callable[[DataFrame, int], None]:
        def write(frame: DataFrame, batch_id: int) -> None:
            with self._moved:
                self.arrived[name] = batch_id
                assert self._moved.wait_for(lambda: self._through >= batch_id, PATIENCE_S)
            sink.write(frame, batch_id)

        return write

    def _failing(self, sink: Sink, network: Network) -> Callable[[DataFrame, int], None]:
        waiting = self._waiting(sink, network.name)

        def write(frame: DataFrame, batch_id: int) -> None:
            waiting(frame, batch_id)
            if batch_id == self.crash:
                raise RuntimeError(CRASH)

        return write


class Mover:
    """Sends all state of a network round and round, and counts what had to be loaded."""

    def __init__(self, bridge: Bridge, running: RunningNetwork) -> None:
        self._bridge = bridge
        self._shape: QueryShape | None = None
        self.running = running
        self.loaded = 0

    def send(self, turn: int) -> None:
        """Point every key group to another executor than in the turn before."""
        executors = Executors(self._bridge)
        executors.look()
        live = executors.live()
        found = self._known()
        self._placement.move_now(
            {
                KeyGroup(stage, partition): live[(partition + stage + turn) % len(live)]
                for stage, info in enumerate(found.stages)
                for partition in range(info.partitions)
            }
        )

    def count(self) -> None:
        """Read the batches that ended."""
        for sample in self._reader.read(self._bridge.last_batch(self.running.query)):
            self.loaded += sum(task.loaded for stage in sample.stages for task in stage.tasks)

    def _known(self) -> QueryShape:
        if self._shape is None:
            query = self.running.query
            self._shape = shape(self._bridge.plan(query), str(query.name), str(query.runId))
            self._placement = Placement(self._bridge, self._shape)
            self._reader = StatisticsReader(self._bridge, self._shape)
        return self._shape


@dataclass
class Story:
    """All jobs, what was asked of them, and what happened to them."""

    spark: SparkSession
    bridge: Bridge
    inputs: dict[str, Inputs]
    gate: Gate
    movers: dict[str, Mover] = field(default_factory=dict)
    crashed: dict[str, str] = field(default_factory=dict)
    second: dict[str, RunningNetwork] = field(default_factory=dict)

    def start(self) -> None:
        """Start the first job, and the others when it has brought up the Python workers.

        A worker has ten seconds to come up, no more.
        """
        first, *others = self.inputs
        for names in ([first], others):
            for name in names:
                network = self.gate.guarded(REAL_JOBS[name].network(self.spark, self.inputs[name]))
                running = network.start(
                    self.inputs[name].folder / "checkpoint", chain=chain_of(name)
                )
                self.movers[name] = Mover(self.bridge, running)
            self.arrive(0, names)

    def arrive(self, batch: int, names: Iterable[str] | None = None) -> None:
        """Wait until a batch of each job stands in front of its sinks."""
        wanted = list(names or self.inputs)

        def there() -> bool:
            for name in wanted:
                query = self.movers[name].running.query
                assert query.isActive, query.exception()
            return all(self.gate.arrived.get(name, -1) >= batch for name in wanted)

        wait_until(there, f"batch {batch} did not come")

    def send(self, turn: int) -> None:
        """Send the state of all jobs elsewhere."""
        for mover in self.movers.values():
            mover.send(turn)

    def let_through(self, batch: int) -> None:
        """Let a batch write, and wait for the one after it."""
        self.gate.open(batch)
        self.arrive(batch + 1)
        for mover in self.movers.values():
            mover.count()

    def fail(self) -> None:
        """Let all jobs fail."""
        self.gate.open(self.gate.crash)
        for name, mover in self.movers.items():
            query = mover.running.query
            wait_until(lambda query=query: not query.isActive, f"{name} went on")
            self.crashed[name] = str(query.exception())

    def finish(self) -> None:
        """Start all jobs again, and let them run to the end of their data."""
        for name, inputs in self.inputs.items():
            network = REAL_JOBS[name].network(self.spark, inputs)
            self.second[name] = network.start(
                inputs.folder / "checkpoint", all_there_is=True, chain=chain_of(name)
            )
        for name, running in self.second.items():
            query = running.query
            wait_until(lambda query=query: not query.isActive, f"{name} did not end")
            assert query.exception() is None

    def close(self) -> None:
        """Stop whatever runs."""
        self.gate.open(10**9)
        for running in [*(m.running for m in self.movers.values()), *self.second.values()]:
            running.stop()
