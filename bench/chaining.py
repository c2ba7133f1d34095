"""What chaining brings: Jobs 2 to 4 with operators that share a key run as one, and apart.

Run it with ``python -m bench.chaining``. Both ways have the same rows in the same batches, on the
same nodes, and take turns: apart, chained, chained, apart. State lies as well as it can: key groups
of the same number are together, so that rows of one key stay on a node in both. Nodes are isolated
where the rights allow it.
"""

import statistics
import sys
import time
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pyarrow as pa

from albic.cli.run.nodes import told
from albic.cli.shared.screen import screen
from albic.experiments.manifest import beginning
from albic.jobs.real import REAL_JOBS, Inputs, RealJob, airplanes, articles, rain_delays, routes
from albic.jobs.real.rain import RainScore
from albic.reports.batch_series import without_remnant
from albic.reports.repeats import turns
from albic.streams.layout import layout
from albic.wiring import LocalCluster, local_cluster
from bench.goals import Goal, Result, Row, timed
from bench.measured_network import WARM_BATCHES, dealt_out
from bench.node_options import add_isolation, usual_nodes
from bench.report import conclude, markdown, report, show

RESULTS = Path(__file__).parent / "results" / "chaining.json"
PARTIAL = Path("out") / "chaining.json"
APART, CHAINED = "never", "auto"
WAYS = (APART, CHAINED)
#: The most that a chained batch may take of one whose operators run apart.
GOALS = {"job2": 0.70, "job3": 0.75, "job4": 0.80}
#: As many nodes as key groups, so that no node has two of one operator.
NODES = 4


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured: batches of each run, runs of each way, and rows a batch."""

    batches: int
    repeats: int
    rows: int | None

    def inputs(self, job: RealJob, folder: Path) -> Inputs:
        """Return what a run in ``folder`` reads."""
        return Inputs(
            folder,
            key_groups=NODES,
            rows_per_batch=self.rows or job.rows,
            batches=WARM_BATCHES + self.batches,
        )


def run(cluster: LocalCluster, job: RealJob, size: Size, chain: str, name: str) -> list[Row]:
    """Run a job to its end one way, and return the batches that count."""
    inputs = size.inputs(job, cluster.storage / name)
    network = job.network(cluster.spark, inputs)
    running = network.start(inputs.folder / "checkpoint", all_there_is=True, chain=chain)
    seen = dealt_out(running)
    return [
        {
            "job": job.name,
            "chain": chain,
            "run": name,
            "batch": record.batch,
            "batch_s": record.batch_s,
            "busy_s": sum(record.busy_s),
            "tasks": running.layout.tasks,
            "remote_bytes": record.remote_bytes,
        }
        for record in without_remnant(seen)[-size.batches :]
    ]


def measured(cluster: LocalCluster, job: RealJob, size: Size) -> Result:
    """Return both ways of a job, interleaved, and what chaining is of running apart."""
    job.prepare(size.inputs(job, cluster.storage))
    for chain in WAYS:
        run(cluster, job, Size(2, 1, size.rows), chain, f"{job.name}-warm-{chain}")
    rows = [
        row
        for chain, turn in turns(WAYS, size.repeats)
        for row in run(cluster, job, size, chain, f"{job.name}-{chain}-{turn}")
    ]
    summary = [summed(rows, chain) for chain in WAYS]
    apart_s, chained_s = (float(each["batch_s"] or 0) for each in summary)
    goal = Goal(
        f"{job.name}: batch time chained over apart",
        GOALS[job.name],
        chained_s / apart_s,
        note=f"{summary[1]['tasks']} tasks a batch instead of {summary[0]['tasks']}",
    )
    return Result((goal,), tuple(rows), tuple(summary))


def summed(rows: Sequence[Row], chain: str) -> Row:
    """Return one way in numbers: medians over all batches of its runs."""
    mine = [row for row in rows if row["chain"] == chain]
    runs: dict[object, list[float]] = {}
    for row in mine:
        runs.setdefault(row["run"], []).append(float(row["batch_s"] or 0))
    medians = [statistics.median(each) for each in runs.values()]
    return {
        "way": {APART: "apart", CHAINED: "chained"}[chain],
        "tasks": mine[0]["tasks"],
        "batch_s": statistics.median(float(row["batch_s"] or 0) for row in mine),
        "lowest_run_s": min(medians),
        "highest_run_s": max(medians),
        "work_s": statistics.median(float(row["busy_s"] or 0) for row in mine),
        "remote_mb": statistics.median(float(row["remote_bytes"] or 0) for row in mine) / 1e6,
    }


def tasks() -> list[Row]:
    """Return how many tasks the stages of a batch have, apart and chained; needs no Spark."""
    score = RainScore(1, pa.table({"origin": [""], "destination": [""]}))
    jobs = {
        "job1": (articles.JOB, articles.operators),
        "job2": (airplanes.JOB, airplanes.operators),
        "job3": (routes.JOB, routes.operators),
        "job4": (rain_delays.JOB, partial(rain_delays.operators, score=score)),
    }
    rows: list[Row] = []
    for name, (job, operators) in jobs.items():
        layouts = [layout(operators(job.key_groups), chain) for chain in WAYS]
        row: dict[str, str | int] = {"job": name, "key groups an operator": job.key_groups}
        for way, found in zip(("apart", "chained"), layouts, strict=True):
            row[f"stages, {way}"] = found.depth
            row[f"tasks a batch, {way}"] = found.tasks
            row[f"of these idle, {way}"] = found.tasks - sum(found.used)
        rows.append(row)
    return rows


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, keep, and return 1 if a goal is missed."""
    parser = ArgumentParser(prog="python -m bench.chaining", description=__doc__)
    parser.add_argument("--only", nargs="*", choices=sorted(GOALS), help="these jobs")
    parser.add_argument("--batches", type=int, default=8, help="measured in each run")
    parser.add_argument("--repeats", type=int, default=2, help="runs of each way")
    parser.add_argument("--rows", type=int, help="rows a batch; each job has its own number")
    parser.add_argument("--tasks", action="store_true", help="only count tasks; needs no Spark")
    parser.add_argument("--quick", action="store_true", help="few rows and batches, to try it out")
    add_isolation(parser)
    options = parser.parse_args(arguments)
    if options.tasks:
        for line in markdown(tasks()):
            sys.stdout.write(f"{line}\n")
        return 0
    size = Size(options.batches, options.repeats, options.rows)
    if options.quick:
        size = Size(2, 1, 5_000)
    console, begun, began_s = screen(), beginning(), time.perf_counter()
    nodes = usual_nodes(parser, options, NODES)
    console.print(told(NODES, nodes), soft_wrap=True)
    results = {}
    with local_cluster(NODES, **nodes.arguments) as cluster:
        for name in options.only or GOALS:
            results[name] = timed(lambda: measured(cluster, REAL_JOBS[name], size))  # noqa: B023
            show(console, name, results[name])
    whole = not (options.quick or options.only)
    asked = {**vars(options), "nodes": told(NODES, nodes)}
    made = report(results, asked, time.perf_counter() - began_s, begun)
    held = conclude(console, results, made, RESULTS if whole else PARTIAL, None)
    return 0 if held or options.quick else 1


if __name__ == "__main__":
    sys.exit(main())
