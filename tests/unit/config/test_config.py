"""A setting has one name, and its value from the first place that has it."""

from dataclasses import fields
from pathlib import Path

import pytest

from albic.config import TABLE, choices
from albic.config.applying import limits_of, loop_settings, named_limits
from albic.config.page import page
from albic.control import Pace, Settings
from albic.model import InvalidInput, Objective
from albic.scaling import Limits

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def written(text: str, name: str = "albic.toml") -> Path:
    path = Path(name)
    path.write_text(text)
    return path


def test_without_anything_all_is_as_declared() -> None:
    chosen = choices({})
    assert {each.origin for each in chosen.values()} == {"default"}
    assert loop_settings(chosen, queries=1) == Settings()
    assert loop_settings(chosen, queries=2).objective is Objective.DISTANCE
    assert limits_of(chosen) == Limits()


def test_a_keyword_comes_before_the_environment_that_before_the_file() -> None:
    written("max_migrations = 1\nleast_gain = 0.1\nseed = 5\n[limits]\nmax_nodes = 7\n")
    variables = {"ALBIC_MAX_MIGRATIONS": "2", "ALBIC_LEAST_GAIN": "0.2"}
    chosen = choices({"max_migrations": 3, "seed": None}, environment=variables)
    told = {name: (chosen[name].value, chosen[name].origin) for name in chosen}
    assert told["max_migrations"] == (3, "keyword")
    assert told["least_gain"] == (0.2, "ALBIC_LEAST_GAIN")
    assert told["seed"] == (5, "albic.toml")
    assert told["limits.max_nodes"] == (7, "albic.toml")
    assert told["period"] == ("20s", "default")
    settings = loop_settings(chosen, queries=1)
    assert (settings.max_migrations, settings.least_gain, settings.seed) == (3, 0.2, 5)
    assert limits_of(chosen) == Limits(max_nodes=7)


def test_a_file_that_is_named_is_read_instead() -> None:
    written("seed = 1")
    other = written('seed = 2\nperiod = "5 batches"\ndry_run = true', "other.toml")
    chosen = choices({}, config=other)
    assert chosen["seed"].value == 2
    settings = loop_settings(chosen, queries=1)
    assert (settings.pace, settings.dry_run) == (Pace(batches=5), True)


def test_every_setting_can_be_a_variable() -> None:
    for setting in TABLE:
        if setting.default in (None, ()):
            continue
        text = str(setting.default).lower()
        chosen = choices({}, environment={setting.variable: text})
        assert chosen[setting.name].value == setting.default
        assert chosen[setting.name].origin == setting.variable


def test_hours_are_text_in_the_environment_and_pairs_in_a_file() -> None:
    night = Limits(rest_hours=((22.0, 6.0), (12.5, 13.0)))
    variables = {"ALBIC_LIMITS_REST_HOURS": "22-6, 12.5-13"}
    assert limits_of(choices({}, environment=variables)) == night
    written("[limits]\nrest_hours = [[22, 6], [12.5, 13]]\n")
    assert limits_of(choices({})) == night


def test_limits_as_an_object_are_keywords() -> None:
    chosen = choices(named_limits(Limits(min_nodes=2)), environment={"ALBIC_LIMITS_MIN_NODES": "3"})
    assert limits_of(chosen).min_nodes == 2
    assert named_limits(None) == {}


def test_objects_of_ones_own_pass_as_keywords() -> None:
    mine = object()
    assert choices({"planner": mine})["planner"].value is mine


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"max_migration": 1}, "did you mean max_migrations"),
        ({"max_migrations": -1}, "max_migrations is -1; it must be a whole number at least 0"),
        ({"max_migrations": 2.5}, "max_migrations is 2.5"),
        ({"max_migrations": True}, "max_migrations is True"),
        ({"least_gain": 1.0}, "at least 0 and below 1"),
        ({"time_limit_s": float("inf")}, "time_limit_s is inf"),
        ({"period": "soon"}, "5 batches"),
        ({"objective": "makspan"}, "did you mean makespan"),
        ({"objective": "speed"}, "known are auto"),
        ({"planner": "joined"}, "did you mean joint"),
        ({"planner": 3}, "planner is 3"),
        ({"scaling": "fixxed"}, "did you mean fixed"),
        ({"dry_run": 1}, "true or false"),
        ({"journal_files": 0}, "at least 1"),
        ({"wholly_unknown_thing": 1}, "albic config show"),
    ],
)
def test_nonsense_is_refused_with_what_was_meant(given, told: str) -> None:
    with pytest.raises(InvalidInput, match=told):
        choices(given)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("max_migration = 1", r"albic\.toml.*did you mean max_migrations"),
        ("max_migrations = '8'", r"albic\.toml.*max_migrations is '8'"),
        ("[limit]\nmax_nodes = 1", r"did you mean limits\.max_nodes"),
        ("[limits]\nrest_hours = [[1, 25]]", "from 0 to 24"),
        ("period = ", "is not TOML"),
    ],
)
def test_nonsense_in_a_file_is_named_with_the_file(text: str, told: str) -> None:
    written(text)
    with pytest.raises(InvalidInput, match=told):
        choices({})


def test_a_file_that_is_named_has_to_be_there() -> None:
    with pytest.raises(InvalidInput, match=r"none\.toml.*cannot be read"):
        choices({}, config="none.toml")


@pytest.mark.parametrize(
    ("variables", "told"),
    [
        ({"ALBIC_PERIODS": "3s"}, "did you mean ALBIC_PERIOD"),
        ({"ALBIC_MAX_MIGRATIONS": "many"}, "ALBIC_MAX_MIGRATIONS is 'many'; it must be a whole"),
        ({"ALBIC_DRY_RUN": "perhaps"}, "true or false"),
        ({"ALBIC_LIMITS_REST_HOURS": "night"}, "such as 22-6"),
    ],
)
def test_nonsense_in_the_environment_is_named_with_the_variable(variables, told: str) -> None:
    with pytest.raises(InvalidInput, match=told):
        choices({}, environment=variables)


def test_variables_of_others_and_empty_ones_are_left_alone() -> None:
    chosen = choices({}, environment={"ALBIC_DATA_HOME": "x", "PATH": "y", "ALBIC_SEED": ""})
    assert {each.origin for each in chosen.values()} == {"default"}


def test_what_makes_no_sense_together_is_refused() -> None:
    with pytest.raises(InvalidInput, match="min_nodes <= max_nodes"):
        limits_of(choices({"limits.min_nodes": 5, "limits.max_nodes": 4}))


def test_every_setting_says_what_it_is_for() -> None:
    names = [setting.name for setting in TABLE]
    assert len(set(names)) == len(names)
    assert [setting.name for setting in TABLE if not setting.meaning.endswith(".")] == []
    declared = {each.name for each in fields(Settings) if each.metadata}
    assert declared <= set(names)


def test_the_page_about_settings_is_current() -> None:
    # albic config show --markdown > docs/settings.md
    assert (ROOT / "docs" / "settings.md").read_text(encoding="utf-8") == page()


@pytest.mark.parametrize("name", ["ALBIC_SERVE_TOKEN", "ALBIC_SERVE_TOKEN_FILE"])
def test_the_token_of_the_page_is_no_setting_and_no_mistake(name: str) -> None:
    assert "secret" not in str(choices({}, None, {name: "secret"}))
