"""What a move costs the batch after it, made at once and prepared; see ``docs/warm-moves.md``.

On isolated nodes with storage beyond links of 100 Mbit/s. Two key groups move at a time, to the
next node each: at once, prepared, prepared, at once. How late the batch of a move is, is told by
those right after it, which have the same placement. Needs Linux and root, and two minutes for each
size; prints a table.

    python -m bench.moves --mb 1 --mb 20
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from pyspark.sql.streaming.query import StreamingQuery
from rich.table import Table

import albic
from albic.cli.shared.screen import screen
from albic.control.batches import BatchRecord
from albic.jobs.drifting import Drift, drifting
from albic.jobs.observed_run import batches, started
from albic.model import InvalidInput, JobEnded
from albic.spark.attaching import bridge_of_process
from albic.spark.executors import Executor, Executors
from albic.spark.operators import shape
from albic.spark.placement import KeyGroup, Placement
from albic.spark.prepared_moves import Preparing
from albic.spark.starting_places import Dealer
from albic.wiring import LocalCluster
from bench.node_scenes import EQUAL, FAST, KEEPING, NEVER, SLOW
from bench.scenes import NODES, SETTINGS

AT_ONCE, PREPARED = "at once", "prepared"
ORDER = (AT_ONCE, PREPARED, PREPARED, AT_ONCE)
#: Batches without work until snapshots are stored, those that tell what is usual, and the most
#: until a copy has to be ready.
FREE, USUAL, MOST = 18, 4, 20
MAINTENANCE = "spark.sql.streaming.stateStore.maintenanceInterval"
NOTE_BYTES = KEEPING.note_bytes


@dataclass(frozen=True, slots=True)
class Measured:
    """One move of two key groups: seconds by which its batch was longer than those after it.

    ``beside_s`` is by how much batches were longer during the preparation than before, on average.
    """

    way: str
    usual_s: float
    late_s: float
    beside_s: float | None = None
    loads_s: float | None = None


class Mover:
    """Moves key groups of a running query, and reads its batches."""

    def __init__(self, query: StreamingQuery, records: Iterator[BatchRecord]) -> None:
        bridge = bridge_of_process()
        plan = bridge.plan(query)
        if plan is None:
            raise JobEnded("the query has no plan yet")
        found, self._executors = shape(plan, "moves", str(query.runId)), Executors(bridge)
        self._executors.look()
        self._placement = Placement(bridge, found)
        self._preparing = Preparing(bridge, bridge.followers(), query, found, self._placement)
        self._records = records

    def moved(self, way: str, partitions: Sequence[int]) -> Measured:
        """Move key groups one way and return what that cost."""
        before = [next(self._records) for _ in range(USUAL)]
        usual_s = median(record.batch_s for record in before)
        live = self._executors.live()
        at = {executor.id: number for number, executor in enumerate(live)}
        moves = {KeyGroup(0, p): live[(at[before[-1].node[p]] + 1) % len(live)] for p in partitions}
        if way == AT_ONCE:
            self._placement.move_now(moves)
            return Measured(way, *self._followed(moves))
        self._preparing.begin(moves, before[-1].batch + 1, together=True)
        beside_s = []
        for _ in range(MOST):
            record = next(self._records)
            if self._preparing.hand_over(live):
                loads_s = max(self._preparing.took_s(group) or 0.0 for group in moves)
                return Measured(way, *self._followed(moves), _mean(beside_s, usual_s), loads_s)
            beside_s.append(record.batch_s)
        raise JobEnded(f"no copy was ready within {MOST} batches")

    def _followed(self, moves: dict[KeyGroup, Executor]) -> tuple[float, float]:
        """Return what a batch takes with the new owners, and how late their first one was."""
        longest_s = 0.0
        for _ in range(MOST):
            record = next(self._records)
            # One that had begun may load state on its old owner once more, and be late for that.
            longest_s = max(longest_s, record.batch_s)
            if all(record.node[group.partition] == to.id for group, to in moves.items()):
                after_s = median(next(self._records).batch_s for _ in range(USUAL))
                return after_s, longest_s - after_s
        raise JobEnded("Spark did not follow")


def _mean(took_s: Sequence[float], usual_s: float) -> float:
    return sum(took_s) / len(took_s) - usual_s if took_s else 0.0


def measure(cluster: LocalCluster, drift: Drift, folder: Path) -> list[Measured]:
    """Return what moves of a job with so much state cost."""
    for host in cluster.hosts:
        cluster.slow(host, network="unlimited")
    cluster.spark.conf.set("spark.sql.shuffle.partitions", str(drift.key_groups))
    query = started(drifting(cluster.spark, drift), folder / "checkpoint")
    try:
        records = batches(query)
        dealer: Dealer | None = None
        for _ in range(FREE):
            record = next(records)
            dealer = dealer or Dealer(query, shift=0)
            dealer.settled(record.node)
        for host in cluster.hosts:
            cluster.slow(host, network=SLOW)
        mover, pairs = Mover(query, records), ((0, 1), (2, 3), (4, 5), (6, 7))
        return [mover.moved(way, pair) for way, pair in zip(ORDER, pairs, strict=True)]
    finally:
        query.stop()


def table(found: dict[int, list[Measured]]) -> Table:
    """Return what was measured, one line a size and way."""
    shown = Table("MB a key group", "way", "usual s", "late s", "batches beside loads s", "load s")
    for size, moves in found.items():
        for way in (AT_ONCE, PREPARED):
            mine = [move for move in moves if move.way == way]
            cells = [
                "/".join("" if value is None else f"{value:.2f}" for value in values)
                for values in (
                    [move.usual_s for move in mine],
                    [move.late_s for move in mine],
                    [move.beside_s for move in mine],
                    [move.loads_s for move in mine],
                )
            ]
            shown.add_row(str(size), way, *(cell.strip("/") for cell in cells))
    return shown


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the bench; return 2 where it cannot run, with a sentence."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--mb", type=int, action="append", help="state of a key group; repeatable")
    sizes = parser.parse_args(arguments).mb or [1, 20]
    settings = {**SETTINGS, MAINTENANCE: "10s"}
    found: dict[int, list[Measured]] = {}
    try:
        with albic.local_cluster(
            nodes=NODES, cpu=list(EQUAL), network=FAST, storage="network", settings=settings
        ) as cluster:
            for size in sizes:
                drift = replace(
                    KEEPING,
                    key_groups=8,
                    keys=max(size * 1_000_000 // NOTE_BYTES, 60),
                    free=FREE,
                    first_phase=NEVER,
                    skew=0.0,
                )
                with tempfile.TemporaryDirectory(
                    dir=cluster.storage, ignore_cleanup_errors=True
                ) as folder:
                    found[size] = measure(cluster, drift, Path(folder))
                screen().print(table(found))
    except InvalidInput as wrong:
        screen(aside=True).print(str(wrong))
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
