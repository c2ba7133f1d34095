"""What a key group remembers between batches: named tables and plain values."""

import json
from dataclasses import asdict, dataclass, field
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
class About:
    """What the network itself has to remember about a key group, beside its state.

    ``watermarks`` are microseconds, one a source; ``sources`` says whose, and is empty where an
    older release wrote it. Counters run since the first batch. ``state_bytes`` is the size of the
    state as it is stored, 0 while there is none, and ``tables`` are the names in it.
    """

    operator: str
    key_group: int
    key_groups: int
    watermarks: list[int]
    rows_in: int = 0
    rows_out: int = 0
    late_rows: int = 0
    sources: list[str] = field(default_factory=list)
    state_bytes: int = 0
    tables: list[str] = field(default_factory=list)

    def encoded(self) -> bytes:
        """Return it as JSON; it is small, and written whenever a watermark moves."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def decoded(cls, content: bytes | pa.Buffer) -> "About":
        """Return what ``encoded`` wrote."""
        return cls(**json.loads(bytes(content)))


def encode(state: State, about: About, owner: str) -> bytes:
    """Return a state as one Arrow stream, which begins with whose it is."""
    whose = {name: getattr(about, name) for name in WHOSE}
    rows = [("", PLAIN, json.dumps(whose).encode())]
    rows += [(name, *_encoded(value, name, owner)) for name, value in state.items()]
    names, kinds, values = zip(*rows, strict=True)
    return _written(pa.table([names, kinds, values], schema=SCHEMA))


def decode(content: bytes | pa.Buffer) -> State:
    """Return the state that ``encode`` was given."""
    rows = _read(content)
    names, kinds = rows["name"].to_pylist(), rows["kind"].to_pylist()
    values = [value.as_buffer() for value in rows["value"]]
    return State(
        {n: _decoded(k, v) for n, k, v in zip(names[1:], kinds[1:], values[1:], strict=True)}
    )


def told_by(content: bytes | pa.Buffer) -> tuple[About, bool]:
    """Return what a stored state says about itself, and whether that is all there is to know.

    Checkpoints that began before there was a value for it have it all in the state.
    """
    rows = _read(content)
    told = json.loads(rows["value"][0].as_py())
    whole = "watermarks" in told
    size = content.size if isinstance(content, pa.Buffer) else len(content)
    names = rows["name"].to_pylist()[1:]
    return About(**{"watermarks": []} | told, state_bytes=size, tables=names), whole


#: What a state says about itself. None of it ever changes: a state that did not is not written.
WHOSE = ("operator", "key_group", "key_groups")


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
