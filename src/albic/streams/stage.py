"""One stage of the query: the key groups of all chains of a level, each a partition.

An operator that is in no chain with others is a chain of its own. Inside a chain, rows go from one
operator to the next as they are; each operator has its own values in the same store. There are two
for each: its state, and what the network notes about it. The first is read only for a processor.
"""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyspark.sql.streaming.stateful_processor import (
    StatefulProcessor,
    StatefulProcessorHandle,
    TimerValues,
    ValueState,
)

from albic.model import InvalidInput
from albic.streams.layout import Layout
from albic.streams.packed_rows import (
    NOWHERE,
    SENDER_BITS,
    Block,
    Kind,
    columns,
    deliver,
    payload,
)
from albic.streams.packing import UNKNOWN
from albic.streams.state import About, State, decode, encode, told_by
from albic.streams.work import (
    Group,
    OperatorPlan,
    answered,
    expect_kept_key,
    taken_in,
    unpacked_by_input,
    watermark,
)

#: The names of the two values of a key group, its state and what the network notes about it.
STATE, ABOUT = "group", "about"


def variable(kind: str, position: int) -> str:
    """Return the name of a value of the operator at this position of its chain."""
    return f"{kind}_{position}" if position else kind


def opened(handle: StatefulProcessorHandle, kind: str, positions: int) -> list[ValueState]:
    """Return the values of one kind for a chain of so many operators."""
    names = [variable(kind, position) for position in range(positions)]
    return [handle.getValueState(name, "content binary") for name in names]


