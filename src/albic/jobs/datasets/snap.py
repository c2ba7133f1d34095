"""The edit history of the English Wikipedia up to 2008, as published by SNAP (``enwiki`` blocks).

Fourteen lines a revision. As SNAP's own loader does, a ``REVISION`` line that has not exactly seven
words is skipped, and so is everything up to the next one.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from albic.jobs.datasets import values
from albic.jobs.datasets.schemas import EDIT
from albic.jobs.datasets.tally import Tally

WIKI = "en.wikipedia"
MARK = b"REVISION "
_WORDS = 7
_ADDRESS = "ip:"
#: The tags after the first line, in order. The lists of links between them are not used.
TAGS = (
    *("CATEGORY", "IMAGE", "MAIN", "TALK", "USER", "USER_TALK", "OTHER"),
    *("EXTERNAL", "TEMPLATE", "COMMENT", "MINOR", "TEXTDATA"),
)


def last_record(lines: list[bytes]) -> int:
    """Return where the last record begins: what follows may not be whole yet."""
    for at in range(len(lines) - 1, -1, -1):
        if lines[at].startswith(MARK):
            return at
    return len(lines)


def edits(lines: list[bytes], tally: Tally) -> pa.Table:
    """Return the revisions in ``lines``, in the schema ``EDIT``; the last one counts as whole."""
    starts = np.array([at for at, line in enumerate(lines) if line.startswith(MARK)], int)
    tally.skip(
        "line outside a record",
        sum(1 for line in lines[: starts[0]] if line.strip())
        if len(starts)
        else sum(1 for line in lines if line.strip()),
    )
    heads = [lines[at].split() for at in starts]
    right = [position for position, words in enumerate(heads) if len(words) == _WORDS]
    tally.skip("REVISION line has not 7 words", len(heads) - len(right))
    words = [[_text(word, tally) for word in heads[position]] for position in right]
    columns = list(zip(*words, strict=True)) or [()] * _WORDS
    raw = pa.table(
        {
            **{
                name: pa.chunked_array([pa.array(column, pa.string())])
                for name, column in zip(_HEAD, columns[1:], strict=True)
            },
            **{
                name: pa.chunked_array(
                    [pa.array(_tagged(lines, starts, tag, tally)[right], pa.string())]
                )
                for tag, name in _TAGGED.items()
            },
        }
    )
    return _normalised(raw, tally)


_HEAD = ("article", "revision", "page", "time", "user", "user_id")
_TAGGED = {b"COMMENT": "comment", b"MINOR": "minor", b"TEXTDATA": "words"}


def _tagged(lines: list[bytes], starts: np.ndarray, tag: bytes, tally: Tally) -> np.ndarray:
    """Return what follows ``tag`` in each record, or nothing where the record has no such line."""
    found = np.full(len(starts), None, object)
    hits = np.array(
        [at for at, line in enumerate(lines) if line == tag or line.startswith(tag + b" ")], int
    )
    owners = np.searchsorted(starts, hits, side="right") - 1
    # The first line of a record with that tag counts: written last, it stays.
    for at, owner in zip(hits[::-1], owners[::-1], strict=True):
        if owner >= 0:
            found[owner] = _text(lines[at][len(tag) + 1 :], tally)
    return found


def _normalised(raw: pa.Table, tally: Tally) -> pa.Table:
    """Return good rows with every column in its type."""
    when = values.instants(raw["time"])
    anonymous = pc.starts_with(raw["user_id"], _ADDRESS)
    raw = raw.append_column("event_time", when).append_column("anonymous", anonymous)
    digits = r"^\d{1,18}$"
    kept = tally.keep(
        raw,
        {
            "record is cut short": pc.and_(pc.is_valid(raw["minor"]), pc.is_valid(raw["words"])),
            "impossible time": pc.is_valid(when),
            "an id that is no number": pc.and_(
                pc.and_(
                    pc.match_substring_regex(raw["article"], digits),
                    pc.match_substring_regex(raw["revision"], digits),
                ),
                pc.or_(anonymous, pc.match_substring_regex(raw["user_id"], digits)),
            ),
            "MINOR or TEXTDATA is no number": pc.and_(
                pc.match_substring_regex(raw["minor"], "^[01]$"),
                pc.match_substring_regex(raw["words"], digits),
            ),
        },
    )
    big = pa.int64()
    made = {
        "event_time": kept["event_time"],
        "wiki": pa.array([WIKI] * kept.num_rows, pa.string()),
        "page": pc.replace_substring(kept["page"], "_", " "),
        "article_id": values.wholes(kept["article"], big),
        "revision_id": values.wholes(kept["revision"], big),
        "user": pc.replace_substring_regex(
            pc.replace_substring(kept["user"], "_", " "), f"^{_ADDRESS}", ""
        ),
        "user_id": values.wholes(kept["user_id"], big),
        "anonymous": kept["anonymous"],
        "minor": pc.equal(kept["minor"], "1"),
        "words": values.wholes(kept["words"], big),
        "comment": kept["comment"],
    }
    full = {field.name: made.get(field.name, pa.nulls(kept.num_rows, field.type)) for field in EDIT}
    return pa.table(full, schema=EDIT)


def _text(word: bytes, tally: Tally) -> str:
    """Return ``word`` as text; bytes that are none become U+FFFD."""
    try:
        return word.decode("utf-8")
    except UnicodeDecodeError:
        tally.mend("bytes that are not UTF-8: now U+FFFD")
        return word.decode("utf-8", "replace")
