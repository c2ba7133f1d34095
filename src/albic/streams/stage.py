"""One stage of the query: the key groups of all operators of a level, each a partition."""

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
)

from albic.model import InvalidInput
from albic.streams.layout import Layout
from albic.streams.packing import UNKNOWN
from albic.streams.state import Memory, decode, encode
from albic.streams.wire import (
    NOWHERE,
    SENDER_BITS,
    Block,
    Kind,
    columns,
    deliver,
    payload,
)
from albic.streams.work import Group, OperatorPlan, answered, taken_in, watermark


class Stage(StatefulProcessor):
    """Runs the key groups of one level; Spark calls it once a key group and batch."""

    def __init__(
        self, level: int, layout: Layout, plans: Mapping[int, OperatorPlan], sources: int
    ) -> None:
        self._level = level
        self._layout = layout
        self._plans = plans
        self._sources = sources
        self._partition = {label: at for at, label in enumerate(layout.labels())}

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Open the state."""
        self._stored = handle.getValueState("group", "content binary")

    def handleInputRows(  # noqa: N802  Spark's name
        self,
        key: Any,  # noqa: ANN401  Spark's, a tuple
        rows: Iterator[pd.DataFrame],
        timerValues: TimerValues,  # noqa: ARG002, N803  Spark's name
    ) -> Iterator[pd.DataFrame]:
        """Yield the blocks that a key group sends on, its own and those that pass through."""
        began_s = time.process_time()
        blocks = [
            Block(*row)
            for frame in rows
            for row in frame[list(Block._fields)].itertuples(index=False, name=None)
        ]
        partition = self._partition[int(key[0])]
        number, key_group = self._layout.located(self._level, partition)
        group = Group(number, self._plans[number], key_group, partition)
        sent = [self._passed_on(group, block) for block in blocks if self._passes(block)]
        sent += self._worked(group, blocks, began_s)
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

    def _worked(self, group: Group, blocks: Sequence[Block], began_s: float) -> list[Block]:
        """Return what the key group itself sends: rows, watermarks, counters."""
        content = self._stored.get()
        memory = self._remembered(group, None if content is None else content[0])
        marks = [b.payload for b in blocks if b.kind == Kind.WATERMARKS]
        before = watermark(memory.watermarks, group.plan.clocks)
        heard = [memory.watermarks, *(np.frombuffer(mark, np.int64).tolist() for mark in marks)]
        memory.watermarks = [max(each) for each in zip(*heard, strict=True)]
        mine = [b for b in blocks if b.kind == Kind.ROWS and not self._passes(b)]
        taken, late = taken_in(group.plan, mine, before)
        now = watermark(memory.watermarks, group.plan.clocks)
        sent: list[Block] = []
        made = 0
        if mine or (group.plan.windowed and now != before):
            answer = answered(group, memory, taken, now)
            made = answer.num_rows
            sent += self._sent(group, answer)
        rows_in = sum(block.rows for block in mine)
        memory.rows_in += rows_in
        memory.rows_out += made
        memory.late_rows += late
        after = encode(memory, group.owner)
        if content is None or after != bytes(content[0]):
            self._stored.update((after,))
        if marks and self._level < self._layout.depth:
            sent += self._marks(group, memory.watermarks)
        counted = {"rows_in": rows_in, "rows_out": made, "late_rows": late}
        counted |= {"state_bytes": len(after)}
        counted |= {"all_in": memory.rows_in, "all_out": memory.rows_out}
        counted |= {"all_late": memory.late_rows}
        return [*sent, self._counters(group, counted, began_s)]

    def _remembered(self, group: Group, content: bytes | None) -> Memory:
        """Return what the key group knows, and refuse what another one wrote."""
        groups = self._layout.places[group.number].key_groups
        if content is None:
            unknown = [UNKNOWN] * self._sources
            return Memory(group.plan.name, group.key_group, groups, unknown)
        memory = decode(content)
        wrote = (memory.operator, memory.key_group, memory.key_groups)
        same_clocks = len(memory.watermarks) == self._sources
        if wrote != (group.plan.name, group.key_group, groups) or not same_clocks:
            raise InvalidInput(
                f"{group.owner} of {groups} finds the state of operator {memory.operator!r}, key "
                f"group {memory.key_group} of {memory.key_groups}; another network wrote this "
                f"checkpoint: start with a new one"
            )
        return memory

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
