"""Edits of all Wikipedias on 12 September 2015, one JSON object a line (Druid's wikiticker)."""

import json

import pyarrow as pa
import pyarrow.compute as pc

from albic.jobs.datasets import values
from albic.jobs.datasets.schemas import EDIT
from albic.jobs.datasets.tally import Tally

_TEXTS = {
    "time": "event_time",
    "channel": "wiki",
    "page": "page",
    "namespace": "namespace",
    "user": "user",
    "comment": "comment",
    "countryIsoCode": "country",
    "regionIsoCode": "region",
    "cityName": "city",
}
_TRUTHS = {
    "isAnonymous": "anonymous",
    "isMinor": "minor",
    "isNew": "new",
    "isRobot": "robot",
    "isUnpatrolled": "unpatrolled",
}
_COUNTS = {"added": "added", "deleted": "deleted", "delta": "delta"}
_MOST = 2**63


def edits(lines: list[bytes], tally: Tally) -> pa.Table:
    """Return the edits in ``lines``, in the schema ``EDIT``."""
    rows = [row for line in lines if line.strip() and (row := _row(line, tally)) is not None]
    kinds = {**_TEXTS, **_TRUTHS, **_COUNTS}
    types = {**dict.fromkeys(_TEXTS, pa.string()), **dict.fromkeys(_TRUTHS, pa.bool_())}
    raw = pa.table(
        {
            ours: pa.chunked_array(
                [pa.array([row.get(theirs) for row in rows], types.get(theirs, pa.int64()))]
            )
            for theirs, ours in kinds.items()
        }
    )
    when = values.instants(raw["event_time"])
    raw = raw.set_column(0, "event_time", when)
    kept = tally.keep(
        raw,
        {
            "impossible time": pc.is_valid(when),
            "no page, user or channel": pc.and_(
                pc.and_(pc.is_valid(raw["page"]), pc.is_valid(raw["user"])),
                pc.is_valid(raw["wiki"]),
            ),
        },
    )
    made = {name: kept[name] for name in kept.column_names}
    made["wiki"] = pc.utf8_ltrim(kept["wiki"], "#")
    full = {field.name: made.get(field.name, pa.nulls(kept.num_rows, field.type)) for field in EDIT}
    return pa.table(full, schema=EDIT)


def _row(line: bytes, tally: Tally) -> dict[str, object] | None:
    """Return one line's object, or nothing if it is damaged."""
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError:
        text = line.decode("utf-8", "replace")
        tally.mend("bytes that are not UTF-8: now U+FFFD")
    try:
        row = json.loads(text)
    except (ValueError, RecursionError):
        tally.skip("line is not JSON")
        return None
    if not isinstance(row, dict) or not _typed(row):
        tally.skip("a field of another type")
        return None
    return row


def _typed(row: dict[str, object]) -> bool:
    """Return whether every field that we read has its type."""
    return (
        all(isinstance(row.get(name), str | None) and _encodable(row.get(name)) for name in _TEXTS)
        and all(isinstance(row.get(name), bool | None) for name in _TRUTHS)
        and all(_is_count(row.get(name)) for name in _COUNTS)
    )


def _encodable(text: object) -> bool:
    r"""Return whether ``text`` can be stored; JSON may spell half a character (``\ud800``)."""
    return (
        not isinstance(text, str)
        or text.isascii()
        or not any("\ud800" <= c <= "\udfff" for c in text)
    )


def _is_count(value: object) -> bool:
    """Return whether ``value`` is a whole number that fits, or none."""
    if value is None:
        return True
    return isinstance(value, int) and not isinstance(value, bool) and -_MOST <= value < _MOST
