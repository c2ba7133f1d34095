"""Ordered copies are made once, whole or not at all, and anew when the data change."""

import threading
from pathlib import Path

import pytest

from albic.jobs.datasets import nyc
from albic.jobs.datasets.catalogue import datasets
from albic.jobs.datasets.data_folder import VARIABLE, home
from albic.jobs.datasets.generating import default_edits
from albic.jobs.datasets.preparing import prepare
from albic.jobs.datasets.reading import Reading, reading_of
from albic.jobs.datasets.schemas import EDITS, FLIGHTS
from albic.jobs.datasets.skew import drift, zipf_exponent, zipf_shares
from albic.jobs.datasets.survey import surveyed
from albic.model import InvalidInput
from tests.unit.jobs.datasets.helpers import expo, file


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "home"))
    return tmp_path / "home"


def never() -> Reading:
    raise AssertionError("the copy is there already")


def test_a_copy_is_made_once_and_found_again(tmp_path: Path, place: Path) -> None:
    path = file(tmp_path, f"{expo(CRSDepTime='900')}\n{expo(CRSDepTime='800')}\n")
    made = prepare(FLIGHTS, [path], lambda: reading_of(path, FLIGHTS))
    (batch,) = made.read(0, 2)
    assert batch["scheduled_departure_min"].to_pylist() == [480, 540]
    assert prepare(FLIGHTS, [path], never) == made
    assert [each.name for each in (place / "prepared").iterdir()] == [made.folder.name]
    assert made.folder.name in [each.name for each in datasets()]


def test_other_data_get_another_copy(tmp_path: Path) -> None:
    path = file(tmp_path, f"{expo()}\n")
    first = prepare(FLIGHTS, [path], lambda: reading_of(path, FLIGHTS))
    file(tmp_path, f"{expo()}\n{expo()}\n")
    second = prepare(FLIGHTS, [path], lambda: reading_of(path, FLIGHTS))
    assert (first.rows, second.rows) == (1, 2)
    assert first.fingerprint != second.fingerprint


def test_a_failure_leaves_nothing_behind(tmp_path: Path, place: Path) -> None:
    path = file(tmp_path, f"{expo(Month='13')}\n")
    with pytest.raises(InvalidInput, match="no flights"):
        prepare(FLIGHTS, [path], lambda: reading_of(path, FLIGHTS))
    assert list((place / "prepared").iterdir()) == []


def test_two_who_make_the_same_copy_agree(tmp_path: Path, place: Path) -> None:
    path = file(tmp_path, f"{expo()}\n" * 50)
    meeting = threading.Barrier(2, timeout=60)
    found = []

    def opened() -> Reading:
        meeting.wait()
        return reading_of(path, FLIGHTS)

    threads = [
        threading.Thread(target=lambda: found.append(prepare(FLIGHTS, [path], opened)))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found[0] == found[1]
    assert len(list((place / "prepared").iterdir())) == 1


def test_what_is_left_of_a_deleted_copy_is_replaced(tmp_path: Path) -> None:
    path = file(tmp_path, f"{expo()}\n")
    made = prepare(FLIGHTS, [path], lambda: reading_of(path, FLIGHTS))
    (made.folder / "index.json").unlink()
    assert prepare(FLIGHTS, [path], lambda: reading_of(path, FLIGHTS)) == made


def test_a_home_that_cannot_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(file(tmp_path, "a file", "occupied")))
    path = file(tmp_path, f"{expo()}\n")
    with pytest.raises(InvalidInput, match=VARIABLE):
        prepare(FLIGHTS, [path], lambda: reading_of(path, FLIGHTS))
    with pytest.raises(InvalidInput, match=VARIABLE):
        default_edits()


def test_home_is_in_the_cache_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert home() == Path("/somewhere/albic")


def test_without_the_package_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nyc, "folder", lambda: None)
    with pytest.raises(InvalidInput, match=r"albic\[data\]"):
        nyc.file("flights.csv.zip")
    assert {each.path for each in datasets() if each.name == "nyc-flights"} == {None}


@pytest.mark.timeout(180)
def test_the_default_edits_have_the_skew_and_drift_of_the_real_ones() -> None:
    pages = surveyed(reading_of(default_edits(), EDITS)).keys["page"]
    # Measured on the real file: 0.277 and 0.952; docs/datasets.md.
    assert pages.exponent == pytest.approx(0.277, abs=0.03)
    assert pages.drift == pytest.approx(0.952, abs=0.03)


@pytest.mark.parametrize("exponent", [0.0, 0.3, 1.0, 2.5])
def test_an_exponent_is_found_again(exponent: float) -> None:
    counts = (zipf_shares(500, exponent) * 1e9).round().astype(int)
    assert zipf_exponent(counts.tolist()) == pytest.approx(exponent, abs=1e-3)


def test_skew_of_next_to_nothing() -> None:
    assert zipf_exponent([]) == zipf_exponent([7]) == 0.0
    assert drift({}) is None