class Stage(StatefulProcessor):
    """Runs the key groups of one level; Spark calls it once a key group and batch."""

    def __init__(
        self,
        level: int,
        layout: Layout,
        plans: Mapping[int, OperatorPlan],
        sources: Sequence[str],
    ) -> None:
        self._level = level
        self._layout = layout
        self._plans = plans
        self._sources = sources
        self._partition = {label: at for at, label in enumerate(layout.labels())}

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Open the state: two values for each operator of the longest chain."""
        longest = max(len(chain) for chain in self._layout.chains if chain[0] in self._plans)
        self._states = opened(handle, STATE, longest)
        self._noted = opened(handle, ABOUT, longest)

    def handleInputRows(  # noqa: N802  Spark's name
        self,
        key: Any,  # noqa: ANN401  Spark's, a tuple
        rows: Iterator[pd.DataFrame],
        timerValues: TimerValues,  # noqa: ARG002, N803  Spark's name
    ) -> Iterator[pd.DataFrame]:
        """Yield the blocks that a chain's key groups send on, and those that pass through."""
        began_s = time.process_time()
        blocks = [
            Block(*row)
            for frame in rows
            for row in frame[list(Block._fields)].itertuples(index=False, name=None)
        ]
        partition = self._partition[int(key[0])]
        chain, key_group = self._layout.located(self._level, partition)
        groups = [
            Group(number, self._plans[number], key_group, partition, position)
            for position, number in enumerate(chain)
        ]
        sent = [self._passed_on(groups[0], block) for block in blocks if self._passes(block)]
        mine = [b for b in blocks if b.kind == Kind.ROWS and not self._passes(b)]
        marks = [b.payload for b in blocks if b.kind == Kind.WATERMARKS]
        given = {chain[0]: unpacked_by_input(groups[0].plan, mine)}
        for group in groups:
            tables = given.pop(group.number)
            answer = group.plan.schema.empty_table()
            # One in a chain that nobody sends anything to is not called, as in a stage of its own.
            if not group.position or tables[0].num_rows or marks:
                answer, mine_sent = self._worked(group, tables, marks, began_s)
                sent += mine_sent
            began_s = time.process_time()
            given |= self._handed_on(group, answer)
        yield pd.DataFrame(columns(sent))

    def close(self) -> None:
        """Have nothing to close."""

    def _passes(self, block: Block) -> bool:
        """Return whether a block is for a later stage."""
        if block.kind == Kind.ROWS:
            return self._layout.places[block.operator].level != self._level
        return block.kind != Kind.WATERMARKS

    def _passed_on(self, group: Group, block: Block) -> Block:
        """Return a block with the label of its next stop."""
        if block.kind != Kind.ROWS:
            return block._replace(label=self._onward(group))
        target = self._layout.places[block.operator].level
        hop = self._layout.hop(self._level + 1, target, block.partition)
        return block._replace(label=self._layout.labels()[hop])

    def _onward(self, group: Group) -> int:
        """Return the label for what goes straight on to the end."""
        if self._level == self._layout.depth:
            return NOWHERE
        return self._layout.labels()[group.partition % self._layout.used[self._level]]

    def _worked(
        self,
        group: Group,
        tables: Sequence[pa.Table],
        marks: Sequence[bytes],
        began_s: float,
    ) -> tuple[pa.Table, list[Block]]:
        """Return what the key group puts out, and what it sends: rows, watermarks, counters."""
        noted = self._noted[group.position].get()
        about = self._remembered(group, None if noted is None else noted[0])
        before = watermark(about.watermarks, group.plan.clocks)
        heard = [about.watermarks, *(np.frombuffer(mark, np.int64).tolist() for mark in marks)]
        about.watermarks = [max(each) for each in zip(*heard, strict=True)]
        taken, late = taken_in(group.plan, tables, before)
        now = watermark(about.watermarks, group.plan.clocks)
        rows_in = sum(table.num_rows for table in tables)
        answer = group.plan.schema.empty_table()
        if rows_in or (group.plan.windowed and now != before):
            answer = self._called(group, about, taken, now)
        sent = self._sent(group, answer)
        about.rows_in += rows_in
        about.rows_out += answer.num_rows
        about.late_rows += late
        after = about.encoded()
        if noted is None or after != bytes(noted[0]):
            self._noted[group.position].update((after,))
        # The first of a chain tells the next stage for all of them.
        if marks and self._level < self._layout.depth and not group.position:
            sent += self._marks(group, about.watermarks)
        counted = {"rows_in": rows_in, "rows_out": answer.num_rows, "late_rows": late}
        counted |= {"all_in": about.rows_in, "all_out": about.rows_out}
        counted |= {"all_late": about.late_rows, "state_bytes": about.state_bytes}
        return answer, [*sent, self._counters(group, counted, began_s)]

    def _called(
        self, group: Group, about: About, taken: Mapping[str, pa.Table], now: int
    ) -> pa.Table:
        """Return what the processor puts out; its state is read for it, and written if changed."""
        stored = self._states[group.position]
        content = stored.get()
        state = State() if content is None else decode(content[0])
        answer = answered(group, state, taken, now)
        if content is None and not state:
            return answer
        after = encode(state, about, group.owner)
        if content is None or after != bytes(content[0]):
            stored.update((after,))
        about.state_bytes, about.tables = len(after), list(state)
        return answer

    def _handed_on(self, group: Group, answer: pa.Table) -> dict[int, list[pa.Table]]:
        """Return the rows for those that run in the same task, as they are."""
        groups = self._layout.places[group.number].key_groups
        for key in {outlet.key for outlet in group.plan.chained}:
            expect_kept_key(group, answer, key, groups)
        # What pandas notes about a frame does not travel between stages, nor does it here.
        rows = answer.replace_schema_metadata(None)
        return {outlet.operator: [rows] for outlet in group.plan.chained}

    def _remembered(self, group: Group, noted: bytes | None) -> About:
        """Return what is known of the key group, and refuse what another one wrote."""
        groups = self._layout.places[group.number].key_groups
        about = self._noted_in_state(group) if noted is None else About.decoded(noted)
        if about is None:
            unknown = [UNKNOWN] * len(self._sources)
            known = list(self._sources)
            return About(group.plan.name, group.key_group, groups, unknown, sources=known)
        wrote = (about.operator, about.key_group, about.key_groups)
        same_clocks = len(about.watermarks) == len(self._sources)
        if wrote != (group.plan.name, group.key_group, groups) or not same_clocks:
            raise InvalidInput(
                f"{group.owner} of {groups} finds the state of operator {about.operator!r}, key "
                f"group {about.key_group} of {about.key_groups}; another network wrote this "
                f"checkpoint, or one chained otherwise: start with a new one, and carry_over from "
                f"this one if it is yours"
            )
        about.sources = list(self._sources)
        return about

    def _noted_in_state(self, group: Group) -> About | None:
        """Return what an older release noted, which did so in the state itself."""
        content = self._states[group.position].get()
        return None if content is None else told_by(content[0])[0]

    def _sent(self, group: Group, answer: pa.Table) -> list[Block]:
        """Return a key group's output, for its consumers and for sinks."""
        if not answer.num_rows:
            return []
        ordinal = (group.key_group << SENDER_BITS) + 1
        sent = list(deliver(answer, group.plan.outlets, self._layout, self._level, ordinal))
        if group.plan.kept:
            head = (self._onward(group), Kind.OUTPUT, group.number, group.key_group)
            sent.append(Block(*head, group.partition, ordinal, answer.num_rows, payload(answer)))
        return sent

    def _marks(self, group: Group, watermarks: Sequence[int]) -> list[Block]:
        """Return the watermarks for those key groups of the next stage that hear them from us.

        All of a stage know the same, so each of the next stage needs to hear it only once.
        """
        used, following = self._layout.used[self._level - 1 : self._level + 1]
        content = np.array(watermarks, dtype=np.int64).tobytes()
        return [
            Block(self._layout.labels()[at], Kind.WATERMARKS, -1, -1, at, 0, 0, content)
            for at in range(group.partition, following, used)
        ]

    def _counters(self, group: Group, counted: Mapping[str, float], began_s: float) -> Block:
        """Return what the key group did, for the driver."""
        spent = {"python_s": time.process_time() - began_s}
        content = json.dumps({**counted, **spent}).encode()
        head = (self._onward(group), Kind.COUNTERS, group.number, group.key_group)
        return Block(*head, group.partition, 0, 0, content)
