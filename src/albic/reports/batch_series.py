"""The course of a run, batch by batch: how much is collocated, how even it is, how much work.

Each course is a list of (batch, value) from the first batch that counts on.
"""

import statistics
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from albic.control.batches import BatchRecord
from albic.control.journal import RoundRecord, Status
from albic.model import Topology
from albic.model.snapshot_file import snapshot_from
from albic.reports.run_records import RunRecords

Course = list[tuple[int, float]]

#: Batches that the load index refers to: the first that count, before a plan shows.
FIRST = 2
#: Batches at the end of a run that tell where it came to rest.
LAST = 6
#: A last batch with less than this share of the rows before it is what was left of the data.
REMNANT = 0.5


@dataclass(frozen=True, slots=True)
class Summary:
    """One run in numbers, or several with the same planner; ``end`` is of the last batches.

    ``lowest`` and ``highest`` are the medians of single runs. ``planned`` is what the controller's
    measurements and plan say about bytes between key groups that stay on a node, ``measured`` what
    Spark's tasks read locally. Without bytes it is None.
    """

    name: str
    batches: int
    rows: int
    rows_per_s: float
    batch_s: float
    end_batch_s: float
    lowest_end_batch_s: float
    highest_end_batch_s: float
    end_distance_pct: float
    start_collocation_pct: float | None
    end_planned_pct: float | None
    end_measured_pct: float | None
    end_remote_bytes: float
    end_remote_bytes_per_row: float
    end_load_index_pct: float
    moves: int
    moved_bytes: int
    compliance_pct: float | None


def summary(*runs: RunRecords) -> Summary:
    """Return the runs of one planner in numbers: medians over all of their batches together."""
    counted = [record for run in runs for record in run.counted]
    ends = [run.counted[-LAST:] for run in runs]
    end = [record for each in ends for record in each]
    medians = [statistics.median(record.batch_s for record in each) for each in ends]
    end_rows = sum(record.rows for record in end)
    remote = sum(record.remote_bytes for record in end)
    last_planned = [course[-1][1] for run in runs if (course := planned(run))]
    compliant = [share for run in runs if (share := run.compliance) is not None]
    indices = [value for run in runs for _, value in load_index(run)[-LAST:]]
    return Summary(
        name=runs[0].name,
        batches=len(counted),
        rows=sum(record.rows for record in counted),
        rows_per_s=sum(r.rows for r in counted) / sum(r.batch_s for r in counted),
        batch_s=statistics.fmean(record.batch_s for record in counted),
        end_batch_s=statistics.median(record.batch_s for record in end),
        lowest_end_batch_s=min(medians),
        highest_end_batch_s=max(medians),
        end_distance_pct=statistics.fmean(r.distance_pct(runs[0].nodes) for r in end),
        start_collocation_pct=_collocation_pct([r for run in runs for r in run.counted[:FIRST]]),
        end_planned_pct=statistics.fmean(last_planned) if last_planned else None,
        end_measured_pct=_collocation_pct(end),
        end_remote_bytes=remote / len(end),
        end_remote_bytes_per_row=remote / max(end_rows, 1),
        end_load_index_pct=statistics.median(indices),
        moves=round(statistics.fmean(run.moves for run in runs)),
        moved_bytes=round(statistics.fmean(_moved_bytes(run) for run in runs)),
        compliance_pct=100 * statistics.fmean(compliant) if compliant else None,
    )


def over_runs(runs: Sequence[RunRecords], course: Callable[[RunRecords], Course]) -> Course:
    """Return the mean course of several runs, batch by batch."""
    found: defaultdict[int, list[float]] = defaultdict(list)
    for run in runs:
        for batch, value in course(run):
            found[batch].append(value)
    return [(batch, statistics.fmean(found[batch])) for batch in sorted(found)]


def without_remnant(batches: Sequence[BatchRecord]) -> tuple[BatchRecord, ...]:
    """Return the batches without a last one that has too few rows to say what a row costs."""
    if len(batches) > 1 and batches[-1].rows < REMNANT * batches[-2].rows:
        return tuple(batches[:-1])
    return tuple(batches)


