"""Whatever happens to a file's bytes: rows, counts, or one clear error, never a crash."""

import bz2
import gzip
import io
import lzma
import random
import tarfile
import zipfile
from pathlib import Path

import pytest

from albic.jobs.datasets.formats import FORMATS, WIKITICKER
from albic.jobs.datasets.generating import RECIPES, generate
from albic.jobs.datasets.reading import reading_of
from albic.jobs.datasets.schemas import FLIGHTS
from albic.jobs.datasets.writing import WRITERS
from albic.model import InvalidInput
from tests.unit.jobs.datasets.helpers import EXPO_HEADER, expo, file, loaded
from tests.unit.jobs.datasets.test_weather import CSV_DAY, CSV_HEADER, OP_DAY, OP_HEADER, STATIONS

SEED = 20_261_115
ROUNDS = 60


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return a small file of each format."""
    folder = tmp_path_factory.mktemp("originals")
    found = {"isd-history": STATIONS.encode()}
    for name in WRITERS:
        recipe, _ = RECIPES[FORMATS[name].kind.name]
        small = type(recipe)(12, 5, 0.5, 0.1, recipe.start, 2)
        generate(FORMATS[name], small, folder / name)
        found[name] = (folder / name).read_bytes()
    return found


def damaged(data: bytes, rng: random.Random) -> bytes:
    found = bytearray(data)
    for _ in range(rng.randint(1, 12)):
        at = rng.randrange(len(found))
        match rng.randrange(4):
            case 0:
                found[at] = rng.randrange(256)
            case 1:
                del found[at : at + rng.randint(1, 30)]
            case 2:
                found[at:at] = rng.choice(
                    [b'"', b",", b"\n", b"\0", b"\r", b"\xff", b"9" * 40, b"{"]
                )
            case _:
                found[at:at] = found[at // 2 : at // 2 + rng.randint(1, 60)]
        if not found:
            break
    return bytes(found)


@pytest.mark.parametrize("name", [*WRITERS, "isd-history"])
def test_no_damage_makes_a_loader_crash(
    tmp_path: Path, originals: dict[str, bytes], name: str
) -> None:
    rng = random.Random(f"{SEED} {name}")  # noqa: S311  damage, not secrets
    read = 0
    for _ in range(ROUNDS):
        path = file(tmp_path, damaged(originals[name], rng))
        try:
            rows, reading = loaded(path)
        except InvalidInput as wrong:
            assert str(path) in str(wrong)  # noqa: PT017  most rounds read the file
        else:
            read += 1
            assert len(rows) == reading.tally.rows
    assert read > ROUNDS / 3, "the damage was too great to tell anything"


def tarred(data: bytes) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for name in ("a.csv", "b.csv.gz"):
            content = gzip.compress(data) if name.endswith("gz") else data
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return stream.getvalue()


def zipped(data: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("folder/", "")
        archive.writestr("folder/a.csv", data)
    return stream.getvalue()


TEXT = f"{EXPO_HEADER}\n{expo()}\n".encode()


@pytest.mark.parametrize(
    ("data", "rows"),
    [
        pytest.param(gzip.compress(TEXT), 1, id="gzip"),
        pytest.param(gzip.compress(TEXT) + gzip.compress(expo().encode()), 2, id="gzip in parts"),
        pytest.param(bz2.compress(TEXT), 1, id="bzip2"),
        pytest.param(lzma.compress(TEXT), 1, id="xz"),
        pytest.param(zipped(TEXT), 1, id="zip"),
        pytest.param(zipped(gzip.compress(TEXT)), 1, id="gzip in a zip"),
        pytest.param(gzip.compress(zipped(TEXT)), 1, id="zip in a gzip"),
        pytest.param(tarred(TEXT), 2, id="tar of plain and gzip"),
    ],
)
def test_covers_are_told_by_their_bytes(tmp_path: Path, data: bytes, rows: int) -> None:
    path = tmp_path / "no-name-at-all"
    path.write_bytes(data)
    found, _ = loaded(path)
    assert len(found) == rows


@pytest.mark.parametrize("cover", [gzip.compress, bz2.compress, lzma.compress, zipped])
def test_a_cover_that_ends_early_is_named(tmp_path: Path, cover: object) -> None:
    path = tmp_path / "cut.csv"
    data = cover(TEXT * 50)  # type: ignore[operator]
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(InvalidInput, match=r"cut\.csv"):
        loaded(path)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        pytest.param(b"", "is empty", id="empty"),
        pytest.param(b"hello\nworld\n", "none of the formats", id="words"),
        pytest.param(bytes(range(256)) * 20, "none of the formats", id="bytes"),
        pytest.param(b"IATA_CODE,AIRPORT\nABE,Lehigh\n", "none of the formats", id="another table"),
    ],
)
def test_a_file_of_no_known_format_is_refused(tmp_path: Path, content: bytes, told: str) -> None:
    with pytest.raises(InvalidInput, match=told):
        loaded(file(tmp_path, content))


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = file(tmp_path, f"{OP_HEADER}\n{OP_DAY}\n")
    with pytest.raises(InvalidInput, match="holds weather"):
        list(reading_of(path, FLIGHTS).tables())


def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="is not there"):
        reading_of(tmp_path / "gone")
    with pytest.raises(InvalidInput, match="empty folder"):
        reading_of(tmp_path)


def test_a_line_without_end_does_not_fill_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from albic.jobs.datasets import blocks  # noqa: PLC0415

    monkeypatch.setattr(blocks, "MOST_LINE_BYTES", 1000)
    monkeypatch.setattr(blocks.blocks, "__defaults__", (500,))
    text = f"{CSV_HEADER}\n{CSV_DAY.format(stp='999.9')}\n{'x' * 9000}\n{CSV_DAY.format(stp='1')}\n"
    rows, reading = loaded(file(tmp_path, text))
    assert len(rows) == 2
    assert reading.tally.skipped["line without end"] == 1


def test_generated_files_are_the_same_bytes_for_the_same_seed(tmp_path: Path) -> None:
    recipe, _ = RECIPES["edits"]
    small = type(recipe)(20, 5, 0.5, 0.1, recipe.start, 1)
    for name in ("a.gz", "b.gz"):
        generate(WIKITICKER, small, tmp_path / name)
    # The header of gzip holds the file's name; what it covers must agree.
    first, second = (gzip.decompress((tmp_path / name).read_bytes()) for name in ("a.gz", "b.gz"))
    assert first == second
