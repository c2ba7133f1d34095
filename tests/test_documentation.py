"""The documents name only what is there, and the lock only what can be checked."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_link_to_a_file_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
    files = [link for link in links if "://" not in link]
    assert [link for link in files if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_make_target_exists(page: Path) -> None:
    # Commands stand in code; in running text, "make" is an English word.
    text = page.read_text(encoding="utf-8")
    told = set(re.findall(r"(?:`|^)make ([a-z-]+)", text, re.MULTILINE))
    assert told <= TARGETS


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_source_file_exists(page: Path) -> None:
    told = re.findall(
        r"`((?:src|tests|bench|scripts|docs|examples)/[\w./-]+)`", page.read_text("utf-8")
    )
    assert [path for path in told if not (ROOT / path).exists()] == []


def test_every_decision_is_in_the_index() -> None:
    index = (ROOT / "docs" / "decisions" / "README.md").read_text(encoding="utf-8")
    pages = {page.name for page in ROOT.glob("docs/decisions/[0-9]*.md")}
    assert set(re.findall(r"\]\((\d[^)]+)\)", index)) == pages


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-docs.lock"])
def test_the_lock_names_no_index_and_pins_everything_with_hashes(name: str) -> None:
    lock = (ROOT / name).read_text(encoding="utf-8")
    assert not re.search(r"://|--(extra-)?index-url|--find-links", lock)
    requirements = re.findall(r"^[a-z].*?(?=^[a-z]|\Z)", lock, re.MULTILINE | re.DOTALL)
    assert requirements
    assert [r for r in requirements if "==" not in r or "--hash=sha256:" not in r] == []
