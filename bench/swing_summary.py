"""What a swing tells: who followed the load, with how many nodes, and how late."""

from collections.abc import Iterator, Mapping, Sequence

from albic.experiments.entries.scale_in import (
    LINES,
    URGENT,
    early_distance,
    points,
    rounds_until_empty,
)
from albic.experiments.rows import Rows
from albic.experiments.runs.scale_in import SEPARATE, scale_in
from albic.jobs.swinging import Swing
from albic.reports.swings import SwingRun
from bench.goals import Goal, Result, Row, mean
from bench.swing_scene import ALBIC, COURSE, DYNAMIC, MAX_MIGRATIONS

#: What the issue asks for.
MOST_DECISIONS = 3


def decisions(run: SwingRun) -> tuple[int, int]:
    """Return how many times the number of nodes was changed on the way up, and on the way down."""
    swing = COURSE.job.swing or Swing()
    turns_s = run.batch_ended_s(swing.low + swing.rise + swing.high - 1)
    up = sum(each.at_s <= turns_s for each in run.decisions)
    return up, len(run.decisions) - up


def row(run: SwingRun) -> Row:
    """Return one way as a line of the table."""
    took_s = [record.batch_s for record in run.counted]
    began_s, ended_s = run.span_s
    up, down = decisions(run)
    steered = bool(run.rounds)
    return {
        "way": run.name,
        "node-seconds": run.node_s,
        "mean nodes": run.mean_nodes,
        "late batches": run.late,
        "batches": len(took_s),
        "mean batch s": mean(took_s),
        "longest s": max(took_s),
        "failed tasks": run.failed_tasks,
        "decisions up": up if steered else None,
        "decisions down": down if steered else None,
        "most moves a period": run.most_moves if steered else None,
        "controller %": 100 * run.controller_s / (ended_s - began_s) if steered else None,
    }


def judged(runs: Sequence[SwingRun], seconds: float) -> Result:
    """Return the table of all ways, and whether the goals are reached."""
    rows = {run.name: row(run) for run in runs}
    every = tuple(each for run in runs for each in _everything(run))
    return Result(goals(rows), every, tuple(rows.values()), seconds)


def goals(rows: Mapping[str, Row]) -> tuple[Goal, ...]:
    """Return what each policy of albic promises, as far as it ran beside dynamic allocation."""
    wanted = []
    for way, ours in rows.items():
        if way not in ALBIC:
            continue
        both = max(_number(ours, "decisions up"), _number(ours, "decisions down"))
        wanted += [
            Goal(f"{way}: decisions to steady state", MOST_DECISIONS, both),
            Goal(f"{way}: failed tasks", 0, _number(ours, "failed tasks")),
            Goal(f"{way}: moves in a period", MAX_MIGRATIONS, _number(ours, "most moves a period")),
        ]
        if DYNAMIC in rows:
            theirs = rows[DYNAMIC]
            share = _number(ours, "node-seconds") / _number(theirs, "node-seconds")
            late = _number(theirs, "late batches")
            wanted += [
                Goal(f"{way}: node-seconds, times dynamic allocation's", 0.999, share),
                Goal(f"{way}: late batches", late, _number(ours, "late batches")),
            ]
    return tuple(wanted)


def scaled_in() -> Result:
    """Return the simulator's scale-in: one plan for all against the paper's two processes."""
    lines = tuple(line for line in LINES if line[0] in {URGENT, SEPARATE})
    found = Rows.of(each for point in points(lines, (1,)) for each in scale_in(point))
    rows: list[Row] = []
    wanted = []
    for overloaded in found.distinct("overloaded"):
        area = {}
        for label in (SEPARATE, URGENT):
            some = found.where(overloaded=overloaded, label=label)
            area[label] = early_distance(some)
            rows.append(
                {
                    "way": label,
                    "overloaded": overloaded,
                    "mean distance, rounds 1-10": area[label],
                    "rounds until empty": rounds_until_empty(some),
                }
            )
        share = area[URGENT] / area[SEPARATE]
        what = f"{overloaded} overloaded: distance while emptying, times the separate way's"
        wanted.append(Goal(what, 0.5, share))
    return Result(tuple(wanted), found.rows, tuple(rows))


def _everything(run: SwingRun) -> Iterator[Row]:
    """Yield every batch and every round of a run."""
    began_s = run.span_s[0]
    for record in run.batches:
        yield {
            "way": run.name,
            "batch": record.batch,
            "rows": run.rows[record.batch],
            "batch_s": record.batch_s,
            "ended_s": record.ended_s - began_s,
            "loaded": record.moved,
            "nodes_with_state": len(set(record.node)),
        }
    for each in run.rounds:
        yield {
            "way": run.name,
            "round": each.number,
            "trigger": each.trigger,
            "at_s": each.at_s - began_s,
            "nodes": each.nodes,
            "added": each.added,
            "drained": each.drained,
            "status": each.status.value,
            "moves": len(each.moves),
            "reason": each.scaling or each.error or each.reason,
        }


def _number(row: Row, name: str) -> float:
    """Return a cell as a number; an empty one keeps no promise."""
    value = row[name]
    return float("nan") if value is None else float(value)
