"""The state of an operator whose number of key groups changes: divided, and put together again.

A key's hash does not depend on the number of key groups. So a key of the old key group ``g`` of
``G`` belongs to a new one ``n`` of ``N`` with the same rest modulo their greatest common divisor.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from albic.model import InvalidInput
from albic.streams.hashing import is_hashable, key_groups
from albic.streams.state import State

Mask: TypeAlias = npt.NDArray[np.bool_]
#: Says which rows of a table, by the columns of its key, belong to the new key group.
Mine: TypeAlias = Callable[[pd.DataFrame | pa.Table, str | Sequence[str]], Mask]
#: Returns the state of one new key group out of those of the old ones that held its keys.
SplitFunction: TypeAlias = Callable[[Sequence[State], Mine], Mapping[str, Any]]
Split: TypeAlias = str | Sequence[str] | Mapping[str, str | Sequence[str]] | SplitFunction


@dataclass(frozen=True, slots=True)
class Share:
    """One key group out of so many."""

    key_group: int
    key_groups: int


class Division(Protocol):
    """How the state of one operator is divided."""

    def part(self, state: State, origin: Share, target: Share) -> State:
        """Return what an old key group gives to a new one."""
        ...

    def whole(self, parts: Sequence[State], target: Share) -> State:
        """Return the state of a new key group out of what it was given."""
        ...


def heirs(key_group: int, old: int, new: int) -> range:
    """Return the new key groups that may get keys of an old one."""
    step = math.gcd(old, new)
    return range(key_group % step, new, step)


def division_of(split: Split | None, key: Sequence[str], owner: str) -> Division | None:
    """Return how an operator wants its state divided; refuse what cannot be meant."""
    if split is None:
        return None
    if callable(split):
        return ByFunction(split)
    if not key:
        raise InvalidInput(f"{owner} has no key, so there is nothing to split its state by")
    if isinstance(split, Mapping):
        tables = {name: _names(columns) for name, columns in split.items()}
    else:
        tables = dict.fromkeys(_names(split), tuple(key))
    if not tables or "" in tables:
        raise InvalidInput(f"{owner}: split names the tables of its state, such as ['sums']")
    for name, columns in tables.items():
        if len(columns) != len(key):
            raise InvalidInput(
                f"{owner}: split gives {name!r} the columns {', '.join(columns) or 'of nothing'}; "
                f"its key has {len(key)}: {', '.join(key)}"
            )
    return ByTables(tables)


@dataclass(frozen=True, slots=True)
class ByTables:
    """Divides tables and frames by the columns of the key, and nothing else."""

    tables: Mapping[str, tuple[str, ...]]

    def part(self, state: State, origin: Share, target: Share) -> State:
        """Return the rows of the new key group; a table without any is left out."""
        found = State()
        for name, value in state.items():
            if name not in self.tables or not isinstance(value, pd.DataFrame | pa.Table):
                raise InvalidInput(
                    f"its split does not say how to divide state[{name!r}]; "
                    f"name a table with the key's columns, or give a function"
                )
            columns = self.tables[name]
            self._expect_key(name, value, origin)
            rows = _taken(value, of_group(value, columns, target))
            if len(rows):
                found[name] = rows
        return found

    def whole(self, parts: Sequence[State], target: Share) -> State:  # noqa: ARG002  as of the port
        """Return tables of the same name as one."""
        names = dict.fromkeys(name for part in parts for name in part)
        return State({name: _joined([p[name] for p in parts if name in p]) for name in names})

    def _expect_key(self, name: str, value: pd.DataFrame | pa.Table, origin: Share) -> None:
        """Refuse columns that are not the key: rows would be where nobody looks for them."""
        columns = self.tables[name]
        if not of_group(value, columns, origin).all():
            raise InvalidInput(
                f"state[{name!r}] has rows that by {', '.join(columns)} belong to another key "
                f"group than {origin.key_group} of {origin.key_groups}; that is not its key"
            )


@dataclass(frozen=True, slots=True)
class ByFunction:
    """Asks a function of the user's for the state of each new key group."""

    split: SplitFunction

    def part(self, state: State, origin: Share, target: Share) -> State:  # noqa: ARG002
        """Return all of it: only the function knows what is whose."""
        return state

    def whole(self, parts: Sequence[State], target: Share) -> State:
        """Return what the function makes of the old states."""

        def mine(table: pd.DataFrame | pa.Table, columns: str | Sequence[str]) -> Mask:
            return of_group(table, _names(columns), target)

        found = self.split(parts, mine)
        if not isinstance(found, Mapping):
            raise InvalidInput(
                f"its split returned a {type(found).__name__}; return the state of one key group"
            )
        return State(found)


def of_group(value: pd.DataFrame | pa.Table, columns: Sequence[str], share: Share) -> Mask:
    """Return which rows belong to one key group."""
    if not len(value):
        # A frame that has become empty no longer knows the types of its columns.
        return np.zeros(0, dtype=bool)
    table = _keys(value, columns)
    mask: Mask = key_groups(table, columns, share.key_groups) == share.key_group
    return mask


def _keys(value: pd.DataFrame | pa.Table, columns: Sequence[str]) -> pa.Table:
    """Return the columns of the key, which a frame may also have in its index."""
    if isinstance(value, pd.DataFrame):
        inside = [name for name in value.index.names if name in columns]
        value = pa.Table.from_pandas(
            value.reset_index(inside) if inside else value, preserve_index=False
        )
    for column in columns:
        if column not in value.column_names:
            raise InvalidInput(
                f"a table of its state has no column {column!r} to split by; "
                f"it has {', '.join(value.column_names)}"
            )
        if not is_hashable(value.schema.field(column).type):
            raise InvalidInput(
                f"the column {column!r} of its state is a {value.schema.field(column).type}; "
                f"keys are whole numbers, texts, dates or times"
            )
    return value.select(columns)


def _taken(value: pd.DataFrame | pa.Table, mask: Mask) -> pd.DataFrame | pa.Table:
    return value[mask] if isinstance(value, pd.DataFrame) else value.filter(pa.array(mask))


def _joined(values: Sequence[Any]) -> pd.DataFrame | pa.Table:
    """Return tables of one name as one; a frame that only counted its rows counts them again."""
    if all(isinstance(value, pa.Table) for value in values):
        return pa.concat_tables(values, promote_options="default")
    frames = [value if isinstance(value, pd.DataFrame) else value.to_pandas() for value in values]
    counted = all(frame.index.names == [None] for frame in frames)
    return pd.concat(frames, ignore_index=counted)


def _names(given: str | Sequence[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)
