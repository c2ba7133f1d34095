"""Measures what albic brings on isolated nodes with real work; see ``docs/benchmarks-nodes.md``.

Every scene is run as plain Spark with its own locality wait and with none, and with albic attached,
there and back again, for Java's compiler makes each run faster than the one before.
Needs Linux and root. Exit code 1 means that a goal is missed. What was measured is kept after every
scene; a full run writes into the repository, one with ``--only``, ``--way`` or ``--quick`` into
``out/bench``.
"""

import argparse
import contextlib
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

if not __package__:
    # Started as a file: its folder is on the path, and has to be the one above.
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import albic
from albic.cli.shared.screen import screen
from albic.experiments.manifest import Beginning, beginning, commit
from albic.figures.plots import svg
from albic.model import InvalidInput
from albic.optimize.collocation import compiled
from bench.child import ROOT
from bench.goals import Result, timed
from bench.node_page import PICTURED, conclusions, pictured
from bench.node_scenes import CORE, FAST, Act, acts, bare, rehearsals
from bench.node_tables import bare_costs, judged
from bench.report import conclude, kept, report, save, show
from bench.scene_runner import Stage
from bench.scenes import ALBIC, IMPATIENT, NODES, PLAIN, SETTINGS, Scene

WAYS = (PLAIN, IMPATIENT, ALBIC)
NAMES = tuple(acts(quick=True))
#: What a batch costs without work; no scene, and without a goal.
BARE = "bare"
RESULTS, PAGE = ROOT / "bench/results/nodes.json", ROOT / "docs/benchmarks-nodes.md"
PARTIAL, PICTURE = ROOT / "out/bench/nodes.json", ROOT / "docs/nodes.svg"
SAME, ANY = "same", "any"
#: How often snapshots are stored that batches left; a run is as long as the usual minute.
MAINTENANCE = "spark.sql.streaming.stateStore.maintenanceInterval"


def parsed(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(prog="bench/nodes.py", description=__doc__)
    named = (*NAMES, BARE)
    parser.add_argument("--only", action="append", choices=named, help="this scene; repeatable")
    parser.add_argument("--way", action="append", choices=WAYS, help="this way; repeatable")
    parser.add_argument("--quick", action="store_true", help="shorter scenes, each way once")
    parser.add_argument("--output", type=Path, help="where the JSON goes; the page is left alone")
    parser.add_argument(
        "--resume",
        nargs="?",
        const=SAME,
        choices=(SAME, ANY),
        help="keep the scenes that the results have of this commit, or of any, and run the rest; "
        "with --only, run those and keep the rest",
    )
    parser.add_argument("--no-goals", action="store_true", help="exit code 0 whatever is missed")
    return parser.parse_args(arguments)


def full(options: argparse.Namespace) -> bool:
    """Return whether the results are for the repository: whole scenes, alone or beside others."""
    partial = options.quick or options.way or options.output
    return not partial and not (options.only and not options.resume)


def target(options: argparse.Namespace) -> Path:
    """Return where the results go."""
    chosen: Path = options.output or (RESULTS if full(options) else PARTIAL)
    return chosen


def remaining(options: argparse.Namespace, before: Mapping[str, Result]) -> list[str]:
    """Return the scenes that are still to run."""
    return list(options.only or [name for name in (*NAMES, BARE) if name not in before])


def resumed(options: argparse.Namespace, now: str) -> dict[str, Result]:
    """Return what earlier runs left that is to be kept; nothing without ``--resume``."""
    if not options.resume:
        return {}
    found = kept(target(options))
    return {
        name: result
        for name, result in found.items()
        if options.resume == ANY or result.commit == now
    }


def order(options: argparse.Namespace, act: Act | None = None) -> tuple[str, ...]:
    """Return the ways in the order of their runs: there, and back again.

    A wait of 0 s has one run, in the middle, where nothing is promised about it.
    """
    if options.quick or options.way:
        there = tuple(options.way or WAYS)
        return there if options.quick else there + there[::-1]
    if act is None or act.against_best:
        return WAYS + WAYS[::-1]
    return (PLAIN, ALBIC, IMPATIENT, ALBIC, PLAIN)


@contextlib.contextmanager
def staged(tell: Callable[[str], None], chosen: Iterable[Scene]) -> Iterator[Stage]:
    """Yield a cluster of isolated nodes that is warm for the scenes."""
    with albic.local_cluster(
        nodes=NODES,
        cpu=CORE,
        network=FAST,
        storage="network",
        settings={**SETTINGS, MAINTENANCE: "10s"},
    ) as cluster:
        stage = Stage(cluster, tell)
        for scene in rehearsals(chosen):
            stage.run(scene, PLAIN)
        yield stage


def measured(stage: Stage, act: Act | None, ways: Sequence[str]) -> Result:
    """Return what the runs of one scene told; without one, what batches cost without work."""
    if act is None:
        return bare_costs([(scene.name, stage.run(scene, PLAIN)) for scene in bare()])
    return judged(act, [stage.run(act.scene, way) for way in ways])


def in_order(results: Mapping[str, Result]) -> dict[str, Result]:
    """Return the scenes in the order of the command line, whenever each was run."""
    return {name: results[name] for name in (*NAMES, BARE) if name in results}


def finish(
    options: argparse.Namespace, results: Mapping[str, Result], begun: Beginning, seconds: float
) -> bool:
    """Keep everything, write page and picture of whole scenes; return whether all goals hold."""
    known = acts(quick=options.quick)
    whole = full(options)
    if whole and PICTURED in results:
        PICTURE.write_text(svg([pictured(results[PICTURED], known[PICTURED])]), encoding="utf-8")
    made = report(results, vars_of(options), seconds, begun)
    return conclude(
        screen(),
        results,
        made,
        target(options),
        PAGE if whole else None,
        conclusions(results, known) if whole else "",
    )


def vars_of(options: argparse.Namespace) -> dict[str, object]:
    """Return the options as they are kept."""
    return {name: getattr(options, name) for name in ("only", "way", "quick", "resume")}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the bench and return its exit code; 2 where it cannot run, with a sentence."""
    options = parsed(arguments)
    try:
        return run(options)
    except InvalidInput as wrong:
        screen(aside=True).print(str(wrong))
        return 2


def run(options: argparse.Namespace) -> int:
    """Run the scenes that are asked for, show and keep each, and return the exit code."""
    console = screen()
    began_s, begun, now = time.perf_counter(), beginning(), commit("bench/*.py")
    known, results = acts(quick=options.quick), resumed(options, now)
    if left := remaining(options, results):
        compiled()
        chosen = [act.scene for name in left if (act := known.get(name))] or bare()
        with staged(console.print, chosen) as stage:
            for name in left:
                act = known.get(name)
                ways = order(options, act)
                found = timed(lambda: measured(stage, act, ways))  # noqa: B023
                results[name] = replace(found, commit=now)
                results = in_order(results)
                show(console, name, results[name])
                seconds = time.perf_counter() - began_s
                save(report(results, vars_of(options), seconds, begun), target(options))
    held = finish(options, results, begun, time.perf_counter() - began_s)
    return 0 if held or options.no_goals else 1


if __name__ == "__main__":
    sys.exit(main())
