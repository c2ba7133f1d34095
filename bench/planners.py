"""Measures the planners against what the project promises; see ``docs/benchmarks.md``.

Exit code 1 means that a goal is missed. A full run writes its results into the repository; one with
``--only`` or ``--quick`` leaves them in ``out/bench``.
"""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

if not __package__:
    # Started as a file: its folder is on the path, and has to be the one above.
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from albic.cli.shared.screen import screen
from albic.experiments.manifest import beginning
from albic.optimize.search import compiled
from bench.child import ROOT
from bench.first_plan import start
from bench.goals import Result, timed
from bench.instances import paper_cases
from bench.joint import Schedule, joint
from bench.large_clusters import scale, scale_cases
from bench.makespan import makespan
from bench.paper_clusters import clusters
from bench.report import conclude, report, show
from bench.tightness import tightness

SEEDS = (1, 2, 3)
HIGHS_SECONDS, QUICK_HIGHS_SECONDS = 20.0, 2.0
RESULTS, PAGE = ROOT / "bench/results/planners.json", ROOT / "docs/benchmarks.md"
PARTIAL = ROOT / "out/bench/planners.json"


def sections(options: argparse.Namespace) -> dict[str, Callable[[], Result]]:
    """Return what can be run, in order."""
    quick, seeds = options.quick, SEEDS[:1] if options.quick else SEEDS
    return {
        "start": lambda: start(processes=5),
        "clusters": lambda: clusters(
            paper_cases(quick=quick), options.highs_seconds, paper=options.paper
        ),
        "scale": lambda: scale(scale_cases(quick=quick)),
        "makespan": lambda: makespan(seeds),
        "bounds": lambda: tightness(seeds),
        "joint": lambda: joint(seeds, Schedule()),
    }


def parsed(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(prog="bench/planners.py", description=__doc__)
    names = ("start", "clusters", "scale", "makespan", "bounds", "joint")
    parser.add_argument("--only", action="append", choices=names, help="this section; repeatable")
    parser.add_argument("--quick", action="store_true", help="fewer instances, about a minute")
    parser.add_argument("--highs-seconds", type=float, help="time of plain HiGHS, 20 (quick: 2)")
    parser.add_argument(
        "--paper", action="store_true", help="the printed program too: twice as long"
    )
    parser.add_argument("--output", type=Path, help="where the JSON goes; the page is left alone")
    parser.add_argument("--no-goals", action="store_true", help="exit code 0 whatever is missed")
    options = parser.parse_args(arguments)
    if options.highs_seconds is None:
        options.highs_seconds = QUICK_HIGHS_SECONDS if options.quick else HIGHS_SECONDS
    if not 0 < options.highs_seconds < float("inf"):
        parser.error(f"--highs-seconds is {options.highs_seconds:g}; it must be above 0")
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the chosen sections, show and keep what they found, and return the exit code."""
    options, console = parsed(arguments), screen()
    began_s, begun = time.perf_counter(), beginning()
    compiled()
    results = {}
    for name, section in sections(options).items():
        if options.only and name not in options.only:
            continue
        console.print(f"{name} …")
        results[name] = timed(section)
        show(console, name, results[name])
    made = report(results, told(options), time.perf_counter() - began_s, begun)
    full = not (options.quick or options.only or options.output)
    path = options.output or (RESULTS if full else PARTIAL)
    held = conclude(console, results, made, path, PAGE if full else None)
    return 0 if held or options.no_goals else 1


def told(options: argparse.Namespace) -> dict[str, object]:
    """Return what the run was asked for, as it is kept."""
    return {
        "only": options.only,
        "quick": options.quick,
        "paper": options.paper,
        "highs_seconds": options.highs_seconds,
        "seeds": list(SEEDS[:1] if options.quick else SEEDS),
    }


if __name__ == "__main__":
    sys.exit(main())
