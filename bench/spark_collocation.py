"""What collocation brings on Spark: two chained Python operators with one-to-one traffic.

Run it with ``python -m bench.spark_collocation``. All that a key group of the first operator sends
goes to one key group of the second, and every such pair starts on two different executors. Then it
is run as plain Spark, with ``albic`` and with ``joint``. Planned is what the controller's plan says
about traffic that stays on a node; measured is what Spark's tasks read locally and from elsewhere.
"""

import statistics
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console

import albic
from albic.control import RoundRecord
from albic.control.batches import BatchRecord
from albic.jobs.chained import LOAD, Chain, chained
from albic.jobs.observed_run import batches, started
from albic.nodes.isolation import Isolation
from albic.spark.starting_places import Dealer
from albic.wiring import LocalCluster
from bench.child import ROOT
from bench.goals import Goal, Result, Row, mean, number, timed
from bench.node_options import add_isolation, isolation
from bench.report import report, save, show

NODES = 2
PLAIN = "plain"
WAYS = (PLAIN, "albic", "joint")
#: Batches that start workers, then those that a controller has to find the pairs.
WARM_UP, SETTLING = 2, 8
RESULTS = ROOT / "out/bench/spark-collocation.json"


def one_way(
    cluster: LocalCluster, options: Namespace, way: str
) -> tuple[list[BatchRecord], Sequence[RoundRecord]]:
    """Run the chain one way; return its batches and the rounds of whoever measured it."""
    with tempfile.TemporaryDirectory(dir=cluster.storage, ignore_cleanup_errors=True) as folder:
        load = replace(LOAD, events=options.rows, key_groups=options.key_groups, sources=NODES)
        chain = Chain(load, kib=options.kib)
        query = started(chained(cluster.spark, chain), Path(folder) / "checkpoint", mode="append")
        seen, controller, dealer = [], None, None
        try:
            for record in batches(query, WARM_UP + SETTLING + options.batches):
                seen.append(record)
                dealer = dealer or Dealer(query, shift=1)
                if record.batch < WARM_UP:
                    dealer.settled(record.node)
                if record.batch == WARM_UP - 1:
                    controller = albic.attach(
                        query,
                        planner="hold" if way == PLAIN else way,
                        dry_run=way == PLAIN,
                        period="2 batches",
                        max_migrations=options.key_groups,
                        journal=Path(folder) / "journal.jsonl",
                    )
            if controller is None:
                raise RuntimeError("the query had no batches")
            controller.stop()
        finally:
            query.stop()
        return seen, controller.journal.records()


def row(way: str, seen: Sequence[BatchRecord], rounds: Sequence[RoundRecord]) -> Row:
    """Return one way as a line: what the last batches and the last rounds showed."""
    counted = [record for record in seen if record.batch >= WARM_UP + SETTLING]
    since_s = counted[0].ended_s
    late = [each for each in rounds if each.at_s >= since_s and each.batches]
    ran = sum(each.batches for each in late)
    local, remote = (
        sum(getattr(each, f"{end}_bytes") for each in late) for end in ("local", "remote")
    )
    planned = [each.collocation_before for each in late if each.collocation_before is not None]
    return {
        "way": way,
        "batch s": statistics.median(record.batch_s for record in counted),
        "planned %": 100 * mean(planned),
        "measured %": 100 * local / (local + remote) if local + remote else None,
        "remote MB a batch": remote / ran / 1e6 if ran else None,
        "JVM CPU s a batch": sum(each.cpu_s for each in late) / ran if ran else None,
        "moves": sum(len(each.moves) for each in rounds if each.status == "applied"),
    }


def collocation(options: Namespace, nodes: Isolation) -> Result:
    """Return what each way reached."""
    settings = {"spark.sql.shuffle.partitions": str(options.key_groups)}
    with albic.local_cluster(nodes=NODES, settings=settings, **nodes.arguments) as cluster:
        rows = {way: row(way, *one_way(cluster, options, way)) for way in WAYS}
    plain, joint = rows[PLAIN], rows["joint"]
    goals = (
        Goal(
            "traffic of joint on a node, planned", 90.0, number(joint, "planned %"), "%", least=True
        ),
        Goal(
            "traffic of joint on a node, measured",
            85.0,
            number(joint, "measured %"),
            "%",
            least=True,
        ),
        Goal(
            "batch of joint, times plain", 1.0, number(joint, "batch s") / number(plain, "batch s")
        ),
    )
    return Result(goals, tuple(rows.values()), tuple(rows.values()))


def main(arguments: Sequence[str]) -> int:
    """Measure, print, keep, and return 1 if a goal is missed."""
    from albic.experiments.manifest import beginning  # noqa: PLC0415  takes its load before us

    parser = ArgumentParser(prog="python -m bench.spark_collocation", description=__doc__)
    parser.add_argument("--rows", type=int, default=40_000, help="rows a batch")
    parser.add_argument("--kib", type=int, default=1, help="size of a row")
    parser.add_argument("--key-groups", type=int, default=8, help="of each operator")
    parser.add_argument("--batches", type=int, default=10, help="measured in each way")
    add_isolation(parser)
    options, begun = parser.parse_args(arguments), beginning()
    nodes = isolation(parser, options, NODES)
    result = timed(lambda: collocation(options, nodes))
    show(Console(), "collocation", result)
    save(report({"collocation": result}, vars(options), result.seconds, begun), RESULTS)
    return 0 if all(goal.holds for goal in result.goals) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
