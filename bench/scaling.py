"""Measures how scaling follows a load that doubles and halves; see ``docs/scaling.md``.

albic beside Spark's own dynamic allocation and beside as many executors as are ever needed; and in
the simulator, one plan for draining and balancing beside one after the other. Exit code 1 means
that a goal is missed. A full run writes its results into the repository; any other leaves them in
``out/bench``.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

if not __package__:
    # Started as a file: its folder is on the path, and has to be the one above.
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from albic.cli.shared.screen import screen
from albic.experiments.manifest import beginning
from albic.figures.plots import save as save_charts
from albic.optimize.search import compiled
from albic.reports.swings import swing_charts
from bench.child import ROOT
from bench.goals import Result, timed
from bench.report import conclude, report, show
from bench.swing_scene import USUAL, WAYS, swung
from bench.swing_summary import judged, scaled_in

RESULTS, PAGE = ROOT / "bench/results/scaling.json", ROOT / "docs/scaling.md"
PARTIAL = ROOT / "out/bench/scaling.json"


def parsed(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(prog="bench/scaling.py", description=__doc__)
    parser.add_argument("--way", action="append", choices=WAYS, help="this way; repeatable")
    parser.add_argument("--all", action="store_true", help="every policy; about 15 minutes")
    parser.add_argument("--output", type=Path, help="where the JSON goes; the page is left alone")
    parser.add_argument("--picture", type=Path, help="where the charts go, as PNG and SVG")
    parser.add_argument("--no-goals", action="store_true", help="exit code 0 whatever is missed")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the ways that were asked for, show and keep what they found; return the exit code."""
    options, console = parsed(arguments), screen()
    began_s, begun = time.perf_counter(), beginning()
    compiled()
    ways = options.way or (WAYS if options.all else USUAL)
    runs = [swung(way, console.print) for way in ways]
    results: dict[str, Result] = {
        "swing": judged(runs, time.perf_counter() - began_s),
        "scale-in": timed(scaled_in),
    }
    for name, result in results.items():
        show(console, name, result)
    asked = {"ways": list(ways)}
    made = report(results, asked, time.perf_counter() - began_s, begun)
    full = not (options.way or options.output)
    path = options.output or (RESULTS if full else PARTIAL)
    if options.picture:
        drawn = save_charts(swing_charts(runs), options.picture.with_suffix(""))
        console.print(f"picture: {drawn[0]} and {drawn[1]}")
    held = conclude(console, results, made, path, PAGE if full else None)
    return 0 if held or options.no_goals else 1


if __name__ == "__main__":
    sys.exit(main())
