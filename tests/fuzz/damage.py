"""Ways to spoil a good file, for hypothesis to draw from."""

import copy
import json
from collections.abc import Callable
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

#: The profile of that name has so many examples.
NIGHTLY = 2000
JUNK: tuple[Any, ...] = (
    *(None, True, "", "x", "0", "\ud800", "\x1b[2J", "\u202e", [], {}, [[]], {"a": {}}, [None] * 3),
    *(0, -1, 1, 2, 0.5, -0.0, 1e-320, 1e15, 1e300, -1e300, 2**31, 2**53, 2**63, 10**400),
    *(float("nan"), float("inf"), float("-inf")),
)
SPLICES = (
    *(b"NaN", b"-Infinity", b"1e999", b"9" * 5000, b"[" * 20_000, b'{"a":' * 20_000, b"\x00"),
    *(b"\xff", b'"', b"\n", b",", b"\\ud800", b"\r", b"PK\x03\x04", b"\x1f\x8b", b"=", b"]]"),
)


def places(part: Any) -> list[tuple[Any, Any]]:
    """Return every place of a document that holds something: a container, and a key in it."""
    keys = part if isinstance(part, dict) else range(len(part)) if isinstance(part, list) else ()
    found = [(part, key) for key in keys]
    return found + [place for key in keys for place in places(part[key])]


@st.composite
def changed(draw: Callable[..., Any], document: Any) -> Any:
    """Return the document with one to three things of it put out of order."""
    spoilt = copy.deepcopy(document)
    for _ in range(draw(st.integers(1, 3))):
        part, key = draw(st.sampled_from(places(spoilt) or [({}, "a")]))
        match draw(st.sampled_from(["junk", "gone", "twice", "deep"])):
            case "junk":
                part[key] = copy.deepcopy(draw(st.sampled_from(JUNK)))
            case "gone":
                part.pop(key, None) if isinstance(part, dict) else part.pop(key)
            case "twice":
                part[key] = [copy.deepcopy(part[key])] * 2 if key in part else 0
            case _:
                for _ in range(draw(st.sampled_from([1, 10, 400]))):
                    part[key] = [part[key] if key in part or isinstance(part, list) else 0]
    return spoilt


@st.composite
def spoilt_bytes(draw: Callable[..., Any], content: bytes) -> bytes:
    """Return the bytes cut, flipped, or with something in them that does not belong there."""
    found = bytearray(content)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, max(len(found) - 1, 0)))
        match draw(st.sampled_from(["cut", "flip", "splice", "repeat", "drop"])):
            case "cut":
                del found[at:]
            case "flip" if found:
                found[at] ^= 1 << draw(st.integers(0, 7))
            case "splice":
                found[at:at] = draw(st.sampled_from(SPLICES))
            case "repeat":
                found[at:at] = found[at // 2 : at // 2 + draw(st.integers(1, 60))]
            case _:
                del found[at : at + draw(st.integers(1, 30))]
    return bytes(found)


def spoilt_json(document: Any) -> st.SearchStrategy[bytes]:
    """Return files that were once ``document``."""
    # Surrogates and such go out as escapes, so that they reach the reader of strings.
    text = changed(document).map(lambda spoilt: json.dumps(spoilt).encode())
    return st.one_of(text, spoilt_bytes(json.dumps(document).encode()), st.binary(max_size=60))


def many() -> settings:
    """Return how many files are spoilt: as many as the profile says, ten thousand every night."""
    examples = settings().max_examples
    return settings(max_examples=10_000 if examples >= NIGHTLY else examples)
