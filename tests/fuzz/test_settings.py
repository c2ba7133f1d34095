"""Whatever is set, and wherever: settings that make sense, or one sentence about what does not."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from albic.config import TABLE, choices
from albic.config.applying import limits_of, loop_settings
from albic.model import InvalidInput
from tests.fuzz.damage import JUNK, many, spoilt_bytes

NAMES = [setting.name for setting in TABLE]
GOOD = b"""\
# A file as people write them.
period = "30s"
max_migrations = 4
dry_run = true
least_gain = 0.1

[limits]
max_nodes = 12
rest_hours = [[22, 6]]
"""
WORDS = st.one_of(
    st.sampled_from(
        ["", "20s", "5 batches", "-1", "1e999", "nan", "true", "auto", "∞", "٣", "0x1"]
    ),
    st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=30),
    st.sampled_from(["9" * 5000, "5 " * 3000, "[" * 5000, "../" * 50, "~", "{}", "1_000"]),
)
VALUES = st.one_of(st.sampled_from(JUNK), st.integers(), st.floats(), WORDS)


@pytest.fixture(autouse=True, scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("settings")


def sensible_or_refused(**given_: Any) -> None:
    """Choose settings, and make of them what attach does."""
    given_.setdefault("given", {})
    try:
        chosen = choices(**given_)
        loop_settings(chosen, queries=1)
        limits_of(chosen)
    except InvalidInput as wrong:
        assert 0 < len(str(wrong)) < 2000  # noqa: PT017  some are right by chance


@st.composite
def files(draw: Callable[..., Any]) -> bytes:
    """Return a file with a wild value under a name that there is."""
    name, value = draw(st.sampled_from(NAMES)), draw(VALUES)
    head, _, tail = name.rpartition(".")
    told = json.dumps(value) if not isinstance(value, dict) else "{a = 1}"
    return f"{f'[{head}]' if head else ''}\n{tail} = {told}\n".encode()


@many()
@given(content=st.one_of(files(), spoilt_bytes(GOOD), st.binary(max_size=80)))
def test_any_file(folder: Path, content: bytes) -> None:
    path = folder / "any.toml"
    path.write_bytes(content)
    sensible_or_refused(config=path)


@pytest.mark.parametrize("text", ["a = " + "[" * 100_000, "[" + "a." * 5000 + "a]"])
def test_a_file_nested_without_end_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "deep.toml"
    path.write_text(text)
    with pytest.raises(InvalidInput, match="deep"):
        choices({}, config=path)


@many()
@given(variable=st.sampled_from([setting.variable for setting in TABLE]), text=WORDS)
def test_any_variable(folder: Path, variable: str, text: str) -> None:
    del folder
    sensible_or_refused(environment={variable: text})


@many()
@given(name=st.one_of(st.sampled_from(NAMES), st.text(max_size=10)), value=VALUES)
def test_any_keyword(folder: Path, name: str, value: object) -> None:
    del folder
    sensible_or_refused(given={name: value})
