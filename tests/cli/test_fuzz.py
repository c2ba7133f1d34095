"""Two thousand damaged snapshots: a sentence or a plan each, never a traceback."""

import copy
import io
import json
import random
from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from albic.cli import main

EXAMPLE = Path(__file__).parents[2] / "examples" / "snapshot.json"
SEED = 20_260_101
BATCHES, BATCH = 20, 100

Slot = tuple[Any, Any]
"""A container of the document and a key or position in it."""

JUNK = (
    *(None, True, False, "", "x", "0", "\ud800", "\x1b[2J", [], {}, [[]], {"a": {}}, [None] * 3),
    *(0, -1, 1, 2, 3, 0.5, -0.0, 1e-320, 1e9, 1e15, 1e300, -1e300, 2**31, 2**53, 2**63, 10**400),
    *(float("nan"), float("inf"), float("-inf"), "active", "draining", "albic-snapshot/1"),
)


def slots(part: Any) -> list[Slot]:
    """Return every place of a document that holds something."""
    keys = part if isinstance(part, dict) else range(len(part)) if isinstance(part, list) else ()
    found = [(part, key) for key in keys]
    return found + [slot for key in keys for slot in slots(part[key])]


def replace(document: Any, rng: random.Random) -> None:
    part, key = rng.choice(slots(document))
    part[key] = copy.deepcopy(rng.choice(JUNK))


def replace_near_the_top(document: Any, rng: random.Random) -> None:
    part = rng.choice([document, *(each for each in document.values() if isinstance(each, dict))])
    part[rng.choice(list(part))] = copy.deepcopy(rng.choice(JUNK))


def delete(document: Any, rng: random.Random) -> None:
    part, key = rng.choice(slots(document))
    del part[key]


def rename(document: Any, rng: random.Random) -> None:
    part, key = rng.choice([slot for slot in slots(document) if isinstance(slot[0], dict)])
    cut = rng.randrange(len(key))
    part[key[:cut] + rng.choice(["", "x", key[cut].upper(), "\u202e"]) + key[cut + 1 :]] = part.pop(
        key
    )


def lengthen(document: Any, rng: random.Random) -> None:
    part, key = rng.choice([slot for slot in slots(document) if isinstance(slot[0], list)])
    part.insert(key, copy.deepcopy(part[key] if rng.random() < 0.5 else rng.choice(JUNK)))


def swap(document: Any, rng: random.Random) -> None:
    (one, here), (other, there) = rng.choice(slots(document)), rng.choice(slots(document))
    one[here], other[there] = copy.deepcopy(other[there]), copy.deepcopy(one[here])


def nudge(document: Any, rng: random.Random) -> None:
    """Change a number a little: most of these stay valid, and must then be planned."""
    numbers = [(p, k) for p, k in slots(document) if type(p[k]) in (int, float)]
    part, key = rng.choice(numbers)
    part[key] = part[key] * rng.choice([0, 0.5, 2, 1e6]) + rng.choice([0, 0, 1])


def bury(document: Any, rng: random.Random) -> None:
    part, key = rng.choice(slots(document))
    for _ in range(rng.choice([1, 10, 400])):
        part[key] = rng.choice([[part[key]], {"a": part[key]}])


def truncated(content: bytes, rng: random.Random) -> bytes:
    return content[: rng.randrange(len(content))]


def flipped(content: bytes, rng: random.Random) -> bytes:
    damaged = bytearray(content)
    for _ in range(rng.choice([1, 1, 2, 20])):
        damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
    return bytes(damaged)


def spliced(content: bytes, rng: random.Random) -> bytes:
    junk = (b"NaN", b"-Infinity", b"1e999", b"9" * 5000, b"[" * 5000, b"\x00", b"\xff", b'"owner":')
    at = rng.randrange(len(content))
    return content[:at] + rng.choice(junk) + content[at + rng.choice([0, 0, 1, 3]) :]


STRUCTURAL: tuple[Callable[[Any, random.Random], None], ...] = (
    *(replace, replace_near_the_top, delete, rename, lengthen, swap, nudge, nudge, bury),
)
TEXTUAL = (truncated, flipped, spliced)


def mutant(rng: random.Random) -> bytes:
    """Return the example with one to three things done to it."""
    document = json.loads(EXAMPLE.read_text())
    if rng.random() < 0.75:
        for _ in range(rng.choice([1, 1, 1, 2, 3])):
            rng.choice(STRUCTURAL)(document, rng)
        # Surrogates and such go out as escapes, so that they reach the reader of strings.
        return json.dumps(document).encode()
    return rng.choice(TEXTUAL)(json.dumps(document).encode(), rng)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_a_damaged_snapshot_is_planned_or_refused_in_one_sentence(batch, tmp_path):
    rng = random.Random(SEED + batch)  # noqa: S311 - for variety, not for secrets
    source, target = tmp_path / "s.json", tmp_path / "p.json"
    endings: Counter[int] = Counter()
    for number in range(BATCH):
        source.write_bytes(mutant(rng))
        planner, more = rng.choice(["hold", "flux"]), rng.choice([[], *3 * [["--json"]]])
        budget = rng.choice([["--max-migrations", "4"], ["--max-cost", "5e7"]])
        arguments = ["plan", str(source), "--planner", planner, *budget, *more, "-o", str(target)]
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = main(arguments)
        where = f"batch {batch}, mutant {number}: {' '.join(arguments)}\n{err.getvalue()}"
        endings[code] += 1
        if code == 0:
            assert target.exists(), where
            assert err.getvalue() == "", where
            json.loads(target.read_text())
            target.unlink()
        else:
            assert code == 2, where
            assert out.getvalue() == "", where
            assert err.getvalue().count("\n") == 1, where
            assert err.getvalue().startswith("albic: "), where
        assert [each.name for each in tmp_path.iterdir()] == ["s.json"], where
    # The damage must be neither fatal every time nor harmless every time, or this tests nothing.
    assert endings[0] >= BATCH // 20
    assert endings[2] >= BATCH // 2
