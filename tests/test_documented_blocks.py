"""Every block of shell or Python on a page is run, or says why it is not; and names what is there.

A comment before a block says which: ``<!-- run -->`` (here), ``<!-- run: tests/x.py -->`` (there),
or ``<!-- not run: why -->``. ``<!-- blocks not run: why -->`` speaks for a whole page.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from albic.cli.entry import COMMAND

ROOT = Path(__file__).parent.parent
#: A command writes these pages, and would wipe out a mark.
WRITTEN = {"docs/settings.md"}
PAGES = sorted(
    str(page.relative_to(ROOT))
    for page in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*.md"))
)
BLOCK = re.compile(r"^(?:<!-- ([^\n]+) -->\n)?```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHELL = re.compile(
    r"^(?:[A-Z_]+=\S+ )*(?:\.venv/bin/\w+|make|albic|pip|curl|python) ", re.MULTILINE
)


@dataclass(frozen=True)
class Block:
    page: str
    mark: str
    kind: str
    text: str


def blocks(page: str) -> Iterator[Block]:
    """Yield the blocks of a page that somebody could run."""
    text = (ROOT / page).read_text(encoding="utf-8")
    whole = re.search(r"^<!-- blocks (not run: .+) -->$", text, re.MULTILINE)
    for mark, language, code in BLOCK.findall(text):
        kind = language or ("shell" if SHELL.search(code) else "text")
        if kind in {"python", "shell", "sh", "bash"}:
            yield Block(page, mark or (whole[1] if whole else ""), kind, code)


EVERY = [block for page in PAGES for block in blocks(page)]


def test_there_are_blocks_of_every_kind() -> None:
    assert {block.kind for block in EVERY} == {"python", "shell"}
    assert {block.mark.split(":")[0] for block in EVERY} >= {"run", "not run"}


@pytest.mark.parametrize("page", sorted({block.page for block in EVERY} - WRITTEN))
def test_every_block_is_run_or_says_why_not(page: str) -> None:
    unmarked = [
        block.text.splitlines()[0]
        for block in EVERY
        if block.page == page and not re.fullmatch(r"run|run: tests/\S+|not run: .+", block.mark)
    ]
    assert unmarked == [], "put <!-- run --> or <!-- not run: why --> before the block"


def test_every_test_that_is_said_to_run_a_block_exists() -> None:
    told = {path for block in EVERY for path in re.findall(r"tests/[\w./]*\w", block.mark)}
    assert told
    assert [path for path in sorted(told) if not (ROOT / path).exists()] == []


@pytest.mark.timeout(300)
@pytest.mark.parametrize("page", sorted({block.page for block in EVERY if block.mark == "run"}))
def test_the_blocks_of_a_page_run_one_after_the_other(page: str, tmp_path: Path) -> None:
    shutil.copy(ROOT / "examples" / "snapshot.json", tmp_path)
    tools = tmp_path / ".venv" / "bin"
    tools.mkdir(parents=True)
    albic = tools / "albic"
    albic.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m albic "$@"\n')
    albic.chmod(0o755)
    here = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    for block in EVERY:
        if block.page != page or block.mark != "run":
            continue
        program = [sys.executable, "-c"] if block.kind == "python" else ["sh", "-ec"]
        done = subprocess.run(
            [*program, block.text],
            cwd=tmp_path,
            env=here,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr


def commands(text: str) -> Iterator[list[str]]:
    """Yield the words after ``albic`` of each command, without comments."""
    for line in text.replace("\\\n", " ").splitlines():
        found = re.match(r"(?:[A-Z_]+=\S+ )*(?:\.venv/bin/)?albic (?!=)(.*)", line)
        if found:
            yield shlex.split(found[1], comments=True)


def unknown(words: list[str]) -> list[str]:
    """Return commands and options that albic does not have."""
    command: Any = COMMAND
    wrong: list[str] = []
    for word in words:
        if word.startswith("-"):
            known = {
                name for option in command.params for name in (*option.opts, *option.secondary_opts)
            }
            if word.split("=")[0] not in {*known, "--help"}:
                wrong.append(word)
        elif hasattr(command, "commands"):
            if word not in command.commands:
                return [*wrong, word]
            command = command.commands[word]
    return wrong


def test_every_albic_command_on_a_page_exists_with_its_options() -> None:
    told = [(block.page, words) for block in EVERY for words in commands(block.text)]
    assert len(told) > 10
    assert [(page, unknown(words)) for page, words in told if unknown(words)] == []


def test_a_command_or_an_option_that_is_not_there_is_found() -> None:
    assert unknown(["plan", "s.json", "--planer", "x"]) == ["--planer"]
    assert unknown(["plans", "s.json"]) == ["plans"]


@pytest.mark.parametrize("block", [b for b in EVERY if b.kind == "python"], ids=lambda b: b.page)
def test_every_python_block_is_python(block: Block) -> None:
    # A row of dots stands for what is the reader's own.
    compile(block.text.replace(".…", "").replace("…", "..."), block.page, "exec")
