"""What ``albic network`` does: it has Spark read a checkpoint, on one node of this machine."""

import json
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from albic.cli.shared.screen import bytes_text, count_text, screen, titled, waiting
from albic.spark.session import local_cluster
from albic.streams.checkpoint import read_checkpoint
from albic.streams.inventory import Inventory, StoredSource, inventory


def show(folder: Path, *, as_json: bool) -> None:
    """Print what lies in a checkpoint."""
    checkpoint = read_checkpoint(folder)
    with waiting("Spark reads the state"), local_cluster(nodes=1) as cluster:
        found = inventory(cluster.spark, checkpoint)
    if as_json:
        print(json.dumps(asdict(found), indent=2))
    else:
        print_inventory(screen(), folder, found)


def print_inventory(console: Console, folder: Path, found: Inventory) -> None:
    """Print a checkpoint as tables."""
    whole = sum(operator.state_bytes for operator in found.operators)
    console.print(
        f"{folder}: {count_text(len(found.operators), 'operator')}, {bytes_text(whole)} of state, "
        f"batch {found.batch} ended"
        + (f", batch {found.begun} began" if found.begun is not None else "")
    )
    operators = titled(
        "operators",
        left=["operator", "tables of its state"],
        right=["key groups", "with state", "bytes", "largest", "rows in", "rows out", "late"],
    )
    for each in found.operators:
        sizes = (bytes_text(each.state_bytes), bytes_text(each.largest_bytes))
        counted = (each.key_groups, each.stored)
        rows = (each.rows_in, each.rows_out, each.late_rows)
        operators.add_row(
            each.name,
            ", ".join(each.tables) or "-",
            *(f"{count:,}" for count in counted),
            *sizes,
            *(f"{count:,}" for count in rows),
        )
    console.print(operators)
    sources = titled("sources", left=["source", "watermark (UTC)"])
    for source in found.sources:
        sources.add_row(source.name, _watermark(source))
    console.print(sources)
    offsets = titled("offsets, in the order of Spark's sources", left=["number", "read up to"])
    for number, offset in enumerate(found.offsets):
        offsets.add_row(str(number), "not read yet" if offset is None else offset)
    console.print(offsets)


def _watermark(source: StoredSource) -> str:
    """Return how far a source is."""
    if source.ended:
        return "past its last row"
    if source.watermark_us is None:
        return "no time seen"
    seconds, micros = divmod(source.watermark_us, 1_000_000)
    moment = datetime.fromtimestamp(seconds, UTC).replace(microsecond=micros)
    return moment.isoformat(sep=" ").removesuffix("+00:00")
