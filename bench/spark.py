"""Measures what albic brings on Spark; see ``docs/benchmarks-spark.md``.

Three scenes, each run as plain Spark with its own locality wait and with none, with even counts,
and with albic attached. Exit code 1 means that a goal is missed. A full run writes its results into
the repository; one with ``--only`` or ``--quick`` leaves them in ``out/bench``.
"""

import argparse
import contextlib
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

if not __package__:
    # Started as a file: its folder is on the path, and has to be the one above.
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import albic
from albic.cli.shared.screen import screen
from albic.experiments.manifest import beginning
from albic.jobs.drifting import Drift
from albic.nodes.isolation import Isolation
from albic.optimize.search import compiled
from bench.best_possible import judged
from bench.child import ROOT
from bench.goals import Result
from bench.node_options import add_isolation, isolation
from bench.report import conclude, report, show
from bench.scene_runner import Stage
from bench.scenes import NODES, PLAIN, SETTINGS, WAYS, Run, Scene, scenes

NAMES = ("drift", "late", "tiny")
RESULTS, PAGE = ROOT / "bench/results/spark.json", ROOT / "docs/benchmarks-spark.md"
PARTIAL = ROOT / "out/bench/spark.json"
#: A few batches that warm up JVMs and executors, and that nobody measures.
REHEARSAL = Scene("rehearsal", Drift(first_phase=2), before=1, after=3)


def parsed(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(prog="bench/spark.py", description=__doc__)
    parser.add_argument("--only", action="append", choices=NAMES, help="this scene; repeatable")
    parser.add_argument("--way", action="append", choices=WAYS, help="this way; repeatable")
    parser.add_argument("--quick", action="store_true", help="shorter scenes, about five minutes")
    parser.add_argument("--output", type=Path, help="where the JSON goes; the page is left alone")
    parser.add_argument("--no-goals", action="store_true", help="exit code 0 whatever is missed")
    add_isolation(parser)
    options = parser.parse_args(arguments)
    options.nodes = isolation(parser, options, NODES)
    return options


def chosen(options: argparse.Namespace) -> list[Scene]:
    """Return the scenes that were asked for."""
    named = dict(zip(NAMES, scenes(quick=options.quick), strict=True))
    return [scene for name, scene in named.items() if not options.only or name in options.only]


@contextlib.contextmanager
def staged(tell: Callable[[str], None], nodes: Isolation) -> Iterator[Stage]:
    """Yield a warm cluster for the scenes."""
    with albic.local_cluster(nodes=NODES, settings=SETTINGS, **nodes.arguments) as cluster:
        stage = Stage(cluster, tell)
        stage.run(REHEARSAL, PLAIN)
        yield stage


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the chosen scenes, show and keep what they found, and return the exit code."""
    options, console = parsed(arguments), screen()
    began_s, begun = time.perf_counter(), beginning()
    compiled()
    results: dict[str, Result] = {}
    with staged(console.print, options.nodes) as stage:
        for scene in chosen(options):
            scene_began_s = time.perf_counter()
            runs: list[Run] = [stage.run(scene, way) for way in options.way or WAYS]
            seconds = time.perf_counter() - scene_began_s
            found = judged(scene, runs)
            results[scene.name] = Result(found.goals, found.rows, found.summary, seconds)
            show(console, scene.name, results[scene.name])
    asked = {"only": options.only, "way": options.way, "quick": options.quick}
    made = report(results, asked, time.perf_counter() - began_s, begun)
    partial = (options.quick, options.only, options.way, options.output, options.nodes.wanted)
    full = not any(partial)
    path = options.output or (RESULTS if full else PARTIAL)
    held = conclude(console, results, made, path, PAGE if full else None)
    return 0 if held or options.no_goals else 1


if __name__ == "__main__":
    sys.exit(main())
