"""The operators of a job over its rows, in one process and without Spark: who gets how much.

Every row goes through the very functions that Spark's workers call, and to the key group that they
would send it to. What an operator puts out must not depend on how many key groups its keys are
divided into, so an operator that keeps its key is asked for all of them at once, and its rows tell
by their key where they come from. One that does not is asked key group by key group.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa

from albic.arrays import Floats, Ints
from albic.streams import Operator, Rows, State
from albic.streams.hashing import key_groups


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What the sources bring in a period: rows, and the time up to which all of them are there."""

    tables: Mapping[str, pa.Table]
    watermarks: Mapping[str, pd.Timestamp | None]


@dataclass(frozen=True, slots=True, eq=False)
class Count:
    """One period, operator by operator; bytes are those of Arrow's arrays.

    Attributes
    ----------
    rows
        That came to each key group.
    source_bytes
        Of these rows, the bytes of those from outside the job.
    sent_bytes
        By positions of sender and receiver: a row for each key group that sends, a column for each
        that receives.
    state_bytes
        That each key group holds in the end.
    """

    rows: list[Ints]
    source_bytes: list[Floats]
    sent_bytes: dict[tuple[int, int], Floats]
    state_bytes: list[Floats]


def counts(operators: Sequence[Operator], periods: Iterable[Given]) -> Iterator[Count]:
    """Yield what each period comes to; operators follow their inputs."""
    feeding = {name for operator in operators for name in operator.input_names()}
    workers = [_Worker(operator, asked=operator.name in feeding) for operator in operators]
    for given in periods:
        yield _counted(workers, given)


class _Worker:
    """An operator with its state; ``asked`` if somebody wants to know which key group answered."""

    def __init__(self, operator: Operator, *, asked: bool) -> None:
        self.operator = operator
        self._whole = not asked or operator.kept_key() is not None
        self._states: defaultdict[int, State] = defaultdict(State)

    def answer(
        self, tables: Mapping[str, pa.Table], watermark: pd.Timestamp | None
    ) -> tuple[pa.Table | None, Ints]:
        """Return what it puts out, and the key group that each row comes from."""
        operator = self.operator
        if self._whole:
            out = operator.process(self._states[0], Rows(tables, 0, watermark))
            kept = operator.kept_key()
            if out is None or kept is None:
                return out, np.zeros(0, np.int64)
            return out, key_groups(out, kept, operator.key_groups).astype(np.int64)
        answers, senders = [], []
        for group, part in self._parts(tables):
            out = operator.process(self._states[group], Rows(part, group, watermark))
            if out is not None:
                answers.append(out)
                senders.append(np.full(out.num_rows, group))
        return pa.concat_tables(answers), np.concatenate(senders)

    def state_bytes(self) -> Floats:
        """Return what each key group holds; plain values beside its tables do not count."""
        groups = self.operator.key_groups
        held = np.zeros(groups)
        for group, state in self._states.items():
            for table in state.values():
                if not isinstance(table, pa.Table) or not table.num_rows:
                    continue
                if self._whole:
                    held += table.nbytes * _spread(table, self._key(), groups) / table.num_rows
                else:
                    held[group] += table.nbytes
        return held

    def _key(self) -> tuple[str, ...]:
        """Return the columns of the key, as they are called in the state."""
        return self.operator.key_columns(self.operator.input_names()[0])

    def _parts(self, tables: Mapping[str, pa.Table]) -> Iterator[tuple[int, dict[str, pa.Table]]]:
        """Yield the rows of each key group that has to be called; of the first one in any case."""
        operator, parts = self.operator, {}
        called = set(range(operator.key_groups)) if operator.windowed else {0}
        for name, table in tables.items():
            group_of = key_groups(table, operator.key_columns(name), operator.key_groups)
            order = np.argsort(group_of, kind="stable")
            ends = np.cumsum(np.bincount(group_of, minlength=operator.key_groups))
            parts[name] = table.take(pa.array(order)), np.concatenate(([0], ends))
            called |= set(np.unique(group_of).tolist())
        for group in sorted(called):
            yield (
                group,
                {
                    name: table.slice(ends[group], ends[group + 1] - ends[group])
                    for name, (table, ends) in parts.items()
                },
            )


def _counted(workers: Sequence[_Worker], given: Given) -> Count:
    """Return what one period comes to."""
    tables: dict[str, pa.Table | None] = dict(given.tables)
    senders: dict[str, Ints] = {}
    clocks = dict(given.watermarks)
    at = {worker.operator.name: position for position, worker in enumerate(workers)}
    found = Count([], [], {}, [])
    for position, worker in enumerate(workers):
        operator = worker.operator
        inputs = {name: _rows_of(tables, name) for name in operator.input_names()}
        rows, outside = np.zeros(operator.key_groups, np.int64), np.zeros(operator.key_groups)
        for name, table in inputs.items():
            key = operator.key_columns(name)
            arrived = _spread(table, key, operator.key_groups)
            rows += arrived
            width = float(table.nbytes / table.num_rows) if table.num_rows else 0.0
            if name in at:
                groups = workers[at[name]].operator.key_groups
                pairs = _pairs(senders[name], table, key, (groups, operator.key_groups))
                found.sent_bytes[at[name], position] = width * pairs.astype(np.float64)
            else:
                outside += width * arrived
        clocks[operator.name] = _slowest([clocks[name] for name in inputs])
        tables[operator.name], senders[operator.name] = worker.answer(inputs, clocks[operator.name])
        found.rows.append(rows)
        found.source_bytes.append(outside)
        found.state_bytes.append(worker.state_bytes())
    return found


def _rows_of(tables: Mapping[str, pa.Table | None], name: str) -> pa.Table:
    """Return the rows of an input; one that says nothing at all feeds nobody."""
    table = tables[name]
    if table is None:
        raise TypeError(f"{name} feeds another operator, so it has to answer with a table")
    return table


def _slowest(watermarks: Sequence[pd.Timestamp | None]) -> pd.Timestamp | None:
    """Return the time up to which an operator has all rows, where all of its inputs tell."""
    known = [each for each in watermarks if each is not None]
    return min(known) if known and len(known) == len(watermarks) else None


def _spread(table: pa.Table, key: Sequence[str], groups: int) -> Ints:
    """Return how many rows belong to each key group."""
    return np.bincount(key_groups(table, key, groups), minlength=groups).astype(np.int64)


def _pairs(senders: Ints, table: pa.Table, key: Sequence[str], shape: tuple[int, int]) -> Ints:
    """Return how many rows go from each key group to each."""
    sent = senders * shape[1] + key_groups(table, key, shape[1])
    counted = np.bincount(sent, minlength=shape[0] * shape[1])
    return counted.reshape(shape).astype(np.int64)
