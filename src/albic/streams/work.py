"""What a key group does with its rows: take them in, and let its processor answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa

from albic.model import AlbicError, InvalidInput, ProcessorFailed
from albic.streams.hashing import key_groups
from albic.streams.packed_rows import Block, Outlet, unpacked
from albic.streams.packing import UNKNOWN
from albic.streams.parts import Processor, Rows
from albic.streams.schemas import conform
from albic.streams.state import State


@dataclass(frozen=True, slots=True)
class InputPlan:
    """One input of an operator: the rows that come through it, and their column of event times."""

    name: str
    schema: pa.Schema
    event_time: str | None


@dataclass(frozen=True, slots=True)
class OperatorPlan:
    """All that a worker has to know of an operator.

    ``clocks`` are the positions of the sources that set its watermark, ``kept`` says that a sink
    wants its output. ``outlets`` are its consumers in later stages, ``chained`` those that run in
    the same task.
    """

    name: str
    process: Processor
    inputs: tuple[InputPlan, ...]
    schema: pa.Schema
    outlets: tuple[Outlet, ...]
    clocks: tuple[int, ...]
    windowed: bool
    kept: bool
    chained: tuple[Outlet, ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """One key group at work in one batch; ``position`` is where its operator is in its chain."""

    number: int
    plan: OperatorPlan
    key_group: int
    partition: int
    position: int

    @property
    def owner(self) -> str:
        """Return what errors call it."""
        return f"operator {self.plan.name!r}, key group {self.key_group}"


def watermark(watermarks: Sequence[int], clocks: Sequence[int]) -> int:
    """Return the time up to which an operator has all rows: that of its slowest source."""
    return min((watermarks[clock] for clock in clocks), default=UNKNOWN)


def unpacked_by_input(plan: OperatorPlan, blocks: Sequence[Block]) -> list[pa.Table]:
    """Return the rows that came in blocks, input by input."""
    tables = []
    for slot, given in enumerate(plan.inputs):
        here = sorted((b for b in blocks if b.slot == slot), key=lambda block: block.ordinal)
        tables.append(unpacked((block.payload for block in here), given.schema))
    return tables


def taken_in(
    plan: OperatorPlan, tables: Sequence[pa.Table], before: int
) -> tuple[dict[str, pa.Table], int]:
    """Return an operator's new rows by input, and how many of them were late."""
    taken, late = {}, 0
    for given, table in zip(plan.inputs, tables, strict=True):
        kept = table
        if given.event_time is not None and before > UNKNOWN and table.num_rows:
            times = table.column(given.event_time).cast(pa.int64()).fill_null(before)
            in_time = times.to_numpy() >= before
            late += table.num_rows - int(in_time.sum())
            if plan.windowed and not in_time.all():
                kept = table.filter(pa.array(in_time))
        taken[given.name] = kept
    return taken, late


def answered(
    group: Group, state: State, taken: Mapping[str, pa.Table], watermark_us: int
) -> pa.Table:
    """Return what the processor makes of its rows."""
    known = watermark_us > UNKNOWN
    moment = pd.Timestamp(watermark_us, unit="us", tz="UTC") if known else None
    try:
        answer = group.plan.process(state, Rows(taken, group.key_group, moment))
    except AlbicError as wrong:
        raise InvalidInput(f"{group.owner}: {wrong}") from wrong
    except Exception as wrong:
        raise ProcessorFailed(f"{group.owner}: {type(wrong).__name__}: {wrong}") from wrong
    return conform(answer, group.plan.schema, group.owner)


def expect_kept_key(group: Group, answer: pa.Table, key: Sequence[str], groups: int) -> None:
    """Refuse a row that belongs to another key group than the one that put it out."""
    belongs = key_groups(answer, key, groups)
    elsewhere = np.flatnonzero(belongs != group.key_group)
    if elsewhere.size:
        at = int(elsewhere[0])
        told = ", ".join(f"{name}={answer.column(name)[at].as_py()!r}" for name in key)
        raise InvalidInput(
            f"{group.owner} declares keeps_key, but put out a row with the key {told}, which "
            f"belongs to key group {belongs[at]}; leave keeps_key out, or put out keys as they came"
        )
