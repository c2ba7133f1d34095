"""A job that has outgrown its nodes: Job 2 with 8 key groups, carried over into 16.

Run it with ``python -m bench.more_key_groups``. Eight key groups cannot be even on six nodes: two
nodes have two, and all others wait for them. Half way the job is stopped and goes on with sixteen,
from the state it has. State is dealt out like cards both times. The makespan of a batch is the work
of its busiest node; even is that of a node if all had the same. Nodes are isolated where the rights
allow it.
"""

import statistics
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from albic.cli.run.nodes import told
from albic.cli.shared.screen import screen
from albic.control.batches import BatchRecord
from albic.jobs.real import REAL_JOBS, Inputs
from albic.jobs.real.results import expected, results
from albic.nodes.isolation import Isolation
from albic.wiring import local_cluster
from bench.goals import Goal, Result, Row, timed
from bench.measured_network import WARM_BATCHES, dealt_out
from bench.node_options import add_isolation, usual_nodes
from bench.report import show

JOB = REAL_JOBS["job2"]


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured: nodes, key groups before and after, batches of each, rows a batch."""

    nodes: int
    before: int
    after: int
    batches: int
    rows: int


def summed(seen: Sequence[BatchRecord], size: Size, groups: int) -> Row:
    """Return the batches that count in numbers, medians each."""
    counted = seen[WARM_BATCHES : WARM_BATCHES + size.batches]
    busiest = [max(record.node_busy_s().values()) for record in counted]
    even = [sum(record.busy_s) / size.nodes for record in counted]
    return {
        "key_groups": groups,
        "batches": len(counted),
        "batch_s": statistics.median(record.batch_s for record in counted),
        "makespan_s": statistics.median(busiest),
        "even_s": statistics.median(even),
        "over_even": statistics.median(b / e for b, e in zip(busiest, even, strict=True)),
    }


def more_key_groups(size: Size, nodes: Isolation, folder: Path) -> Result:
    """Return the makespan before and after, and whether the result is that of plain SQL."""
    half = WARM_BATCHES + size.batches
    inputs = Inputs(folder, None, None, size.before, size.rows, 2 * half + 2)
    JOB.prepare(inputs)
    with local_cluster(size.nodes, **nodes.arguments) as cluster:
        old, new = cluster.storage / "before", cluster.storage / "after"
        first = dealt_out(JOB.network(cluster.spark, inputs).start(old, all_there_is=True), half)
        wider = JOB.network(cluster.spark, replace(inputs, key_groups=size.after))
        began_s = time.monotonic()
        running = wider.start(new, all_there_is=True, carry_over=old)
        carried_s = time.monotonic() - began_s
        second = dealt_out(running)
        equal = all(
            sorted(rows) == sorted(results(JOB, inputs)[name])
            for name, rows in expected(JOB, cluster.spark, inputs).items()
        )
    summary = (summed(first, size, size.before), summed(second, size, size.after))
    ratio = float(summary[1]["over_even"] or 0) / float(summary[0]["over_even"] or 1)
    goals = (
        Goal(f"makespan over even, {size.after} of {size.before} key groups", 1.0, ratio),
        Goal("rows as plain SQL has them", 1, int(equal), least=True),
    )
    carried: Row = {"carried_over_s": carried_s}
    return Result(goals, (*summary, carried), tuple({**row, **carried} for row in summary))


def main(arguments: Sequence[str]) -> int:
    """Measure, print, and return 1 if a goal is missed."""
    parser = ArgumentParser(prog="python -m bench.more_key_groups", description=__doc__)
    parser.add_argument("--nodes", type=int, default=6)
    parser.add_argument("--before", type=int, default=8, help="key groups to begin with")
    parser.add_argument("--after", type=int, default=16, help="key groups to go on with")
    parser.add_argument("--batches", type=int, default=10, help="measured before and after")
    parser.add_argument("--rows", type=int, default=JOB.rows, help="flights a batch")
    add_isolation(parser)
    options = parser.parse_args(arguments)
    size = Size(options.nodes, options.before, options.after, options.batches, options.rows)
    nodes = usual_nodes(parser, options, size.nodes)
    screen().print(told(size.nodes, nodes), soft_wrap=True)
    with tempfile.TemporaryDirectory() as folder:
        result = timed(lambda: more_key_groups(size, nodes, Path(folder)))
    show(screen(), "more key groups", result)
    return 0 if all(goal.holds for goal in result.goals) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
