"""What a thousand prepared moves leave behind: memory, threads, open files, stores, jars.

Key groups of a running count go back and forth between two executors of an embedded cluster, at
random, prepared each time. Every hundred moves a line says what the executors' processes hold. In
the end every row has to be counted once. Ends with 1 if anything grew or a row is missing.

    python -m bench.many_moves
    python -m bench.many_moves --moves 100
"""

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from pyspark.sql import SparkSession
from pyspark.sql import functions as fn
from pyspark.sql.streaming.query import StreamingQuery

from albic.spark.bridge import Bridge
from albic.spark.executors import Executors
from albic.spark.operators import shape
from albic.spark.placement import KeyGroup, Placement
from albic.spark.prepared_moves import Preparing
from albic.spark.session import local_cluster

NODES, GROUPS, KEYS, ROWS = 2, 8, 400, 4_000
EVERY = 100
PATIENCE_S = 90.0
#: What may come and go between two looks: a store that Spark has not closed yet, a pool of threads.
SLACK: Mapping[str, float] = {"MB": 1.15, "threads": 1.1, "files": 1.1}


@dataclass(frozen=True, slots=True)
class Held:
    """What the processes of all executors hold, and the jars of the application."""

    resident_mb: float
    threads: int
    files: int
    stores: int
    jars: int


def held(spark: SparkSession) -> Held:
    """Return what is held now."""
    app_id = spark.sparkContext.applicationId
    processes = [folder for folder in Path("/proc").glob("[0-9]*") if _is_executor(folder, app_id)]
    status = [dict(_lines(folder / "status")) for folder in processes]
    local = Path(spark.sparkContext.getConf().get("spark.local.dir", ""))
    return Held(
        resident_mb=sum(int(each["VmRSS"].split()[0]) for each in status) / 1024,
        threads=sum(int(each["Threads"]) for each in status),
        files=sum(len(list((folder / "fd").iterdir())) for folder in processes),
        stores=len(list(local.rglob("StateStoreId(*"))),
        jars=int(spark.sparkContext._jsc.sc().listJars().size()),
    )


def _is_executor(folder: Path, app_id: str) -> bool:
    try:
        line = (folder / "cmdline").read_bytes()
    except OSError:
        return False
    return b"CoarseGrainedExecutorBackend" in line and app_id.encode() in line


def _lines(path: Path) -> list[tuple[str, str]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [(name, value.strip()) for name, _, value in (line.partition(":") for line in lines)]


class Mover:
    """Moves key groups of a query at random, each prepared."""

    def __init__(self, spark: SparkSession, query: StreamingQuery) -> None:
        self._bridge, self._query = Bridge(spark), query
        while (plan := self._bridge.plan(query)) is None or self._bridge.last_batch(query) < 1:
            time.sleep(0.1)
        found = shape(plan, "moves", str(query.runId))
        executors = Executors(self._bridge)
        executors.look()
        self._live = executors.live()
        self._placement = Placement(self._bridge, found)
        followers = self._bridge.followers()
        self._preparing = Preparing(self._bridge, followers, query, found, self._placement)
        self._draw = np.random.default_rng(1)
        self.moved = self.dropped = 0

    def move(self) -> None:
        """Move about half of the key groups to the other executor."""
        at = self._placement.read_back()
        drawn = [group for group in sorted(at) if self._draw.random() < 1 / 2]
        moves = {group: next(e for e in self._live if e.id != at[group]) for group in drawn}
        self._preparing.begin(moves, self._bridge.last_batch(self._query) + 1, together=False)
        ends_s = time.monotonic() + PATIENCE_S
        while self._placement.held() and time.monotonic() < ends_s:
            made: Sequence[KeyGroup] = self._preparing.hand_over(self._live)
            self.moved += len(made)
            for group in made:
                source = next(e for e in self._live if e.id == at[group])
                self._preparing.give_back(group, source)
            time.sleep(0.05)
        self.dropped += len(self._preparing.dropped())

    def stop(self) -> None:
        """Leave all copies."""
        self._preparing.stop()


def wrong(spark: SparkSession, table: str) -> int:
    """Return how many keys have another count than the rest."""
    counts = [row["count"] for row in spark.table(table).collect()]
    usual = max(set(counts), key=counts.count)
    return sum(count != usual for count in counts) + KEYS - len(counts)


def main(arguments: Sequence[str] | None = None) -> int:
    """Move, print what is held, and judge."""
    parser = argparse.ArgumentParser(prog="python -m bench.many_moves", description=__doc__)
    parser.add_argument("--moves", type=int, default=1_000)
    wanted = parser.parse_args(arguments).moves
    settings = {
        "spark.sql.shuffle.partitions": str(GROUPS),
        "spark.sql.streaming.stateStore.maintenanceInterval": "5s",
    }
    found: list[Held] = []
    with local_cluster(NODES, settings=settings) as cluster, TemporaryDirectory() as folder:
        spark = cluster.spark
        source = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", ROWS)
        counts = source.load().groupBy((fn.col("value") % KEYS).alias("key")).count()
        writer = counts.writeStream.format("memory").queryName("counts").outputMode("complete")
        query = writer.option("checkpointLocation", f"{folder}/checkpoint").start()
        mover = Mover(spark, query)
        while mover.moved < wanted:
            before = mover.moved
            mover.move()
            if mover.moved // EVERY > before // EVERY:
                found.append(held(spark))
                print(f"{mover.moved:5} moves: {_told(found[-1])}", flush=True)
        mover.stop()
        query.stop()
        missing = wrong(spark, "counts")
    print(f"moves: {mover.moved}, dropped {mover.dropped}; keys with a wrong count: {missing}")
    return 1 if missing or _grew(found) else 0


def _told(now: Held) -> str:
    return (
        f"{now.resident_mb:.0f} MB resident, {now.threads} threads, {now.files} open files, "
        f"{now.stores} stores open, {now.jars} jars"
    )


def _grew(found: Sequence[Held]) -> bool:
    """Return whether the last third holds more than the middle one; the first warms up."""
    third = len(found) // 3
    if not third:
        return False
    middle, last = found[third : 2 * third], found[-third:]
    pairs = {
        "MB": (min(h.resident_mb for h in middle), min(h.resident_mb for h in last)),
        "threads": (min(h.threads for h in middle), min(h.threads for h in last)),
        "files": (min(h.files for h in middle), min(h.files for h in last)),
    }
    grown = [name for name, (before, after) in pairs.items() if after > before * SLACK[name]]
    if last[-1].jars > found[0].jars or last[-1].stores > 4 * GROUPS:
        grown.append("jars or stores")
    for name in grown:
        print(f"grew: {name}")
    return bool(grown)


if __name__ == "__main__":
    sys.exit(main())
