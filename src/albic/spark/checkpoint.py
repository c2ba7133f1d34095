"""How much a new owner of a key group would have to load, from the files of the checkpoint.

That is the newest snapshot and the changes after it, which is what the paper calls |σ_k| and what
its migration cost is about. It differs from the size of the state in memory.
"""

import io
import json
import logging
import re
import time
import zipfile
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote, urlsplit

import numpy as np

from albic.arrays import Ints
from albic.spark.operators import QueryShape

log = logging.getLogger(__name__)

#: <version>.zip or .snapshot is a whole state, .changelog or .delta what one batch changed.
#: Format 2 of Spark's checkpoints puts a unique id after the version.
FILE = re.compile(r"^(\d+)(?:_[\w-]+)?\.(zip|snapshot|changelog|delta)$")
WHOLE = frozenset({"zip", "snapshot"})
#: Looking takes long on an object store, so we rest this many times as long as it took.
REST = 300


class Files(Protocol):
    """Where the checkpoint lies."""

    def listed(self, folder: str, pattern: str) -> Mapping[str, int]:
        """Return the bytes of each file below ``folder`` that matches, by its address."""
        ...

    def content(self, address: str) -> bytes:
        """Return what a file holds, or raise OSError, as when it is gone by now."""
        ...


class StateSizes:
    """Knows the state of each key group of a query in bytes; looks again now and then."""

    def __init__(self, files: Files, shape: QueryShape) -> None:
        self._files = files
        self._shape = shape
        self._sizes: Ints | None = None
        self._again_s = 0.0
        self._warned = False
        # A snapshot never changes, so what it refers to is read once.
        self._tables: dict[str, int] = {}

    def sizes(self) -> Ints:
        """Return the bytes of each key group, stage after stage, as of the last look.

        They are 0 where there was no file yet. Where the files are out of reach it is what they
        were, or 0: then only the number of moves is limited.
        """
        self.first_look()
        return self._sizes if self._sizes is not None else self._none()

    def first_look(self) -> None:
        """Look unless there was a look already; the first plan should not have to wait for it."""
        if self._sizes is None:
            self.look()

    def look(self) -> None:
        """Look again if we have rested enough; not while somebody waits for a plan."""
        began_s = time.monotonic()
        if began_s < self._again_s:
            return
        try:
            self._sizes = self._read()
        except OSError as wrong:
            # Said once: files that are out of reach are asked for again and again.
            log.log(
                logging.DEBUG if self._warned else logging.WARNING,
                "the sizes of states are not known: %s",
                wrong,
            )
            self._warned = True
        ended_s = time.monotonic()
        self._again_s = ended_s + REST * (ended_s - began_s)

    def _none(self) -> Ints:
        """Return a size of 0 for every key group."""
        return np.zeros(sum(stage.partitions for stage in self._shape.stages), dtype=np.int64)

    def _read(self) -> Ints:
        """Return the sizes as they are."""
        self._tables, known = {}, self._tables
        sizes = [self._partition_bytes(stage, known) for stage, _ in enumerate(self._shape.stages)]
        return np.concatenate(sizes)

    def _partition_bytes(self, stage: int, known: Mapping[str, int]) -> Ints:
        """Return the bytes of each partition of a stage."""
        info = self._shape.stages[stage]
        total = np.zeros(info.partitions, dtype=np.int64)
        for operator_id, store in info.stores:
            folder, pattern = f"{info.root}/{operator_id}", "*/*"
            if store != "default":
                pattern = f"*/{store}/*"
            by_partition: defaultdict[int, dict[str, int]] = defaultdict(dict)
            for address, size in self._files.listed(folder, pattern).items():
                below = address.rsplit("/", pattern.count("/") + 1)
                if below[1].isdecimal() and int(below[1]) < info.partitions:
                    by_partition[int(below[1])][address] = size
            for partition, files in by_partition.items():
                total[partition] += self._store_bytes(files, known)
        return total

    def _store_bytes(self, files: Mapping[str, int], known: Mapping[str, int]) -> int:
        """Return the size of the newest snapshot of a store and of the changes after it."""
        named = [
            (int(match[1]), match[2] in WHOLE, address)
            for address in files
            if (match := FILE.match(address.rsplit("/", 1)[1]))
        ]
        version, newest = max(
            ((number, address) for number, whole, address in named if whole), default=(-1, "")
        )
        changes = [
            files[address] for number, whole, address in named if not whole and number > version
        ]
        if not newest:
            return sum(changes)
        self._tables[newest] = known[newest] if newest in known else self._table_bytes(newest)
        return sum(changes) + files[newest] + self._tables[newest]

    def _table_bytes(self, snapshot: str) -> int:
        """Return the size of the RocksDB tables that a snapshot refers to."""
        if not snapshot.endswith(".zip"):
            return 0
        try:
            with zipfile.ZipFile(io.BytesIO(self._files.content(snapshot))) as archive:
                text = archive.read("metadata").decode()
        except (OSError, KeyError, zipfile.BadZipFile):
            # Spark deletes old snapshots while we look.
            return 0
        tables = json.loads(text.split("\n", 1)[1]).get("sstFiles", [])
        return sum(int(table["sizeBytes"]) for table in tables)


def local_folder(uri: str) -> Path | None:
    """Return the folder behind a checkpoint's address, or None if it lies on another system."""
    parts = urlsplit(uri)
    if parts.scheme not in {"", "file"} or parts.netloc not in {"", "localhost"}:
        return None
    return Path(unquote(parts.path) if parts.scheme else uri)
