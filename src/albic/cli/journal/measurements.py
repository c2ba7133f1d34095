"""What a journal's rounds measured beside loads: moves as they went, nodes, local traffic."""

from collections.abc import Sequence

from rich.table import Table

from albic.cli.shared.screen import bytes_text, percent_text, seconds_text, titled
from albic.control.journal import RoundRecord
from albic.control.move_costs import ASSUMED, fitted


def moves_table(records: Sequence[RoundRecord]) -> Table | None:
    """Return a line for each move that was measured, or None if there is none."""
    table = titled(
        "moves as they went",
        left=("round", "operator", "partition", "from", "to"),
        right=("loaded", "late"),
    )
    for record in records:
        for move in record.measured_moves:
            late = "-" * (move.late_s < 0) + seconds_text(abs(move.late_s))
            loaded = bytes_text(move.loaded_bytes)
            place = str(record.number), move.operator, str(move.partition)
            table.add_row(*place, move.source, move.target, loaded, late)
    return table if table.row_count else None


def measured_notes(records: Sequence[RoundRecord]) -> list[str]:
    """Return in sentences what moves cost, how nodes differ, and how much traffic was local."""
    told = []
    cost = fitted([move for record in records for move in record.measured_moves])
    if cost != ASSUMED:
        told.append(
            f"a move costs {seconds_text(cost.per_move_s)} and "
            f"{seconds_text(cost.per_byte_s * 1e6)} a megabyte, by {cost.moves} moves"
        )
    local, remote = (
        sum(getattr(record, name) for record in records) for name in ("local_bytes", "remote_bytes")
    )
    if local + remote:
        told.append(
            f"of {bytes_text(local + remote)} between key groups, "
            f"{percent_text(local / (local + remote))} stayed on their node"
        )
    snapshots = [record.snapshot for record in records if record.snapshot is not None]
    nodes = snapshots[-1].get("nodes", []) if snapshots else []
    if len({node["capacity"] for node in nodes}) > 1:
        each = ", ".join(f"{node['id']}: {node['capacity']:.2f}" for node in nodes)
        told.append(f"capacities of the nodes in the last round: {each}")
    return told
