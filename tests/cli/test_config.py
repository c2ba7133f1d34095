"""``albic config show`` tells every setting and where it comes from."""

import json
from pathlib import Path

import pytest

from albic.cli import main
from albic.config import TABLE


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_values_come_with_their_origin(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALBIC_PERIOD", "45s")
    Path("mine.toml").write_text("[limits]\nmax_nodes = 9\n")
    assert main(["config", "show", "--config", "mine.toml"]) == 0
    told = capsys.readouterr().out
    assert [setting.name for setting in TABLE if setting.name not in told] == []
    lines = [line.strip() for line in told.splitlines()]
    (period,) = [line for line in lines if line.startswith("period ")]
    assert "45s" in period
    assert "ALBIC_PERIOD" in period
    (nodes,) = [line for line in lines if line.startswith("limits.max_nodes ")]
    assert nodes.split()[1:4] == ["9", "mine.toml", "100"]


def test_machines_get_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "show", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["format"] == "albic-config/1"
    assert [row["name"] for row in told["settings"]] == [setting.name for setting in TABLE]


def test_nonsense_is_a_mistake_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    Path("albic.toml").write_text("perod = '3s'\n")
    assert main(["config", "show"]) == 2
    assert "did you mean period" in capsys.readouterr().err
    Path("albic.toml").write_text("[limits]\nmin_nodes = 200\n")
    assert main(["config", "show"]) == 2
    assert "min_nodes <= max_nodes" in capsys.readouterr().err


def test_the_page_is_printed_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "show", "--markdown"]) == 0
    assert capsys.readouterr().out.startswith("# Settings\n")
