"""What ``albic journal`` does: records of a controller as a table."""

from datetime import UTC, datetime
from pathlib import Path

from albic.cli.screen import count_text, percent_text, points_text, screen, seconds_text, titled
from albic.control.journal import RoundRecord, read_journal
from albic.model import Objective


def show(file: Path) -> None:
    """Print the records in ``file``, one line a round."""
    records = read_journal(file)
    console = screen()
    table = titled(
        count_text(len(records), "round"),
        left=("round", "UTC", "why", "status"),
        right=("batch", "objective", "moves", "compliance"),
    )
    for record in records:
        table.add_row(*_cells(record))
    console.print(table)
    console.print("objective: as measured -> as planned, in points of load")
    for record in records:
        if record.error is not None:
            console.print(f"round {record.number} failed: {record.error}")


def _cells(record: RoundRecord) -> tuple[str, ...]:
    """Return one line of the table."""
    return (
        str(record.number),
        datetime.fromtimestamp(record.at_s, UTC).strftime("%H:%M:%S"),
        record.trigger,
        record.status.value,
        "" if record.batch_s is None else seconds_text(record.batch_s),
        _objective(record),
        str(len(record.moves)),
        "" if record.compliance is None else percent_text(record.compliance),
    )


def _objective(record: RoundRecord) -> str:
    """Return what was to be made small, before and after; nothing where it was not measured."""
    before, after = record.distance_before, record.distance_after
    if record.objective == Objective.MAKESPAN:
        before, after = record.makespan_before, record.makespan_after
    if before is None or after is None:
        return ""
    return f"{points_text(before)} -> {points_text(after)}"
