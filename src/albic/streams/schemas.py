"""Schemas: what users write, what Spark needs, and what travels between operators."""

from inspect import signature
from typing import Any

import pandas as pd
import pyarrow as pa
from pyspark.sql import types as spark
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

from albic.model import InvalidInput
from albic.model.fields import nearest

#: The words for simple types; anything nested is given as a StructType.
WORDS: dict[str, type[spark.DataType]] = {
    "bigint": spark.LongType,
    "binary": spark.BinaryType,
    "boolean": spark.BooleanType,
    "date": spark.DateType,
    "double": spark.DoubleType,
    "float": spark.FloatType,
    "int": spark.IntegerType,
    "long": spark.LongType,
    "smallint": spark.ShortType,
    "string": spark.StringType,
    "timestamp": spark.TimestampType,
    "timestamp_ntz": spark.TimestampNTZType,
    "tinyint": spark.ByteType,
}


def parsed(schema: str | pa.Schema | spark.StructType, owner: str) -> spark.StructType:
    """Return the schema that ``owner`` was given, as Spark's type.

    A text is read here and not by Spark, so that a network can be drawn and checked without one.
    """
    if isinstance(schema, spark.StructType):
        found = schema
    elif isinstance(schema, pa.Schema):
        found = from_arrow_schema(schema)
    else:
        found = spark.StructType([_field(part, owner) for part in schema.split(",")])
    names = found.fieldNames()
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InvalidInput(f"{owner}: its schema has the column {twice[0]!r} twice")
    if not names:
        raise InvalidInput(f"{owner}: its schema has no column")
    return found


def arrow_schema(schema: spark.StructType) -> pa.Schema:
    """Return the schema of rows on their way; times with a zone are in UTC."""
    # Before 4.3 there is no such argument, and UTC is the rule.
    zone: dict[str, Any] = (
        {"timezone": "UTC"} if "timezone" in signature(to_arrow_schema).parameters else {}
    )
    return to_arrow_schema(schema, **zone)


def conform(found: Any, schema: pa.Schema, owner: str) -> pa.Table:  # noqa: ANN401  a user's answer
    """Return what a processor answered as a table of its schema, or say what is wrong with it."""
    if found is None:
        return schema.empty_table()
    if not isinstance(found, pd.DataFrame | pa.Table):
        raise InvalidInput(
            f"{owner} returned a {type(found).__name__}; return a pandas DataFrame, "
            f"an Arrow table or None"
        )
    names = list(found.columns) if isinstance(found, pd.DataFrame) else found.column_names
    missing, foreign = set(schema.names) - set(names), set(names) - set(schema.names)
    if missing or foreign or len(names) != len(schema):
        raise InvalidInput(
            f"{owner} returned the columns {', '.join(map(str, names))}; "
            f"its schema has {', '.join(schema.names)}"
        )
    try:
        if isinstance(found, pa.Table):
            return found.select(schema.names).cast(schema)
        return pa.Table.from_pandas(found, schema=schema, preserve_index=False)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as wrong:
        raise InvalidInput(f"{owner} returned rows that do not fit its schema: {wrong}") from wrong


def _field(part: str, owner: str) -> spark.StructField:
    """Return one column out of the text of a schema."""
    words = part.split()
    if len(words) != 2:
        raise InvalidInput(
            f"{owner}: {part.strip()!r} in its schema is not a name and a type; "
            f'write it like "airplane string, delay double"'
        )
    name, kind = words
    if kind.lower() not in WORDS:
        meant = nearest(kind.lower(), WORDS)
        hint = f"did you mean {meant}?" if meant else f"known are {', '.join(WORDS)}"
        raise InvalidInput(f"{owner}: column {name!r} has the unknown type {kind!r}; {hint}")
    return spark.StructField(name, WORDS[kind.lower()]())
