"""What ``albic snapshot`` does; it needs no planner, and so does not load one."""

import sys
from pathlib import Path

from albic.cli.shared import cluster_tables
from albic.cli.shared.screen import screen
from albic.model import Snapshot
from albic.model.files import document_text
from albic.model.snapshot_file import read_snapshot, snapshot_document, write_snapshot


def synth(snapshot: Snapshot, output: Path | None) -> None:
    """Write a new snapshot to its file, or to stdout."""
    if output is None:
        sys.stdout.write(document_text(snapshot_document(snapshot)))
        return
    write_snapshot(output, snapshot)
    console = screen()
    console.print(f"wrote {output}: {cluster_tables.size_line(snapshot)}")
    console.print(cluster_tables.balance_line(snapshot))


def show(file: Path, *, every: bool) -> None:
    """Print what a snapshot holds."""
    snapshot = read_snapshot(file)
    console = screen()
    console.print(cluster_tables.size_line(snapshot))
    console.print(cluster_tables.balance_line(snapshot))
    console.print(cluster_tables.operators_table(snapshot, every=every))
    present = {"now": snapshot.allocation}
    console.print(cluster_tables.nodes_table(console, snapshot, present, every=every))
