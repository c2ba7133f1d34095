"""Handing state over: what executors do with each old key group, and for each new one.

State goes from executor to executor and never to the driver. What is wrong with it comes back as a
row, so that the driver can say it in a sentence.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd
import pyarrow as pa

from albic.model import InvalidInput
from albic.streams.dividing import Share
from albic.streams.state import Memory, decode, encode
from albic.streams.takeover import Heir, Heritage

#: On the way: for which heir, from which old key group, and its memory.
GIVEN = "heir int, origin int, content binary, wrong string"
#: On arrival: where it goes, and the new memory.
TAKEN = "level int, label int, slot int, content binary, wrong string"
_GIVEN = pa.schema(
    [("heir", pa.int32()), ("origin", pa.int32()), ("content", pa.binary()), ("wrong", pa.string())]
)
#: The origin of a row that only says that there is an heir.
NOBODY = -1


@dataclass(frozen=True, slots=True)
class Giver:
    """Sends the memory of each old key group to its heirs, divided where that can be done here."""

    heritage: Heritage

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield what one task gives."""
        for batch in batches:
            for content in batch.column(0):
                rows = list(self._given(content.as_buffer()))
                if rows:
                    yield pa.RecordBatch.from_pylist(rows, _GIVEN)

    def _given(self, content: pa.Buffer) -> Iterator[dict[str, object]]:
        memory = decode(content)
        state = memory.state
        origin = Share(memory.key_group, memory.key_groups)
        for at in self.heritage.takers.get((memory.operator, memory.key_group), ()):
            heir = self.heritage.heirs[at]
            row: dict[str, object] = {
                "heir": at,
                "origin": memory.key_group,
                "content": None,
                "wrong": None,
            }
            try:
                if heir.division is not None:
                    memory.state = heir.division.part(state, origin, heir.share)
                row["content"] = encode(memory, heir.owner)
            except InvalidInput as wrong:
                row["wrong"] = f"operator {heir.operator!r}: {wrong}"
            yield row


@dataclass(frozen=True, slots=True)
class Taker:
    """Makes the memory of a new key group out of what it was given."""

    heritage: Heritage

    def __call__(self, given: pd.DataFrame) -> pd.DataFrame:
        """Return where it goes, and what it is."""
        heir = self.heritage.heirs[int(given["heir"].iloc[0])]
        content, wrong = None, next(iter(given["wrong"].dropna()), None)
        if wrong is None:
            parts = given[given["origin"] != NOBODY].sort_values("origin")["content"]
            try:
                content = encode(self._memory(heir, [decode(part) for part in parts]), heir.owner)
            except InvalidInput as mistake:
                wrong = f"{heir.owner}: {mistake}"
            except Exception as mistake:  # noqa: BLE001  a function of the user's may raise any
                wrong = f"{heir.owner}: its split raised {type(mistake).__name__}: {mistake}"
        at = heir.address
        row = (at.level, at.label, at.slot, content, wrong)
        return pd.DataFrame([row], columns=["level", "label", "slot", "content", "wrong"])

    def _memory(self, heir: Heir, parts: list[Memory]) -> Memory:
        share = heir.share
        # Rows were counted once, so one of the heirs goes on counting from there.
        counted = [part for part in parts if part.key_group % share.key_groups == share.key_group]
        memory = Memory(
            heir.operator,
            share.key_group,
            share.key_groups,
            list(self.heritage.watermarks),
            rows_in=sum(part.rows_in for part in counted),
            rows_out=sum(part.rows_out for part in counted),
            late_rows=sum(part.late_rows for part in counted),
            sources=list(self.heritage.sources),
        )
        states = [part.state for part in parts]
        if heir.division is not None and states:
            memory.state = heir.division.whole(states, share)
        elif states:
            (memory.state,) = states
        return memory
