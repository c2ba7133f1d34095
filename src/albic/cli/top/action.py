"""What ``albic top`` does: a job as it runs, on a terminal."""

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from albic.cli.shared.screen import (
    bar,
    bytes_text,
    count_text,
    gap_style,
    percent_text,
    points_text,
    quiet,
    screen,
    seconds_text,
    titled,
)
from albic.live import JobState, JournalFollower, JournalState
from albic.live.bars import Edge, Executors
from albic.live.round_text import Tale

BAR_WIDTH = 36
#: Rounds and edges that fit below the executors, and executors that fit above.
SHOWN_ROUNDS, SHOWN_EDGES, SHOWN_EXECUTORS = 8, 5, 24
#: Points of a course that are drawn, and what they are drawn with.
SPARK_WIDTH, SPARKS = 48, "▁▂▃▄▅▆▇█"
#: The end of the year 9999, and with it of Python's calendar.
LAST_S = 253_402_300_800
COURSES = (
    ("load distance", "distance_pct", points_text),
    ("batch time", "batch_s", seconds_text),
    ("collocation", "collocation", percent_text),
    ("load index", "load_index", percent_text),
    ("executors", "executors", "{:.0f}".format),
)


def run(path: Path, every_s: float, *, once: bool) -> None:
    """Show the job of a journal until somebody interrupts, or once."""
    console, follower, state = screen(), JournalFollower(path), JournalState()
    _read(follower, state)
    if once or not console.is_terminal:
        console.print(drawn(console, state.shown(SHOWN_ROUNDS), follower))
        return
    with Live(console=console, screen=True, auto_refresh=False) as live:
        while True:
            live.update(drawn(console, state.shown(SHOWN_ROUNDS), follower), refresh=True)
            time.sleep(every_s)
            _read(follower, state)


def drawn(console: Console, shown: JobState, follower: JournalFollower) -> RenderableType:
    """Return the whole picture."""
    parts: list[RenderableType] = [_headline(shown, follower)]
    if shown.executors is not None:
        parts.append(_executors(console, shown.executors))
    if shown.courses.at_s:
        parts.append(_courses(console, shown))
    if shown.traffic:
        parts.append(_traffic(shown.traffic))
    if shown.plan is not None:
        moves = len(shown.plan.moves) + shown.plan.more_moves
        told = f"last plan (round {shown.plan.round}, {shown.plan.status}): "
        parts.append(Text(f"{told}{count_text(moves, 'move')}; {shown.plan.reason}"))
    if shown.rounds:
        parts.append(_rounds(shown.rounds))
    return Group(*parts)


def _read(follower: JournalFollower, state: JournalState) -> None:
    """Take in all that there is."""
    while True:
        for record in follower.records():
            state.take_in(record)
        if not follower.behind_bytes:
            return


def _headline(shown: JobState, follower: JournalFollower) -> Text:
    """Return how things are, in a line."""
    health = shown.health
    words = [f"{follower.path.name}: {count_text(shown.records, 'record')}"]
    if follower.missing:
        words.append("the journal is not there; waiting for it")
    if health.last_record_s is not None:
        words.append(f"last at {_clock(health.last_record_s)} UTC")
    if health.compliance is not None:
        words.append(f"{percent_text(health.compliance)} of tasks on their owner")
    words.append(f"{health.moves_total:,} moves of {bytes_text(health.moved_bytes_total)}")
    words += [word for word, true in (("paused", health.paused), ("silent", health.silent)) if true]
    for count, what in (
        (health.not_ready, "not ready"),
        (health.failed, "failed"),
        (follower.damaged, "damaged lines"),
    ):
        words += [f"{count} {what}"] if count else []
    line = Text("; ".join(words), style="bold")
    if health.last_error is not None:
        line.append(f"\nlast error: {health.last_error}", style="red")
    return line


def _executors(console: Console, executors: Executors) -> RenderableType:
    """Return the executors, busiest first."""
    table = titled(
        f"{count_text(len(executors.bars), 'executor')}, mean {points_text(executors.mean_pct)} %, "
        f"bound {points_text(executors.bound_pct)} %, load distance "
        f"{points_text(executors.distance_pct)}",
        left=("executor",),
        right=("load", "key groups"),
    )
    table.add_column("")
    ordered = sorted(executors.bars, key=lambda each: -each.load_pct)
    most = max(executors.bound_pct, *(each.load_pct for each in ordered))
    for each in ordered[:SHOWN_EXECUTORS]:
        style = gap_style(each.load_pct - executors.mean_pct)
        table.add_row(
            f"{each.id} (to be empty)" if each.draining else each.id,
            f"{points_text(each.load_pct)} %",
            str(each.key_groups),
            Text(bar(each.load_pct, most, BAR_WIDTH, console), style=style),
        )
    if len(ordered) > SHOWN_EXECUTORS:
        table.caption = f"and {len(ordered) - SHOWN_EXECUTORS} more"
    return table


def _courses(console: Console, shown: JobState) -> RenderableType:
    """Return the courses over time, each in a line."""
    table = titled("over time", left=("",), right=("now",))
    table.add_column("")
    for name, column, text in COURSES:
        values = [value for value in getattr(shown.courses, column) if value is not None]
        if values:
            table.add_row(name, text(values[-1]), quiet(_spark(console, values[-SPARK_WIDTH:])))
    return table


def _traffic(edges: Sequence[Edge]) -> RenderableType:
    """Return who talks to whom."""
    table = titled("traffic", left=("from", "to"), right=("a second", "local"))
    for edge in edges[:SHOWN_EDGES]:
        local = percent_text(edge.local_share)
        table.add_row(edge.sender, edge.receiver, bytes_text(edge.bytes_per_s), local)
    return table


def _rounds(rounds: Sequence[Tale]) -> RenderableType:
    """Return the last rounds, newest first."""
    table = titled(
        "rounds", left=("round", "UTC", "why", "status"), right=("moves", "measured", "promised")
    )
    table.add_column("came", justify="right")
    table.add_column("in words", overflow="ellipsis", no_wrap=True)
    for tale in rounds:
        numbers = (tale.measured, tale.promised, tale.came)
        table.add_row(
            str(tale.number),
            _clock(tale.at_s),
            tale.trigger,
            tale.status,
            str(tale.moves or ""),
            *("" if value is None else points_text(value) for value in numbers),
            tale.error or tale.reason,
            style="red" if tale.error else "",
        )
    return table


def _spark(console: Console, values: Sequence[float]) -> str:
    """Return a course as a row of little bars, from nothing to the most."""
    if not console.encoding.startswith("utf"):
        return ""
    most = max(values)
    if most <= 0:
        return SPARKS[0] * len(values)
    return "".join(SPARKS[min(int(max(v, 0.0) / most * len(SPARKS)), 7)] for v in values)


def _clock(at_s: float) -> str:
    """Return the time of day."""
    if not 0 <= at_s < LAST_S:
        return f"{at_s:g}"
    return datetime.fromtimestamp(at_s, UTC).strftime("%H:%M:%S")
