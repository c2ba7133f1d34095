"""Streams over files, the rows that they must give, and moves at random."""

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from albic.control import Controller, JsonLinesJournal, Pace, Parts, Settings
from albic.control.clock import WallClock
from albic.model import Allocation, Outcome, Plan, PlanRequest, SearchReport, Snapshot, plan_for
from albic.scaling import FixedSize
from albic.spark.attaching import bridge_of_process, runtime_of
from albic.spark.bridge import Followers
from albic.spark.elasticity import FixedExecutors
from albic.spark.executors import Executor
from albic.spark.runtime import SparkRuntime

#: One file a batch; the last one only lets the watermark pass all that came before it.
FILES = 8
STEP_S = 3
#: As the examples have it: rows come up to this much later than others.
LATE_S = 2
START = datetime(2026, 1, 1, tzinfo=UTC)
NEVER = START + timedelta(days=1)
WHEN = pa.timestamp("us", tz="UTC")


@dataclass(frozen=True)
class Case:
    """One kind of query: what comes in, the query, and the same as a computation over all of it."""

    name: str
    inputs: dict[str, pa.Schema]
    rows: Callable[[np.random.Generator], dict[str, list[list[tuple]]]]
    query: Callable[..., DataFrame]
    batch: Callable[..., DataFrame]
    mode: str = "append"


def at(seconds: float) -> datetime:
    return START + timedelta(milliseconds=round(1e3 * seconds))


