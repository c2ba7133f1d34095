"""Whatever a file of data holds: rows, counts or one sentence, in little memory and little time."""

import bz2
import gzip
import io
import lzma
import os
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from albic.jobs.datasets.formats import FORMATS
from albic.jobs.datasets.generating import RECIPES, generate
from albic.jobs.datasets.reading import reading_of
from albic.jobs.datasets.survey import surveyed
from albic.jobs.datasets.writing import WRITERS
from albic.model import InvalidInput
from tests.fuzz.damage import many, spoilt_bytes
from tests.unit.jobs.datasets.helpers import EXPO_HEADER, expo
from tests.unit.jobs.datasets.test_weather import STATIONS

#: What a process with pyarrow takes by itself, and a few blocks of lines.
MOST_BYTES = 700 << 20


def plain(content: bytes) -> bytes:
    return content


def zipped(content: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.csv", content)
    return stream.getvalue()


def tarred(content: bytes) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        info = tarfile.TarInfo("a.csv")
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))
    return stream.getvalue()


COVERS = (plain, gzip.compress, bz2.compress, lzma.compress, zipped, tarred)


@cache
def originals() -> dict[str, bytes]:
    """Return a small file of each format."""
    found = {"isd-history": STATIONS.encode()}
    with TemporaryDirectory() as folder:
        for name in WRITERS:
            recipe, _ = RECIPES[FORMATS[name].kind.name]
            small = type(recipe)(12, 5, 0.5, 0.1, recipe.start, 2)
            path = Path(folder) / name
            generate(FORMATS[name], small, path)
            found[name] = path.read_bytes()
    return found


@st.composite
def spoilt_data(draw: Callable[..., Any]) -> bytes:
    """Return a file of some format under up to two covers, spoilt inside, outside or both."""
    content = originals()[draw(st.sampled_from(sorted(originals())))]
    inside, outside = draw(st.sampled_from([(True, False), (False, True), (True, True)]))
    content = draw(spoilt_bytes(content)) if inside else content
    for cover in draw(st.lists(st.sampled_from(COVERS), max_size=2)):
        content = cover(content)
    return draw(spoilt_bytes(content)) if outside else content


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@many()
@given(content=st.deferred(spoilt_data))
def test_any_file_of_data(folder: Path, content: bytes) -> None:
    path = folder / "data"
    path.write_bytes(content)
    try:
        surveyed(reading_of(path))
    except InvalidInput as wrong:
        told = str(wrong)
        assert "data" in told
        assert len(told) < 2000


FLIGHTS = f"{EXPO_HEADER}\n".encode(), f"{expo()}\n".encode()


def flights(mebibytes: int) -> bytes:
    """Return the same flight again and again: right in every line, and more than anybody flew."""
    return FLIGHTS[0] + FLIGHTS[1] * ((mebibytes << 20) // len(FLIGHTS[1]))


def gzip_parts(part: bytes, times: int) -> bytes:
    """Return many gzip files after each other, which are one; each is packed once."""
    return gzip.compress(FLIGHTS[0]) + gzip.compress(part) * times


def overlapping_zip() -> bytes:
    """Return a zip whose list names the same packed bytes a thousand times."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.csv", b"".join((FLIGHTS[0], FLIGHTS[1] * 100_000)))
        (info,) = archive.infolist()
        archive.filelist += [info] * 1000
    return stream.getvalue()


def sparse_tar() -> bytes:
    """Return a tar with one file of a hundred gigabytes, all of it holes."""
    head = tarfile.TarInfo("a.csv")
    head.type, head.size = tarfile.GNUTYPE_SPARSE, 512
    raw = bytearray(head.tobuf(tarfile.GNU_FORMAT))
    raw[386:398], raw[398:410] = b"00000000000\0", b"00000001000\0"
    raw[483:495] = f"{100 * 2**30:o}".rjust(11, "0")[-11:].encode() + b"\0"
    raw[148:156] = b" " * 8
    raw[148:156] = f"{sum(raw):06o}\0 ".encode()
    return bytes(raw) + FLIGHTS[0].ljust(512, b"\n") + b"\0" * 1024


BOMBS = {
    "gzip without a line's end": lambda: gzip_parts(b"x" * (16 << 20), 20),
    "gzip of the same flight": lambda: gzip_parts(FLIGHTS[1] * 300_000, 4),
    "bzip2 in bzip2": lambda: bz2.compress(bz2.compress(flights(5)) * 14),
    "xz": lambda: lzma.compress(flights(90), preset=0),
    "zip in gzip": lambda: gzip.compress(zipped(flights(90))),
    "zip in zip": lambda: zipped(zipped(flights(90))),
    "zip with the same bytes again": overlapping_zip,
    "tar of holes": sparse_tar,
}


#: Starts its arguments and prints the exit code and the most memory. A process of its own: Linux
#: counts what has started another as that one's, and tests before may have taken much.
MEASURED = """
import os, sys
process = os.posix_spawn(sys.executable, [sys.executable, *sys.argv[1:]], dict(os.environ))
_, status, used = os.wait4(process, 0)
print(os.waitstatus_to_exitcode(status), used.ru_maxrss)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "posix_spawn"), reason="measures the memory of a process")
@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_in_little_memory_and_little_time(name: str, tmp_path: Path) -> None:
    path = tmp_path / "bomb"
    path.write_bytes(BOMBS[name]())
    asked = [sys.executable, "-c", MEASURED, "-m", "albic", "data", "check", str(path)]
    ended = subprocess.run(asked, capture_output=True, text=True, check=True)
    code, peak = map(int, ended.stdout.split())
    told = ended.stderr
    assert code == 2, told
    assert told.count("\n") == 1, told
    assert "bomb' unpacks to more than" in told
    # Linux counts in kilobytes, macOS in bytes.
    assert peak * (1 if sys.platform == "darwin" else 1024) < MOST_BYTES
    assert {each.name for each in tmp_path.iterdir()} == {"bomb"}
