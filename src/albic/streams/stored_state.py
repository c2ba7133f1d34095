"""The state in a checkpoint, through Spark's own reader; every value says whose it is."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from albic.model import InvalidInput
from albic.streams.checkpoint import Checkpoint
from albic.streams.state import ABOUT, Memory, about

#: How Spark calls the operator that a stage is, and the values of its key groups.
STAGE, VALUE = "transformWithStateInPandasExec", re.compile(r"group(_\d+)?")
_TOLD = pa.schema([("about", pa.string()), ("bytes", pa.int64())])


@dataclass(frozen=True, slots=True)
class StoredGroup:
    """What lies in a checkpoint for one key group: its memory without the state, and its size.

    ``tables`` are the names in its state.
    """

    memory: Memory
    tables: tuple[str, ...]
    size_bytes: int


def stored_values(spark: SparkSession, checkpoint: Checkpoint) -> DataFrame:
    """Return the memories of all key groups after the last batch that ended, in ``content``."""
    folder = checkpoint.folder
    values = []
    for operator, name in _variables(spark, folder):
        reader = spark.read.format("statestore").option("operatorId", operator)
        reader = reader.option("stateVarName", name).option("batchId", checkpoint.last)
        with readable(folder):
            values.append(reader.load(str(folder)).select("value.content"))
    return reduce(DataFrame.unionAll, values)


def stored_groups(values: DataFrame, checkpoint: Checkpoint) -> list[StoredGroup]:
    """Return what lies there, by operator and key group."""
    with readable(checkpoint.folder):
        rows = values.mapInArrow(_told, "about string, bytes bigint").collect()
    if any(row["about"] is None for row in rows):
        raise InvalidInput(f"the state in {checkpoint.folder} was not written by a network")
    if not rows:
        raise InvalidInput(f"{checkpoint.folder} has no state of any key group")
    found = [_stored(json.loads(row["about"]), int(row["bytes"])) for row in rows]
    return sorted(found, key=lambda each: (each.memory.operator, each.memory.key_group))


@contextmanager
def readable(folder: Path) -> Iterator[None]:
    """Say that a checkpoint cannot be read, with Spark's reason in a line, if that is so."""
    try:
        yield
    except Exception as wrong:
        # Spark raises what Java raised, under many names; the reason comes last.
        text = str(wrong)
        causes = re.findall(r"^(?:Caused by: |\w*Error: )(.+)", text, re.MULTILINE)
        reason = causes[-1] if causes else next(iter(text.splitlines()), type(wrong).__name__)
        raise InvalidInput(f"the state in {folder} cannot be read: {reason.strip()}") from wrong


def _variables(spark: SparkSession, folder: Path) -> list[tuple[int, str]]:
    """Return Spark's operators with their variables; refuse those that are not ours."""
    with readable(folder):
        rows = spark.read.format("state-metadata").load(str(folder)).collect()
    found = []
    for row in rows:
        told = json.loads(row["operatorProperties"] or "{}")
        names = [each["stateName"] for each in told.get("stateVariables", ())]
        ours = row["operatorName"] == STAGE and names and all(map(VALUE.fullmatch, names))
        if not ours:
            raise InvalidInput(
                f"{folder} is not, or not only, the checkpoint of a network: it has state of "
                f"Spark's {row['operatorName']} in operator {row['operatorId']}"
            )
        found += [(int(row["operatorId"]), name) for name in names]
    if not found:
        raise InvalidInput(f"{folder} is no checkpoint of a network: it has no stateful operator")
    return sorted(found)


def _told(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield what each memory says about itself."""
    for batch in batches:
        contents = [value.as_buffer() for value in batch.column(0)]
        told = [_about(content) for content in contents]
        yield pa.RecordBatch.from_pydict(
            {"about": told, "bytes": [content.size for content in contents]}, _TOLD
        )


def _stored(told: dict[str, Any], size_bytes: int) -> StoredGroup:
    return StoredGroup(Memory(**told["memory"]), tuple(told["tables"]), size_bytes)


def _about(content: pa.Buffer) -> str | None:
    """Return what a memory says about itself as JSON, None if it is no memory."""
    try:
        memory, tables = about(content)
    except (pa.ArrowException, KeyError, TypeError, ValueError, IndexError):
        return None
    told = {name: getattr(memory, name) for name in ABOUT}
    return json.dumps({"memory": told, "tables": tables})
