"""Whatever is in a file of ours: what it says, or one sentence about what is wrong with it."""

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from albic.control.journal import FORMAT, read_journal
from albic.live import JournalFollower, JournalState
from albic.model import InvalidInput
from albic.model.plan_file import plan_document, read_plan
from albic.model.snapshot_file import read_snapshot, snapshot_document
from albic.planners.flux import FluxPlanner
from albic.sim.trace_file import ARRAYS, load_trace, save_trace
from tests.fuzz.damage import many, spoilt_bytes, spoilt_json
from tests.unit.live.journals import story
from tests.unit.sim.test_trace import example
from tests.worlds import world

DRAWING = "a: 30 20 10 | b(x2): 5 | c(draining): 7"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("spoilt")


def refused_or_read(read: Callable[[Path], Any], path: Path, content: bytes) -> None:
    """Read a file; the only error there may be is a sentence that names it."""
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    try:
        read(path)
    except InvalidInput as wrong:
        told = str(wrong)
        assert path.name in told
        assert len(told) < 2000, "a sentence, and not the file once more"
    assert [each.name for each in path.parent.iterdir()] == [path.name], "nothing is left behind"
    path.unlink()


@cache
def documents() -> dict[str, Any]:
    asked = world(DRAWING, operators=[3, 2])
    plan = FluxPlanner().plan(asked)
    return {
        "snapshot": snapshot_document(asked.snapshot),
        "plan": plan_document(plan, asked.snapshot),
    }


@many()
@given(content=st.deferred(lambda: spoilt_json(documents()["snapshot"])))
def test_a_spoilt_snapshot(folder: Path, content: bytes) -> None:
    refused_or_read(read_snapshot, folder / "one/s.json", content)


@many()
@given(content=st.deferred(lambda: spoilt_json(documents()["plan"])))
def test_a_spoilt_plan(folder: Path, content: bytes) -> None:
    snapshot = world(DRAWING, operators=[3, 2]).snapshot
    refused_or_read(lambda path: read_plan(path, snapshot), folder / "two/p.json", content)


@cache
def journal_lines() -> tuple[Any, ...]:
    return tuple(json.loads(json.dumps({"format": FORMAT, **asdict(record)})) for record in story())


@st.composite
def spoilt_journals(draw: Callable[..., Any]) -> bytes:
    lines = journal_lines()
    at = draw(st.integers(0, len(lines) - 1))
    spoilt = draw(spoilt_json(lines[at]))
    whole = [json.dumps(line).encode() for line in lines]
    return b"\n".join([*whole[:at], spoilt, *whole[at + 1 :]]) + draw(st.sampled_from([b"\n", b""]))


@many()
@given(content=spoilt_journals())
def test_a_spoilt_journal(folder: Path, content: bytes) -> None:
    def read(path: Path) -> None:
        follower, state = JournalFollower(path), JournalState()
        for record in follower.records():
            state.take_in(record)
        state.shown()
        follower.close()
        read_journal(path)

    assert FORMAT in str(journal_lines()[0])
    refused_or_read(read, folder / "three/journal.jsonl", content)


@cache
def trace_arrays() -> dict[str, Any]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "t.npz"
        save_trace(path, example())
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in ARRAYS}


@cache
def trace_bytes() -> bytes:
    packed = io.BytesIO()
    np.savez_compressed(packed, **trace_arrays())
    return packed.getvalue()


@st.composite
def spoilt_traces(draw: Callable[..., Any]) -> bytes:
    arrays = dict(trace_arrays())
    for name in draw(st.lists(st.sampled_from(sorted(arrays)), min_size=1, max_size=2)):
        given_ = arrays[name]
        arrays[name] = draw(
            st.sampled_from(
                [
                    *(
                        given_.astype(np.float64, copy=False)
                        if given_.dtype.kind != "U"
                        else given_,
                    ),
                    *(given_[..., None], np.array(given_).ravel()[:-1], np.array("x"), np.array(7)),
                    *(np.array(np.nan), np.array([-1]), np.array([[2**62]]), np.zeros((0, 2))),
                    np.full(given_.shape, -1),
                    np.full(given_.shape, np.nan),
                    np.full(given_.shape, 2**62),
                ]
            )
        )
    packed = io.BytesIO()
    np.savez(packed, **arrays)
    return packed.getvalue()


@many()
@given(content=st.deferred(lambda: st.one_of(spoilt_traces(), spoilt_bytes(trace_bytes()))))
def test_a_spoilt_trace(folder: Path, content: bytes) -> None:
    refused_or_read(load_trace, folder / "four/t.npz", content)


def _npy(shape: str, kind: str = "<f4") -> bytes:
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + b"\0" * 8


@pytest.mark.parametrize("shape", ["(1000000000000,)", "(100000, 1000000000)", "(-5,)", "(2,) * 9"])
def test_a_trace_that_claims_more_than_there_is(tmp_path: Path, shape: str) -> None:
    arrays = trace_arrays()
    path = tmp_path / "t.npz"
    with zipfile.ZipFile(path, "w") as archive:
        for name, values in arrays.items():
            packed = io.BytesIO()
            np.save(packed, values)
            archive.writestr(f"{name}.npy", _npy(shape) if name == "effort" else packed.getvalue())
    with pytest.raises(InvalidInput, match=r"t\.npz"):
        load_trace(path)


@pytest.mark.parametrize("read", [read_snapshot, read_journal, load_trace])
def test_a_file_without_end_is_refused(read: Callable[[Path], Any]) -> None:
    endless = Path("/dev/zero")
    if not endless.exists():
        pytest.skip("there is no such device here")
    with pytest.raises(InvalidInput, match="zero"):
        read(endless)
