"""What a network is made of: sources, operators with their processors, and sinks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import pandas as pd
import pyarrow as pa

from albic.model import InvalidInput
from albic.streams.dividing import Split
from albic.streams.state import State

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

#: The watermark of a source that has ended: the last time that pandas knows, in whole milliseconds.
ENDED = 9_223_372_036_854_000

Key: TypeAlias = str | Sequence[str] | Mapping[str, str | Sequence[str]]


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The rows of one key group in one batch, by the input they came through.

    ``watermark`` is the time up to which all rows are there, this batch included; None as long as
    nobody knows.
    """

    tables: Mapping[str, pa.Table]
    key_group: int
    watermark: pd.Timestamp | None

    def table(self, name: str | None = None) -> pa.Table:
        """Return the rows of an input as an Arrow table; with one input its name can be left out.

        No row has a table too, with the same columns. Times with a zone are in UTC.
        """
        if name is None and len(self.tables) == 1:
            return next(iter(self.tables.values()))
        if name is None or name not in self.tables:
            raise InvalidInput(
                f"there is no input {name!r}; name one of {', '.join(map(repr, self.tables))}"
            )
        return self.tables[name]

    def frame(self, name: str | None = None) -> pd.DataFrame:
        """Return the rows of an input as a pandas frame."""
        return self.table(name).to_pandas()


class Processor(Protocol):
    """What an operator does; opaque to the network."""

    def __call__(self, state: State, rows: Rows, /) -> pd.DataFrame | pa.Table | None:
        """Take in one batch of one key group, change ``state``, and return the rows that go out."""
        ...


#: Takes the output of an operator in one batch, and the batch's number. A batch that is repeated
#: after a failure has the same number and the same rows.
SinkFunction: TypeAlias = Callable[["DataFrame", int], None]


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A streaming DataFrame that feeds the network.

    ``event_time`` names its column of event times. The watermark stays ``delay_s`` seconds behind
    the latest of them; a row behind the watermark is late. ``ends`` names a column that is true in
    the very last row: with it the watermark passes everything, and no window stays open.

    Spark takes a frame apart into rows and puts it together again on its way into Python. A source
    whose rows are Arrow already can spare that: its frame has one column of bytes, a record batch
    in each row, and ``packed`` says which columns those have.
    """

    name: str
    frame: "DataFrame"
    event_time: str | None = None
    delay_s: float = 0.0
    ends: str | None = None
    packed: "StructType | None" = None

    @property
    def schema(self) -> "StructType":
        """Return the columns of its rows."""
        return self.packed or self.frame.schema


@dataclass(frozen=True, slots=True, eq=False)
class Operator:
    """One operator: all rows of a key meet in one of its key groups.

    Parameters
    ----------
    inputs
        The sources and operators whose rows it takes in, by name.
    key
        The column or columns of its key; where inputs name theirs differently, a mapping from
        input to columns. Without any, all rows go to its only key group.
    schema
        The rows it returns, as "name type, name type", as a StructType or as Arrow's schema.
    event_time
        The column of its output that holds event times.
    windowed
        It keeps windows: it is called whenever the watermark moves, with no rows if need be, and
        late rows are dropped. Otherwise late rows are only counted.
    keeps_key
        What a key group puts out belongs to the key group of the same number, so that an operator
        with the same key can run in the same task. True if the key's columns keep their names;
        where they have others in the output, those names. In a chain, a row that breaks this ends
        the query.
    split
        How its state is divided when it is carried over into another number of key groups: the
        names of its tables, which have the key's columns; a mapping from table to key columns where
        those have other names; or a function ``split(states, mine)`` that returns the state of one
        new key group out of those of the old ones that held its keys. Everything in the state has
        to be divided.
    """

    name: str
    inputs: str | Sequence[str]
    key: Key
    key_groups: int
    schema: "str | pa.Schema | StructType"
    process: Processor
    event_time: str | None = None
    windowed: bool = False
    keeps_key: bool | str | Sequence[str] = False
    split: Split | None = None

    def input_names(self) -> tuple[str, ...]:
        """Return the names of its inputs, in order."""
        return (self.inputs,) if isinstance(self.inputs, str) else tuple(self.inputs)

    def key_columns(self, name: str) -> tuple[str, ...]:
        """Return the key columns in the rows of one input."""
        key: Any = self.key.get(name, ()) if isinstance(self.key, Mapping) else self.key
        return (key,) if isinstance(key, str) else tuple(key)

    def kept_key(self) -> tuple[str, ...] | None:
        """Return the columns of its output that hold its key; None if it does not say so."""
        if self.keeps_key is False:
            return None
        if self.keeps_key is True:
            return self.key_columns(self.input_names()[0])
        return (self.keeps_key,) if isinstance(self.keeps_key, str) else tuple(self.keeps_key)


@dataclass(frozen=True, slots=True, eq=False)
class Sink:
    """A function that gets what one operator puts out, batch after batch."""

    operator: str
    write: SinkFunction
