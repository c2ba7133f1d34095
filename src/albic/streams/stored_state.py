"""The state in a checkpoint, through Spark's own reader; every value says whose it is."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import reduce
from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from albic.model import InvalidInput
from albic.streams.checkpoint import Checkpoint
from albic.streams.state import About, told_by

#: How Spark calls the operator that a stage is, and the values of its key groups.
STAGE, VALUE = "transformWithStateInPandasExec", re.compile(r"(group|about)(_\d+)?")
#: A stored value: what the network noted about a key group, or its state; the other is null.
STORED = "about binary, content binary"
_TOLD = pa.schema([("told", pa.string()), ("within", pa.bool_())])


def stored_values(spark: SparkSession, checkpoint: Checkpoint) -> DataFrame:
    """Return the values of all key groups after the last batch that ended, as ``STORED``."""
    folder = checkpoint.folder
    values = []
    for operator, name in _variables(spark, folder):
        reader = spark.read.format("statestore").option("operatorId", operator)
        reader = reader.option("stateVarName", name).option("batchId", checkpoint.last)
        mine, other = ("about", "content") if name.startswith("about") else ("content", "about")
        with readable(folder):
            found = reader.load(str(folder)).selectExpr(
                f"value.content AS {mine}", f"binary(NULL) AS {other}"
            )
        values.append(found.select("about", "content"))
    return reduce(DataFrame.unionAll, values)


def stored_groups(values: DataFrame, checkpoint: Checkpoint) -> list[About]:
    """Return what lies there, by operator and key group."""
    with readable(checkpoint.folder):
        rows = values.mapInArrow(_told, "told string, within boolean").collect()
    if any(row["told"] is None for row in rows):
        raise InvalidInput(f"the state in {checkpoint.folder} was not written by a network")
    found = {}
    # What a state of an older release says is outdated as soon as there is a value of its own.
    for row in sorted(rows, key=lambda each: not each["within"]):
        about = About(**json.loads(row["told"]))
        if about.watermarks:
            found[about.operator, about.key_group] = about
    if not found:
        raise InvalidInput(f"{checkpoint.folder} has no state of any key group")
    return [found[each] for each in sorted(found)]


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
    """Yield what each value says about its key group, and whether a state says it."""
    for batch in batches:
        values = list(zip(batch.column("about"), batch.column("content"), strict=True))
        told = [_about(noted.as_buffer(), content.as_buffer()) for noted, content in values]
        within = [content.is_valid for _, content in values]
        yield pa.RecordBatch.from_pydict({"told": told, "within": within}, _TOLD)


def _about(noted: pa.Buffer | None, content: pa.Buffer | None) -> str | None:
    """Return what a value says about its key group as JSON, None if no network wrote it."""
    try:
        about = About.decoded(noted) if noted is not None else told_by(content)[0]
    except (pa.ArrowException, KeyError, TypeError, ValueError, IndexError):
        return None
    return json.dumps(asdict(about))