def filed(rows: list[tuple[float, tuple]], rng: np.random.Generator) -> list[list[tuple]]:
    """Return (time, row) as the rows of each file, in disorder but never too late."""
    files: list[list[tuple]] = [[] for _ in range(FILES)]
    for seconds, row in rows:
        files[int((seconds + rng.uniform(0, LATE_S)) // STEP_S)].append(row)
    return files


class Stream:
    """One query over files in a folder; the files come when they are released."""

    def __init__(
        self, spark: SparkSession, case: Case, folder: Path, seed: int, *, resume: bool = False
    ) -> None:
        self.case = case
        self._spark = spark
        self._folder = folder
        self.query: StreamingQuery | None = None
        first = next(iter(case.inputs))
        self.released = len(list((folder / first).glob("*.parquet"))) if resume else 0
        if not resume:
            self._write(seed)

    def _write(self, seed: int) -> None:
        case, folder = self.case, self._folder
        for name, files in case.rows(np.random.default_rng(seed)).items():
            for place in ("waiting", name):
                (folder / place).mkdir(parents=True, exist_ok=True)
            for number, rows in enumerate(files):
                schema = case.inputs[name]
                columns = list(zip(*rows, strict=True)) or [[] for _ in schema]
                path = folder / "waiting" / f"{name}-{number}.parquet"
                pq.write_table(pa.table(columns, schema=schema), path)
                # Spark takes files in the order of their times.
                os.utime(path, (START.timestamp() + number,) * 2)

    def release(self, upto: int) -> None:
        """Let the query see the first ``upto`` files of each input."""
        for number in range(self.released, upto):
            for name in self.case.inputs:
                (self._folder / "waiting" / f"{name}-{number}.parquet").rename(
                    self._folder / name / f"{number}.parquet"
                )
        self.released = upto

    def start(self) -> StreamingQuery:
        """Start the query, or start it again where it stopped."""
        frames = []
        for name, schema in self.case.inputs.items():
            reader = self._spark.readStream.schema(self._static(name, schema).schema)
            frames.append(reader.option("maxFilesPerTrigger", 1).parquet(str(self._folder / name)))
        writer = self.case.query(*frames).writeStream.queryName(self.case.name)
        writer = writer.option("checkpointLocation", str(self._folder / "checkpoint"))
        writer = writer.outputMode(self.case.mode)
        if self._in_files:
            self.query = writer.format("parquet").start(str(self._folder / "out"))
        else:
            self.query = writer.format("memory").start()
        return self.query

    def found(self) -> Counter:
        """Return the rows that the sink holds, and how often each."""
        if self._in_files:
            return Counter(self._spark.read.parquet(str(self._folder / "out")).collect())
        return Counter(self._spark.table(self.case.name).collect())

    def expected(self) -> Counter:
        """Return the rows of the computation over all input at once."""
        frames = [self._static(name, schema) for name, schema in self.case.inputs.items()]
        return Counter(self.case.batch(*frames).collect())

    @property
    def _in_files(self) -> bool:
        """Return whether the sink is a folder, which takes no row back."""
        return self.case.mode == "append"

    def _static(self, name: str, schema: pa.Schema) -> DataFrame:
        spelled = ", ".join(
            f"{field.name} {'timestamp' if field.type == WHEN else 'long'}" for field in schema
        )
        return self._spark.read.schema(spelled).parquet(str(self._folder / name))


class RandomMoves:
    """A planner that sends every second key group to a node at random."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)

    def plan(self, request: PlanRequest) -> Plan:
        snapshot = request.snapshot
        draining, owner = snapshot.cluster.draining(), snapshot.allocation.owner.copy()
        moves = draining[owner] | (self._rng.random(owner.size) < 0.5)
        owner[moves] = self._rng.choice(np.flatnonzero(~draining), size=int(moves.sum()))
        report = SearchReport("random", Outcome.HEURISTIC, "by dice")
        return plan_for(request, Allocation(owner), report)


class InTurn:
    """A planner that sends every key group to the node after its own."""

    def plan(self, request: PlanRequest) -> Plan:
        stays = np.flatnonzero(~request.snapshot.cluster.draining())
        owner = request.snapshot.allocation.owner
        after = stays[np.searchsorted(stays, owner, side="right") % stays.size]
        report = SearchReport("in turn", Outcome.HEURISTIC, "one after the other")
        return plan_for(request, Allocation(after), report)


class Weightless:
    """The real statistics without the loads: a move of nothing is never a bad move.

    The loop refuses plans that make things worse, and moves at random do.
    """

    def __init__(self, runtime: SparkRuntime) -> None:
        self.observe = runtime.observe
        self.throughput = runtime.throughput
        self.new_period = runtime.new_period
        self._runtime = runtime

    def snapshot(self) -> Snapshot:
        measured = self._runtime.snapshot()
        return replace(measured, usage=np.zeros_like(measured.usage))


def attach_dice(queries: list[StreamingQuery], journal: Path, seed: int) -> Controller:
    """Attach the real controller, which moves half of all state every batch."""
    return attach_mover(queries, journal, RandomMoves(seed))


def attach_mover(
    queries: list[StreamingQuery], journal: Path, planner: RandomMoves | InTurn
) -> Controller:
    """Attach the real controller with a planner that moves for the sake of moving."""
    everything = 10_000
    runtime = runtime_of(bridge_of_process(), queries, {}, per_batch=everything, steers=True)
    parts = Parts(
        statistics=Weightless(runtime),
        placement=runtime,
        elasticity=FixedExecutors(),
        planner=planner,
        scaling=FixedSize(),
        clock=WallClock(),
        journal=JsonLinesJournal(journal),
    )
    settings = Settings(pace=Pace(batches=1), max_migrations=everything, least_gain=0.0)
    controller = Controller(parts, settings)
    controller.start()
    return controller


def wait_until(true: Callable[[], bool], what: str, patience_s: float = 240.0) -> None:
    """Return once something is true."""
    ends_s = time.monotonic() + patience_s
    while not true():
        assert time.monotonic() < ends_s, what
        time.sleep(0.05)


def ends_of_copies(followers: Followers, executors: Iterable[Executor], run_id: str) -> set[str]:
    """Return how the copies of a query ended, once all of them have."""
    places, ends_s = {(each.host, each.id): [] for each in executors}, time.monotonic() + 30
    while True:
        said = [copy for copy in followers.give(places, "test") if copy.run_id == run_id]
        if all(copy.state in {"used", "left", "failed"} for copy in said):
            return {f"{copy.state} {copy.why}".strip() for copy in said}
        assert time.monotonic() < ends_s, said
        time.sleep(0.2)
