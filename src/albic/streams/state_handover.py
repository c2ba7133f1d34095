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
from albic.streams.state import About, State, decode, encode, told_by
from albic.streams.takeover import Heir, Heritage

#: On the way: for which heir, from which old key group, what was noted about it, and its state.
GIVEN = "heir int, origin int, about binary, content binary, wrong string"
#: On arrival: where it goes, and the same for the new key group; without a state if it has none.
TAKEN = "level int, label int, slot int, about binary, content binary, wrong string"
_GIVEN = pa.schema(
    [
        ("heir", pa.int32()),
        ("origin", pa.int32()),
        ("about", pa.binary()),
        ("content", pa.binary()),
        ("wrong", pa.string()),
    ]
)
#: The origin of a row that only says that there is an heir.
NOBODY = -1


@dataclass(frozen=True, slots=True)
class Giver:
    """Sends what each old key group knew to its heirs, divided where that can be done here."""

    heritage: Heritage

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield what one task gives."""
        for batch in batches:
            for noted, content in zip(batch.column("about"), batch.column("content"), strict=True):
                given = self._noted if noted.is_valid else self._given
                rows = list(given((noted if noted.is_valid else content).as_buffer()))
                if rows:
                    yield pa.RecordBatch.from_pylist(rows, _GIVEN)

    def _noted(self, content: pa.Buffer) -> Iterator[dict[str, object]]:
        about = About.decoded(content)
        for at in self.heritage.takers.get((about.operator, about.key_group), ()):
            yield {"heir": at, "origin": about.key_group, "about": content.to_pybytes()}

    def _given(self, content: pa.Buffer) -> Iterator[dict[str, object]]:
        about, whole = told_by(content)
        origin = Share(about.key_group, about.key_groups)
        takers = self.heritage.takers.get((about.operator, about.key_group), ())
        state = decode(content) if takers else State()
        for at in takers:
            heir = self.heritage.heirs[at]
            row: dict[str, object] = {"heir": at, "origin": about.key_group}
            # An older release noted everything in the state.
            row["about"] = about.encoded() if whole else None
            try:
                part = state
                if heir.division is not None:
                    part = heir.division.part(state, origin, heir.share)
                row["content"] = encode(part, about, heir.owner)
            except InvalidInput as wrong:
                row["wrong"] = f"operator {heir.operator!r}: {wrong}"
            yield row


@dataclass(frozen=True, slots=True)
class Taker:
    """Makes what a new key group knows out of what it was given."""

    heritage: Heritage

    def __call__(self, given: pd.DataFrame) -> pd.DataFrame:
        """Return where it goes, and what it is."""
        heir = self.heritage.heirs[int(given["heir"].iloc[0])]
        noted, content, wrong = None, None, next(iter(given["wrong"].dropna()), None)
        if wrong is None:
            try:
                noted, content = self._made(heir, given[given["origin"] != NOBODY])
            except InvalidInput as mistake:
                wrong = f"{heir.owner}: {mistake}"
            except Exception as mistake:  # noqa: BLE001  a function of the user's may raise any
                wrong = f"{heir.owner}: its split raised {type(mistake).__name__}: {mistake}"
        at = heir.address
        row = (at.level, at.label, at.slot, noted, content, wrong)
        columns = ["level", "label", "slot", "about", "content", "wrong"]
        return pd.DataFrame([row], columns=columns)

    def _made(self, heir: Heir, given: pd.DataFrame) -> tuple[bytes, bytes | None]:
        """Return what is noted about the heir, and its state if it has one."""
        states = given.dropna(subset="content").set_index("origin")["content"]
        # What a state of an older release says is outdated where there is a value of its own.
        told = given.dropna(subset="about").sort_values("content", key=pd.isna, kind="stable")
        noted = told.drop_duplicates("origin", keep="last").sort_values("origin")
        origins = [About.decoded(each) for each in noted["about"]]
        about = self._about(heir, origins)
        parts = [
            decode(states[each.key_group]) if each.key_group in states.index else State()
            for each in origins
        ]
        state = State()
        if heir.division is not None and parts:
            state = heir.division.whole(parts, heir.share)
        elif parts:
            (state,) = parts
        content = encode(state, about, heir.owner) if state else None
        about.state_bytes, about.tables = len(content or b""), list(state)
        return about.encoded(), content

    def _about(self, heir: Heir, origins: list[About]) -> About:
        share = heir.share
        # Rows were counted once, so one of the heirs goes on counting from there.
        counted = [each for each in origins if each.key_group % share.key_groups == share.key_group]
        return About(
            heir.operator,
            share.key_group,
            share.key_groups,
            list(self.heritage.watermarks),
            rows_in=sum(each.rows_in for each in counted),
            rows_out=sum(each.rows_out for each in counted),
            late_rows=sum(each.late_rows for each in counted),
            sources=list(self.heritage.sources),
        )
