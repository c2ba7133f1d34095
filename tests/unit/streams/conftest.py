"""Small networks that need no Spark: a source's frame only has to have a schema."""

from types import SimpleNamespace

from pyspark.sql.types import StructType

from albic.streams import Network, Operator, Sink, Source
from albic.streams.schemas import parsed


def source(name="numbers", schema="key string, value bigint, at timestamp", **options) -> Source:
    fields: StructType = parsed(schema, name)
    return Source(name, SimpleNamespace(schema=fields), **options)


def operator(name="sums", inputs="numbers", **options) -> Operator:
    given = {
        "key": "key",
        "key_groups": 2,
        "schema": "key string, value bigint",
        "process": lambda state, rows: None,  # noqa: ARG005
    }
    return Operator(name, inputs, **(given | options))


def sink(name="sums") -> Sink:
    return Sink(name, lambda frame, batch_id: None)  # noqa: ARG005


def network(operators=None, sources=None, sinks=()) -> Network:
    given = [operator()] if operators is None else operators
    return Network("small", [source()] if sources is None else sources, given, sinks)
