"""``albic data``: what there is, where it lies, what a file holds, and files made from a seed."""

import gzip
import json
from pathlib import Path

import pytest

from albic.cli import main
from albic.jobs.datasets.data_folder import VARIABLE
from albic.jobs.datasets.writing import WRITERS
from albic.sim import load_trace

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "home"))
    return tmp_path / "home"


def test_the_list_names_what_is_here_and_what_is_elsewhere(capsys: Captured) -> None:
    assert main(["data", "list"]) == 0
    told = capsys.readouterr().out
    assert "nyc-flights" in told
    assert "336,776" in told
    assert "snap-enwiki" in told


def test_the_list_for_machines(capsys: Captured) -> None:
    assert main(["data", "list", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["nyc-flights"]["rows"] == 336_776
    assert rows["wikiticker"]["path"] is None


def test_a_path_is_printed_alone(capsys: Captured, home: Path) -> None:
    assert main(["data", "path"]) == 0
    assert capsys.readouterr().out.strip() == str(home)
    assert main(["data", "path", "nyc-flights"]) == 0
    assert Path(capsys.readouterr().out.strip()).is_file()


@pytest.mark.parametrize(("name", "told"), [("snap-enwiki", "Stanford"), ("moon", "nyc-flights")])
def test_what_is_not_here_is_told(capsys: Captured, name: str, told: str) -> None:
    assert main(["data", "path", name]) == 2
    assert told in capsys.readouterr().err


@pytest.mark.parametrize("form", list(WRITERS))
def test_a_made_file_is_checked_without_a_finding(
    tmp_path: Path, capsys: Captured, form: str
) -> None:
    path = str(tmp_path / "made.gz")
    assert main(["data", "synth", form, "-o", path, "--rows", "60", "--keys", "9"]) == 0
    assert "60 rows" in capsys.readouterr().out
    assert main(["data", "check", path, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["formats"] == {form: 60}
    assert found["skipped"] == {}
    assert all(0 < keys["distinct"] <= 60 for keys in found["keys"].values())


def test_a_check_for_people_says_what_is_damaged(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "made.csv"
    main(["data", "synth", "data-expo", "-o", str(path), "--rows", "50", "--start", "2008-01-01"])
    with path.open("a") as stream:
        stream.write("2008,1,3\n")
    capsys.readouterr()
    assert main(["data", "check", str(path)]) == 0
    told = capsys.readouterr().out
    assert "Data Expo 2009" in told
    assert "50 rows" in told
    assert "wrong number of fields" in told
    assert "Zipf exponent" in told
    assert "tail_number" in told


def test_the_same_seed_makes_the_same_file(tmp_path: Path) -> None:
    made = []
    for name, seed in (("a", "3"), ("b", "3"), ("c", "4")):
        path = tmp_path / name
        arguments = ["data", "synth", "wikiticker", "-o", str(path), "--rows", "30"]
        assert main([*arguments, "--keys", "50", "--seed", seed]) == 0
        made.append(path.read_bytes())
    assert made[0] == made[1] != made[2]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        pytest.param(b"nonsense\n", "none of the formats", id="unknown"),
        pytest.param(b"", "is empty", id="empty"),
        pytest.param(gzip.compress(b"x" * 9999)[:20], "is damaged", id="cut off"),
        pytest.param(b"\x1f\x8b\x08garbage", "is damaged", id="not gzip after all"),
        pytest.param(b"PK\x03\x04garbage", "is damaged", id="not zip after all"),
        pytest.param(b"STN--- WBAN\n", "no record", id="header only"),
    ],
)
def test_a_file_that_cannot_be_read_is_a_mistake_in_one_line(
    tmp_path: Path, capsys: Captured, content: bytes, told: str
) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    assert main(["data", "check", str(path)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert told in line
    assert str(path) in line


@pytest.mark.parametrize(
    "options",
    [
        ["parchment"],
        ["isd-history"],
        ["data-expo", "--rows", "0"],
        ["data-expo", "--zipf", "-1"],
        ["data-expo", "--drift", "2"],
        ["data-expo", "--start", "1903-12-17"],
        ["data-expo", "--start", "soon"],
    ],
)
def test_a_wish_that_makes_no_sense_is_refused(
    tmp_path: Path, capsys: Captured, options: list[str]
) -> None:
    assert main(["data", "synth", *options, "-o", str(tmp_path / "made")]) == 2
    assert capsys.readouterr().err
    assert list(tmp_path.glob("*made*")) == []


def test_a_file_cannot_be_made_where_there_is_no_folder(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "no" / "made.gz"
    assert main(["data", "synth", "wikiticker", "--rows", "9", "-o", str(path)]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_a_trace_of_a_job_is_written_and_says_whose_rows_it_has(
    tmp_path: Path, capsys: Captured
) -> None:
    data, trace = tmp_path / "edits.json", tmp_path / "job1.npz"
    assert main(["data", "synth", "wikiticker", "-o", str(data), "--rows", "80"]) == 0
    asked = ["data", "trace", "job1", "-o", str(trace), "--data", str(data)]
    assert main([*asked, "--periods", "4", "--scale", "2", "--key-groups", "5"]) == 0
    told = capsys.readouterr().out
    assert "4 periods of 15 key groups, from 80 edits of edits.json, each 2 times" in told
    found = load_trace(trace)
    assert found.tuples_per_s[:, :5].sum() * found.step_s == pytest.approx(160)
    assert found.about == "80 edits of edits.json, each 2 times"


@pytest.mark.parametrize(
    ("job", "more", "told"),
    [
        ("job9", [], "choose job1, job2, job3, job4"),
        ("job2", ["--data", "gone.csv"], "'gone.csv' is not there"),
        ("job2", ["--periods", "0"], "periods is 0"),
        ("job4", ["--data", "{file}"], "Job 4 needs one that holds flights and weather"),
        ("job2", ["--data", "{file}"], "none of the formats"),
    ],
)
def test_a_trace_that_cannot_be_made_leaves_no_file(
    tmp_path: Path, capsys: Captured, job: str, more: list[str], told: str
) -> None:
    file, trace = tmp_path / "junk.csv", tmp_path / "t.npz"
    file.write_text("what,is,this\n1,2,3\n")
    options = [each.format(file=file) for each in more]
    assert main(["data", "trace", job, "-o", str(trace), *options]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert told in line
    assert not trace.exists()
