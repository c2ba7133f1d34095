"""Recorded rounds are planned again, and what cannot be is said in a line."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from albic.cli import main
from albic.control import JsonLinesJournal, Settings
from albic.control.journal import RoundRecord, Status
from albic.model import Objective
from albic.planners import PLANNERS
from tests.unit.control.fakes import World, controller


@pytest.fixture
def albic(capsys):
    """Run the command line; return its exit code, stdout and stderr."""

    def run(*arguments):
        code = main([str(argument) for argument in arguments])
        told = capsys.readouterr()
        return code, told.out, told.err

    return run


@pytest.fixture
def journal(tmp_path: Path) -> JsonLinesJournal:
    """Return the journal of a controller that let Flux move one key group a round."""
    made = JsonLinesJournal(tmp_path / "journal.jsonl")
    steering = controller(
        World("a: 30 20 10 4 | b: 2 2 | c:"), Settings(max_migrations=1), journal=made
    )
    steering.run_round("period")
    made.add(RoundRecord(2, 61.0, "period", Status.NOT_READY, "no batch has ended yet"))
    steering.run_round("period")
    return made


def rows(told: str) -> dict[str, list[str]]:
    """Return the cells of each line of the table, by the first."""
    lines = [line.split() for line in told.splitlines() if line.startswith(" ")]
    return {cells[0]: cells[1:] for cells in lines if cells[1:] and "." in cells[1]}


def test_every_round_shows_what_was_done_and_what_the_other_would_have_done(albic, journal) -> None:
    code, out, err = albic("replay", journal.path, "--planner", "hold")
    assert (code, err) == (0, "")
    assert rows(out) == {
        "1": ["64.00", "34.00", "64.00", "1", "0", "held"],
        "2": ["34.00", "30.00", "34.00", "1", "0", "held"],
        "all": ["49.00", "32.00", "49.00", "2", "0"],
    }
    assert "1 round without a plan left out" in out
    assert "49.00 against 32.00 as recorded, 53.1% more, with 0 moves against 2" in out


def test_the_planner_that_was_recorded_says_the_same_again(albic, journal) -> None:
    code, out, _ = albic("replay", journal.path, "--planner", "flux", "--json")
    assert code == 0
    told = json.loads(out)
    assert told["format"] == "albic-replay/1"
    assert [each["number"] for each in told["rounds"]] == [1, 2]
    for each in (*told["rounds"], told["totals"]):
        assert each["recorded"] == each["replayed"]
    assert {each["status"]["replayed"] for each in told["rounds"]} == {"applied"}


def test_options_change_the_question(albic, journal) -> None:
    options = ("--max-migrations", 3, "--objective", "distance", "--seed", 5, "--time-limit", 5)
    code, out, _ = albic("replay", journal.path, "--planner", "search", *options, "--json")
    told = json.loads(out)
    assert code == 0
    assert told["objective"] == "distance"
    assert 1 < told["rounds"][0]["replayed"]["moves"] <= 3
    first = told["rounds"][0]
    assert first["replayed"]["distance"] < first["recorded"]["distance"]


def test_a_plan_that_would_have_been_refused_counts_as_nothing_done(albic, journal) -> None:
    code, out, _ = albic("replay", journal.path, "--planner", "cola")
    assert code == 0
    assert rows(out)["1"][2:] == ["64.00", "1", "0", "refused"]
    assert "2 plans would have been refused; in round 1: over-budget" in out


def test_a_round_that_was_held_counts_as_nothing_done(albic, tmp_path) -> None:
    journal = JsonLinesJournal(tmp_path / "journal.jsonl")
    controller(World(), Settings(least_gain=0.9), journal=journal).run_round("period")
    _, out, _ = albic("replay", journal.path, "--planner", "flux")
    assert rows(out)["1"] == ["60.00", "60.00", "60.00", "0", "0", "held"]


def test_collocation_is_shown_where_there_is_traffic(albic, journal) -> None:
    (first, *_) = journal.records()
    talking = first.snapshot | {"traffic": {"from": [0], "to": [1], "bytes_per_s": [5.0]}}
    journal.path.unlink()
    journal.add(replace(first, snapshot=talking))
    _, out, _ = albic("replay", journal.path, "--planner", "hold")
    assert "together" in out
    assert "100.0 %" in out


@pytest.mark.parametrize("planner", sorted(PLANNERS))
def test_every_planner_can_be_asked(albic, journal, planner) -> None:
    code, out, err = albic("replay", journal.path, "--planner", planner, "--time-limit", 1)
    assert (code, err) == (0, "")
    assert f"planned again by {planner}" in out


def test_a_planner_that_is_not_there_is_a_mistake(albic, journal) -> None:
    code, _, err = albic("replay", journal.path, "--planner", "flox")
    assert code == 2
    assert "did you mean flux?" in err


def test_a_file_that_is_not_there_is_a_mistake(albic, tmp_path) -> None:
    code, _, err = albic("replay", tmp_path / "missing.jsonl")
    assert code == 2
    assert "missing.jsonl" in err


def test_a_damaged_line_is_named(albic, journal) -> None:
    with journal.path.open("a") as stream:
        stream.write('{"format": "albic-journal/1", "number": 1}\n')
    code, _, err = albic("replay", journal.path)
    assert code == 2
    assert "line 4" in err


def test_a_journal_without_snapshots_is_a_mistake(albic, tmp_path) -> None:
    journal = JsonLinesJournal(tmp_path / "journal.jsonl")
    journal.add(RoundRecord(1, 61.0, "period", Status.NOT_READY, "no batch has ended yet"))
    code, _, err = albic("replay", journal.path)
    assert code == 2
    assert "none of its 1 rounds holds a snapshot" in err


def test_different_objectives_are_not_added_up(albic, journal) -> None:
    first = journal.records()[0]
    journal.add(replace(first, objective=Objective.DISTANCE.value))
    code, _, err = albic("replay", journal.path, "--planner", "hold")
    assert code == 2
    assert "--objective" in err
    assert albic("replay", journal.path, "--planner", "hold", "--objective", "makespan")[0] == 0


def test_a_record_without_its_budget_needs_one(albic, journal) -> None:
    first = journal.records()[0]
    journal.path.unlink()
    journal.add(replace(first, terms=None))
    code, _, err = albic("replay", journal.path, "--planner", "flux")
    assert code == 2
    assert "--max-migrations" in err
    assert albic("replay", journal.path, "--planner", "flux", "--max-migrations", 2)[0] == 0


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param({"terms": {"budget": "much"}}, id="a budget in words"),
        pytest.param({"terms": []}, id="terms in a list"),
        pytest.param({"snapshot": {"format": "albic-snapshot/1"}}, id="half a snapshot"),
        pytest.param({"snapshot": 7}, id="a snapshot in a number"),
        pytest.param({"objective": "speed"}, id="an objective that is not there"),
        pytest.param({"moves": [{"operator": "o9"}]}, id="half a move"),
        pytest.param({"at_s": "noon"}, id="a time in words"),
        pytest.param({"number": None}, id="no number"),
        pytest.param({"makespan_after": float("nan")}, id="not a number"),
    ],
)
def test_damage_ends_in_a_sentence(albic, journal, damage) -> None:
    document = json.loads(journal.path.read_text().splitlines()[0])
    journal.path.write_text(json.dumps(document | damage) + "\n")
    code, _, err = albic("replay", journal.path, "--planner", "flux")
    assert code == 2
    assert err.startswith("albic: ")
    assert "journal.jsonl" in err


def test_a_move_to_a_node_that_is_not_there_is_named(albic, journal) -> None:
    document = json.loads(journal.path.read_text().splitlines()[0])
    document["moves"][0]["target"] = "z"
    journal.path.write_text(json.dumps(document) + "\n")
    code, _, err = albic("replay", journal.path, "--planner", "hold")
    assert code == 2
    assert "moves to 'z'" in err