def measured(run: RunRecords) -> Course:
    """Return how many percent of the bytes between key groups Spark's tasks read locally."""
    return [
        (record.batch, 100 * record.collocation)
        for record in run.counted
        if record.collocation is not None
    ]


def planned(run: RunRecords) -> Course:
    """Return how many percent of those bytes stay on a node by the owners that were decided on."""
    ended_s = [record.ended_s for record in run.batches]
    course = []
    for each in run.rounds:
        share = decided_share(each)
        at = bisect_right(ended_s, each.at_s) - 1
        if share is not None and at >= 0:
            course.append((run.batches[at].batch, 100 * share))
    return course


def decided_share(one: RoundRecord) -> float | None:
    """Return the share of bytes that stay on a node by the owners that a round left behind."""
    return one.collocation_after if one.status is Status.APPLIED else one.collocation_before


def distance(run: RunRecords) -> Course:
    """Return the paper's load distance, in points of batch time."""
    return [(record.batch, record.distance_pct(run.nodes)) for record in run.counted]


def load_index(run: RunRecords) -> Course:
    """Return the work of all key groups for a row, in percent of that right after the start.

    The paper divides mean loads under an input of constant rate. Here batches follow each other as
    fast as they end, so nodes are always busy; what changes is how long a row keeps them so.
    """
    start = statistics.fmean(_work(record) for record in run.counted[:FIRST])
    return [(record.batch, 100 * _work(record) / start) for record in run.counted]


def moved(run: RunRecords) -> Course:
    """Return how many key groups began to run elsewhere."""
    return [(record.batch, float(record.moved)) for record in run.counted]


def remote(run: RunRecords) -> Course:
    """Return how many megabytes key groups read from other nodes."""
    return [(record.batch, record.remote_bytes / 1e6) for record in run.counted]


def batch_times(run: RunRecords) -> Course:
    """Return how long batches took, in seconds."""
    return [(record.batch, record.batch_s) for record in run.counted]


def key_group_names(topology: Topology) -> tuple[str, ...]:
    """Return the name of each key group's operator."""
    return tuple(each.name for each in topology.operators for _ in range(each.key_groups))


def operator_work(*runs: RunRecords) -> dict[str, float]:
    """Return the microseconds of work for a row that each operator took in the last batches.

    The work of a chain is its operators', by the shares of it that they were seen to do.
    """
    ends = [(run, record) for run in runs for record in run.counted[-LAST:]]
    rows = max(sum(record.rows for _, record in ends), 1)
    work_us: defaultdict[str, float] = defaultdict(float)
    shares = {id(run): _chain_work(run) for run in runs}
    for run, record in ends:
        for name, busy_s in zip(run.operators, record.busy_s, strict=True):
            for operator, share in shares[id(run)].get(name, {name: 1.0}).items():
                work_us[operator] += share * 1e6 * busy_s / rows
    return dict(work_us)


def _chain_work(run: RunRecords) -> dict[str, dict[str, float]]:
    """Return the share of its work that each operator of a chain did, as the last round saw it."""
    seen = next((each.snapshot for each in reversed(run.rounds) if each.snapshot), None)
    if seen is None:
        return {}
    snapshot = snapshot_from(seen)
    return {
        # Rounds put the name of the query before those of its operators.
        each.name.partition(" / ")[2]: dict(
            zip(each.chain, snapshot.chain_work[each.name], strict=True)
        )
        for each in snapshot.topology.operators
        if each.name in snapshot.chain_work
    }


def _moved_bytes(run: RunRecords) -> int:
    """Return how much state was told to move."""
    return sum(move.state_bytes for each in run.rounds for move in each.migrations)


def _work(record: BatchRecord) -> float:
    """Return the seconds that key groups worked for a row of the batch."""
    return sum(record.busy_s) / max(record.rows, 1)


def _collocation_pct(records: Sequence[BatchRecord]) -> float | None:
    """Return the part of the bytes between key groups that stayed on a node, over some batches."""
    local = sum(record.local_bytes for record in records)
    both = local + sum(record.remote_bytes for record in records)
    return 100 * local / both if both else None
