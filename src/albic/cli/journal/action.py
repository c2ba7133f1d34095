"""What ``albic journal`` does: records of a controller as a table."""

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

from albic.cli.journal.measurements import measured_notes, moves_table
from albic.cli.shared.screen import (
    bytes_text,
    count_text,
    percent_text,
    points_text,
    quiet,
    screen,
    seconds_text,
    titled,
)
from albic.control.journal import RoundRecord, Status, read_journal
from albic.live import JournalFollower
from albic.model import Objective

#: The end of the year 9999, and with it of Python's calendar.
LAST_S = 253_402_300_800
#: A round comes every few seconds at most.
LOOK_EVERY_S = 0.5


def show(file: Path) -> None:
    """Print the records in ``file``: one line a round, why rounds did nothing, and the sum."""
    records = read_journal(file)
    console = screen()
    table = titled(
        count_text(len(records), "round"),
        left=("round", "UTC", "why", "status"),
        right=("batch", "objective", "moves", "compliance"),
    )
    for record in records:
        style = "" if record.status is Status.APPLIED else "dim"
        table.add_row(*_cells(record), style="red" if record.error else style)
    console.print(table)
    console.print(quiet("objective: as measured -> as planned, in points of load"))
    if (moves := moves_table(records)) is not None:
        console.print(moves)
    for line in (*reasons(records), *notes(records), *measured_notes(records), summary(records)):
        console.print(line)


def follow(file: Path, ended: Callable[[], bool] = lambda: False) -> None:
    """Print the rounds in ``file`` and those that come, until ``ended`` or interrupted."""
    console, follower, damaged = screen(), JournalFollower(file), 0
    while True:
        last = ended()
        for record in follower.records():
            words = (f"round {record.number}", *(cell for cell in _cells(record)[1:] if cell))
            console.print(", ".join(words), quiet(record.error or record.reason))
        if follower.damaged > damaged:
            damaged = follower.damaged
            console.print(follower.complaint, style="red")
        if last:
            follower.close()
            return
        if not follower.behind_bytes:
            time.sleep(LOOK_EVERY_S)


def reasons(records: Sequence[RoundRecord]) -> list[str]:
    """Return why rounds did what they did; rounds in a row with the same reason share a line."""
    told = []
    for (status, reason), alike in groupby(records, key=_reason):
        numbers = [record.number for record in alike]
        which = f"round {numbers[0]}" if len(numbers) == 1 else f"rounds {numbers[0]}-{numbers[-1]}"
        told.append(f"{which} {status}: {reason}")
    return told


def notes(records: Sequence[RoundRecord]) -> list[str]:
    """Return what else rounds had to say."""
    return [f"round {record.number}: {record.note}" for record in records if record.note]


def summary(records: Sequence[RoundRecord]) -> str:
    """Return all rounds together, in a sentence."""
    moves = [move for record in records for move in record.migrations]
    judged, compliant = (sum(getattr(r, n) for r in records) for n in ("judged", "compliant"))
    followed = f"; {percent_text(compliant / judged)} of tasks ran where planned" if judged else ""
    batches = sum(record.batches for record in records)
    return (
        f"in all: {batches:,} batches, {count_text(len(moves), 'move')} of "
        f"{bytes_text(sum(move.state_bytes for move in moves))}{followed}"
    )


def _reason(record: RoundRecord) -> tuple[str, str]:
    """Return how a round ended and why."""
    return record.status.value, record.error or record.reason


def _cells(record: RoundRecord) -> tuple[str, ...]:
    """Return one line of the table."""
    moved = record.migrations
    proposed = f"({len(record.moves)})" if record.moves else ""
    return (
        str(record.number),
        _time(record.at_s),
        record.trigger,
        record.status.value,
        "" if record.batch_s is None else seconds_text(record.batch_s),
        _objective(record),
        str(len(moved)) if moved else proposed,
        "" if record.compliance is None else percent_text(record.compliance),
    )


def _time(at_s: float) -> str:
    """Return the time of day."""
    if not 0 <= at_s < LAST_S:
        return f"{at_s:g}"
    return datetime.fromtimestamp(at_s, UTC).strftime("%H:%M:%S")


def _objective(record: RoundRecord) -> str:
    """Return what was to be made small, before and after; nothing where it was not measured."""
    before, after = record.distance_before, record.distance_after
    if record.objective == Objective.MAKESPAN:
        before, after = record.makespan_before, record.makespan_after
    if before is None or after is None:
        return ""
    if record.status is Status.HELD:
        return points_text(before)
    return f"{points_text(before)} -> {points_text(after)}"
