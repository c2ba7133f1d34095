"""Where the value of each setting comes from: keyword, environment, file or default, in that order.

What nobody knows is refused with the nearest name, and what makes no sense with what would.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from albic.config.table import PREFIX, TABLE, Setting
from albic.model import InvalidInput
from albic.model.fields import nearest, written
from albic.model.files import blaming, read_bounded

#: The file that is read where none is named, if it is there.
FILE = Path("albic.toml")
#: Variables of the same prefix that are no settings: where data lie, and the page's token.
OTHERS = frozenset(
    {
        "ALBIC_DATA_HOME",
        "ALBIC_SAMPLE_DATA",
        "ALBIC_SCREENSHOTS",
        "ALBIC_SERVE_TOKEN",
        "ALBIC_SERVE_TOKEN_FILE",
        "ALBIC_SERVE_VIEWER_TOKEN",
        "ALBIC_SERVE_VIEWER_TOKEN_FILE",
    }
)
#: Tables in tables; settings have one at most.
MOST_TABLES = 8
TOO_DEEP = "is nested too deeply"
DEFAULT, KEYWORD = "default", "keyword"
BY_NAME: Mapping[str, Setting] = {setting.name: setting for setting in TABLE}


@dataclass(frozen=True, slots=True)
class Chosen:
    """The value of a setting and where it comes from."""

    setting: Setting
    value: object
    origin: str


def choices(
    given: Mapping[str, object],
    config: str | Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> dict[str, Chosen]:
    """Return every setting by name.

    Parameters
    ----------
    given
        Keyword arguments; None stands for one that was not given.
    config
        A TOML file; without it, ``albic.toml`` in the working directory if that is there.
    environment
        Variables such as ``ALBIC_MAX_MIGRATIONS``.
    """
    chosen = {setting.name: Chosen(setting, setting.default, DEFAULT) for setting in TABLE}
    chosen |= _of_file(config)
    chosen |= _of_environment(environment or {})
    expect_known(given)
    for name, value in given.items():
        setting = BY_NAME[name]
        if setting.takes_objects and not isinstance(value, str | int | float | None):
            chosen[name] = Chosen(setting, value, KEYWORD)
        elif value is not None:
            chosen[name] = _chosen(name, value, name, KEYWORD)
    return chosen


def expect_known(names: Mapping[str, object]) -> None:
    """Refuse names that are no settings, with the nearest that is one."""
    for name in names:
        if name not in BY_NAME:
            raise InvalidInput(f"there is no setting {written(name)}; {_hint(name, BY_NAME)}")


def _of_file(config: str | Path | None) -> dict[str, Chosen]:
    """Return what a file sets."""
    if not isinstance(config, str | Path | None):
        raise InvalidInput(f"config is {written(config)}; it must be the path of a TOML file")
    path = FILE if config is None else Path(config)
    if config is None and not path.is_file():
        return {}
    with blaming(path):
        told = _flat(_loaded(path))
        expect_known(told)
        return {name: _chosen(name, value, name, str(path)) for name, value in told.items()}


def _loaded(path: Path) -> Mapping[str, object]:
    """Return what a TOML file holds."""
    try:
        return tomllib.loads(read_bounded(path).decode("utf-8-sig"))
    except OSError as wrong:
        why = (wrong.strerror or "unknown error").lower()
        raise InvalidInput(f"cannot be read: {why}") from None
    except ValueError as wrong:
        raise InvalidInput(f"is not TOML: {wrong}") from None
    except RecursionError:
        raise InvalidInput(TOO_DEEP) from None


def _flat(tables: Mapping[str, object], place: str = "") -> dict[str, object]:
    """Return the values of nested tables by their full names."""
    flat: dict[str, object] = {}
    for key, value in tables.items():
        name = f"{place}{key}"
        if name.count(".") > MOST_TABLES:
            raise InvalidInput(TOO_DEEP)
        if isinstance(value, dict):
            flat |= _flat(value, f"{name}.")
        else:
            flat[name] = value
    return flat


def _of_environment(environment: Mapping[str, str]) -> dict[str, Chosen]:
    """Return what variables set; an empty one sets nothing."""
    by_variable = {setting.variable: setting for setting in TABLE}
    found = {}
    for variable, text in environment.items():
        if not variable.startswith(PREFIX) or variable in OTHERS or not text:
            continue
        if variable not in by_variable:
            raise InvalidInput(f"{variable} is no setting; {_hint(variable, by_variable)}")
        setting = by_variable[variable]
        found[setting.name] = _chosen(setting.name, setting.kind.parsed(text), variable, variable)
    return found


def _chosen(name: str, value: object, called: str, origin: str) -> Chosen:
    """Return a value if it makes sense; ``called`` is how its writer named it."""
    setting = BY_NAME[name]
    if wrong := setting.kind.objection(value):
        raise InvalidInput(f"{called} is {written(value)}; {wrong}")
    return Chosen(setting, value, origin)


def _hint(name: str, known: Mapping[str, Setting]) -> str:
    """Return what to write instead."""
    if meant := nearest(name, known):
        return f"did you mean {meant}?"
    return "albic config show lists all"
