"""Whatever stands on the command line, or is handed to attach: an answer or one sentence."""

import contextlib
import io
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

import albic
from albic.cli.entry import COMMAND, INTERRUPTED, MISTAKE, REFUSED, main
from albic.model import InvalidInput
from tests.fuzz.damage import JUNK, many
from tests.unit.live.journals import story, written

EXAMPLE = Path(__file__).parents[2] / "examples" / "snapshot.json"
#: Files that are there when a command is run, by name.
FILES = ("snapshot.json", "journal.jsonl", "binary", "empty", "folder", "missing/file", "a\nb", "-")
WORDS = st.one_of(
    st.sampled_from(FILES),
    st.sampled_from(
        ["", "-1", "0", "1", "2", "1e999", "nan", "-inf", "9" * 400, "0x10", "1.5", "٣"]
    ),
    st.sampled_from(
        ["flux", "hold", "all", "job1", "swing", "data-expo", "wikiticker", "distance"]
    ),
    st.sampled_from(
        ["--help", "--", "-o", "--json", "\ud800", "\x1b[2J", "127.0.0.1:0", "2020-01-01"]
    ),
    st.text(max_size=12),
)


class Stopped(InvalidInput):
    """A command got as far as its work, which is not what is tested here."""


def stop(*_: Any, **__: Any) -> None:
    raise Stopped("stopped here by a test")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a folder to be in, with some files; commands do not come to their long work."""
    folder = tmp_path_factory.mktemp("place")
    with pytest.MonkeyPatch.context() as patch, contextlib.chdir(folder):
        for name in [name for name in os.environ if name.startswith("ALBIC_")]:
            patch.delenv(name)
        patch.setattr("albic.cli.demo.action.local_cluster", stop)
        patch.setattr("albic.cli.run.action.local_cluster", stop)
        patch.setattr("albic.cli.run.swing.local_cluster", stop)
        patch.setattr("albic.cli.reproduce.action.measured", stop)
        patch.setattr("albic.serve.PageServer.start", stop)
        patch.setattr("albic.cli.top.action.time.sleep", stop)
        patch.setattr("albic.cli.journal.action.time.sleep", stop)
        yield folder


def laid_out(folder: Path) -> set[str]:
    """Put the files where they were, and return their names."""
    (folder / "snapshot.json").write_bytes(EXAMPLE.read_bytes())
    if not (folder / "journal.jsonl").exists():
        written(folder / "journal.jsonl", *story())
    (folder / "binary").write_bytes(bytes(range(256)))
    (folder / "empty").write_bytes(b"")
    (folder / "folder").mkdir(exist_ok=True)
    return {each.name for each in folder.rglob("*")}


def leaves(command: Any, path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], Any]]:
    """Return every command that does something, with the words that lead to it."""
    commands = getattr(command, "commands", None)
    if not commands:
        return [(path, command)]
    return [leaf for name, inner in commands.items() for leaf in leaves(inner, (*path, name))]


LEAVES = leaves(COMMAND)


@st.composite
def command_lines(draw: Callable[..., Any]) -> list[str]:
    """Return a command with some of its options, wild values, and words that nobody asked for."""
    path, command = draw(st.sampled_from(LEAVES))
    line = list(path)
    for parameter in command.params:
        if isinstance(parameter, click.Option) or parameter.param_type_name == "option":
            if draw(st.integers(0, 3)) == 0:
                line.append(draw(st.sampled_from(parameter.opts)))
                if not getattr(parameter, "is_flag", False):
                    line.append(draw(WORDS))
        elif draw(st.integers(0, 5)):
            line.append(draw(WORDS))
    if draw(st.integers(0, 5)) == 0:
        line.insert(draw(st.integers(0, len(line))), draw(WORDS))
    return line


def test_there_are_commands_to_try() -> None:
    assert len(LEAVES) >= 15


@many()
@given(line=command_lines())
def test_any_command_line(place: Path, line: list[str]) -> None:
    laid_out(place)
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(line)
    assert code in (0, MISTAKE, REFUSED, INTERRUPTED), err.getvalue()
    if code in (MISTAKE, REFUSED):
        assert err.getvalue().count("\n") >= 1
        assert err.getvalue().splitlines()[-1].startswith("albic: ")
        assert "Traceback" not in err.getvalue()
    assert not list(place.rglob("*.tmp")), "nothing half-written stays"
    if code == 0 and "--json" in line and out.getvalue().startswith("{"):
        json.loads(out.getvalue())


NAMES = (
    "planner",
    "period",
    "max_migrations",
    "objective",
    "scaling",
    "limits",
    "journal",
    "serve",
)
MORE = ("seed", "config", "dry_run", "approve", "warm", "cluster", "least_gain", "no_such_setting")


class Query:
    """Something that looks a little like a query."""

    runId = "r"  # noqa: N815  Spark's name
    name = None


@many()
@given(queries=st.one_of(st.sampled_from([*JUNK, object(), Query(), [Query()] * 2]), st.text()))
def test_whatever_is_attached(place: Path, queries: object) -> None:
    del place
    pytest.importorskip("pyspark")
    with pytest.raises(InvalidInput) as refused:
        albic.attach(queries)
    assert 0 < len(str(refused.value)) < 2000


@many()
@given(
    more=st.dictionaries(
        st.sampled_from([*NAMES, *MORE]),
        st.one_of(st.sampled_from(JUNK), st.text(max_size=10)),
        min_size=1,
        max_size=3,
    ),
)
def test_however_it_is_attached(place: Path, more: dict[str, Any]) -> None:
    del place
    pytest.importorskip("pyspark")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("albic.wiring.queries_of", lambda given: ([given], {}))
        patch.setattr("albic.wiring.bridge_of_process", stop)
        with pytest.raises(InvalidInput) as refused:
            albic.attach(Query(), **more)
    assert 0 < len(str(refused.value)) < 2000
