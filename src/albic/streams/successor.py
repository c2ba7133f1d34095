"""The checkpoint of a changed network: its state, and the logs of the one before.

Batches go on being counted where the old checkpoint ended, and the query keeps its id: a sink that
knows what it wrote by query and batch goes on as well.
"""

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from albic.model import InvalidInput
from albic.streams.checkpoint import Batch, Checkpoint, read_checkpoint

#: The version of the state after the first batch.
FIRST = 1


def succeed(primed: Path, place: Path, old: Checkpoint, origin: Sequence[int | None]) -> None:
    """Make a primed checkpoint go on where the old one ended, once it is moved to its ``place``.

    ``origin`` has, for each of Spark's sources in the new query, its position in the old one; None
    for a source that is new and begins at its beginning.
    """
    first = read_checkpoint(primed).batches[-1]
    _as_version(primed / "state", old.last + FIRST)
    _as_if_at(place, primed)
    for log in ("offsets", "commits", "sources"):
        shutil.rmtree(primed / log, ignore_errors=True)
    for log in ("offsets", "commits"):
        (primed / log).mkdir()
    for batch in old.batches:
        text = _batch(batch, first, origin).text()
        (primed / "offsets" / str(batch.number)).write_text(text, encoding="utf-8")
    shutil.copyfile(old.file("commits", old.last), primed / "commits" / str(old.last))
    (primed / ".metadata.crc").unlink(missing_ok=True)
    shutil.copyfile(old.folder / "metadata", primed / "metadata")
    for new, before in enumerate(origin):
        seen = old.folder / "sources" / str(before)
        if before is not None and seen.is_dir():
            shutil.copytree(seen, primed / "sources" / str(new))


def _batch(batch: Batch, first: Batch, origin: Sequence[int | None]) -> Batch:
    """Return an old batch as the new query would have written it."""
    # Settings that a checkpoint fixes, the number of partitions among them, are the new ones.
    about = {**batch.about, "conf": first.about.get("conf", {})}
    offsets = tuple(None if before is None else batch.offsets[before] for before in origin)
    return replace(batch, about=about, offsets=offsets)


def _as_version(state: Path, version: int) -> None:
    """Give the state of the first batch the version that the next batch will ask for.

    A snapshot is found by the number in its name, and holds nothing that names it.
    """
    if version == FIRST:
        return
    snapshots = list(state.glob(f"*/*/{FIRST}.zip"))
    if not snapshots or list(state.glob(f"*/*/{FIRST}.changelog")):
        raise InvalidInput(
            "Spark did not write the carried state as snapshots of version 1; "
            "this release of Spark is not known to albic"
        )
    for snapshot in snapshots:
        for beside in (f"{FIRST}.zip", f".{FIRST}.zip.crc", f"{FIRST}.zip.crc"):
            file = snapshot.with_name(beside)
            if file.exists():
                file.rename(file.with_name(beside.replace(f"{FIRST}.zip", f"{version}.zip")))


def _as_if_at(place: Path, primed: Path) -> None:
    """Name the place where the checkpoint will be: Spark wrote down where its schemas are."""
    for file in (primed / "state").glob("*/_metadata/v2/*"):
        if not file.name.isdecimal():
            continue
        text = file.read_text(encoding="utf-8")
        if str(primed) not in text:
            raise InvalidInput(
                f"{file} does not say where the schema of the state is; "
                f"this release of Spark is not known to albic"
            )
        file.write_text(text.replace(str(primed), str(place)), encoding="utf-8")
        file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
