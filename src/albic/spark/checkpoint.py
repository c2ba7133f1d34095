"""How much a new owner of a key group would have to load, from the files of the checkpoint.

That is the newest snapshot and the changes after it, which is what the paper calls |σ_k| and what
its migration cost is about. It differs from the size of the state in memory.
"""

import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

from albic.spark.operators import QueryShape, StageInfo

#: <version>.zip or .snapshot is a whole state, .changelog or .delta what one batch changed.
#: Format 2 of Spark's checkpoints puts a unique id after the version.
FILE = re.compile(r"^(\d+)(?:_[\w-]+)?\.(zip|snapshot|changelog|delta)$")
WHOLE = frozenset({"zip", "snapshot"})


def state_bytes(shape: QueryShape, stage: int) -> tuple[int, ...] | None:
    """Return the bytes to load for each partition of a stage; None where we cannot look."""
    info = shape.stages[stage]
    root = local_folder(info.root)
    if root is None or not root.is_dir():
        return None
    return tuple(
        sum(_store_bytes(folder) for folder in _folders(root, info, partition))
        for partition in range(info.partitions)
    )


def local_folder(uri: str) -> Path | None:
    """Return the folder behind a checkpoint's address, or None if it lies on another system."""
    parts = urlsplit(uri)
    if parts.scheme not in {"", "file"} or parts.netloc not in {"", "localhost"}:
        return None
    return Path(unquote(parts.path) if parts.scheme else uri)


def _folders(root: Path, info: StageInfo, partition: int) -> Iterator[Path]:
    """Yield the folder of each store of a partition."""
    for operator_id, store in info.stores:
        folder = root / str(operator_id) / str(partition)
        yield folder if store == "default" else folder / store


def _store_bytes(folder: Path) -> int:
    """Return the size of the newest snapshot of a store and of the changes after it."""
    if not folder.is_dir():
        return 0
    files = [(match, path) for path in folder.iterdir() if (match := FILE.match(path.name))]
    wholes = [(int(match[1]), path) for match, path in files if match[2] in WHOLE]
    version, newest = max(wholes, default=(-1, None))
    changes = (
        _size(path) for match, path in files if match[2] not in WHOLE and int(match[1]) > version
    )
    return sum(changes) + (0 if newest is None else _size(newest) + _table_bytes(newest))


def _table_bytes(snapshot: Path) -> int:
    """Return the size of the RocksDB tables that a snapshot refers to."""
    if snapshot.suffix != ".zip":
        return 0
    try:
        with zipfile.ZipFile(snapshot) as archive:
            text = archive.read("metadata").decode()
    except (OSError, KeyError, zipfile.BadZipFile):
        # Spark deletes old snapshots while we look.
        return 0
    tables = json.loads(text.split("\n", 1)[1]).get("sstFiles", [])
    return sum(int(table["sizeBytes"]) for table in tables)


def _size(path: Path) -> int:
    """Return a file's size, or 0 if it is gone by now."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
