"""What a key group remembers between batches: named tables and plain values."""

import json
from dataclasses import dataclass, field
from typing import TypeAlias

import pandas as pd
import pyarrow as pa

from albic.model import InvalidInput

Value: TypeAlias = pd.DataFrame | pa.Table | str | int | float | bool | list[object] | None

PLAIN, TABLE, FRAME = "json", "arrow", "pandas"
SCHEMA = pa.schema([("name", pa.string()), ("kind", pa.string()), ("value", pa.binary())])


class State(dict[str, Value]):
    """The memory of one key group, empty at first; what a processor puts in is there next time.

    Values are pandas frames, Arrow tables, or whatever JSON can say. All of it is written as Arrow,
    so that it can be read without the program that wrote it.
    """


@dataclass(slots=True)
class Memory:
    """A key group's state with what the network itself has to remember about it.

    ``watermarks`` are microseconds, one a source; ``sources`` says whose, and is empty where an
    older release wrote it. Counters run since the first batch.
    """

    operator: str
    key_group: int
    key_groups: int
    watermarks: list[int]
    rows_in: int = 0
    rows_out: int = 0
    late_rows: int = 0
    sources: list[str] = field(default_factory=list)
    state: State = field(default_factory=State)


def encode(memory: Memory, owner: str) -> bytes:
    """Return everything as one Arrow stream."""
    told = {name: getattr(memory, name) for name in ABOUT}
    rows = [("", PLAIN, json.dumps(told).encode())]
    rows += [(name, *_encoded(value, name, owner)) for name, value in memory.state.items()]
    names, kinds, values = zip(*rows, strict=True)
    return _written(pa.table([names, kinds, values], schema=SCHEMA))


def about(content: bytes) -> tuple[Memory, list[str]]:
    """Return what ``encode`` was given, without the state itself, and the names in that."""
    rows = _read(content)
    return Memory(**json.loads(rows["value"][0].as_py())), rows["name"].to_pylist()[1:]


def decode(content: bytes) -> Memory:
    """Return what ``encode`` was given."""
    rows = _read(content)
    names, kinds = rows["name"].to_pylist(), rows["kind"].to_pylist()
    values = [value.as_buffer() for value in rows["value"]]
    state = State(
        {n: _decoded(k, v) for n, k, v in zip(names[1:], kinds[1:], values[1:], strict=True)}
    )
    return Memory(**json.loads(values[0].to_pybytes()), state=state)


ABOUT = (
    "operator",
    "key_group",
    "key_groups",
    "watermarks",
    "rows_in",
    "rows_out",
    "late_rows",
    "sources",
)


def _encoded(value: Value, name: str, owner: str) -> tuple[str, bytes]:
    try:
        if isinstance(value, pd.DataFrame):
            return FRAME, _written(pa.Table.from_pandas(value))
        if isinstance(value, pa.Table):
            return TABLE, _written(value)
        return PLAIN, json.dumps(value).encode()
    except (TypeError, ValueError, pa.ArrowException) as wrong:
        raise InvalidInput(
            f"{owner} cannot remember state[{name!r}]: {wrong}; "
            f"keep frames, Arrow tables or plain values"
        ) from wrong


def _decoded(kind: str, value: pa.Buffer) -> Value:
    if kind == PLAIN:
        plain: Value = json.loads(value.to_pybytes())
        return plain
    table = _read(value)
    return table if kind == TABLE else table.to_pandas()


def _written(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def _read(content: bytes | pa.Buffer) -> pa.Table:
    with pa.ipc.open_stream(content) as reader:
        return reader.read_all()
