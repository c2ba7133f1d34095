"""What looks at the built site finds what is wrong with one."""

from pathlib import Path

import pytest

from scripts.look_at_site import findings
from scripts.site_hooks import on_page_markdown

GOOD = '<a href="b.html#here">b</a> <a href="https://example.org">out</a> <img src="x.svg">'


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "a.html").write_text(GOOD, encoding="utf-8")
    (tmp_path / "b.html").write_text('<h2 id="here">b</h2>', encoding="utf-8")
    (tmp_path / "x.svg").write_text("<svg/>", encoding="utf-8")
    return tmp_path


def test_a_good_site_has_no_findings(site: Path) -> None:
    assert list(findings(site)) == []


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ('<a href="c.html">', "a.html links to c.html, which is not there"),
        ('<a href="b.html#there">', "a.html links to b.html#there, which is not there"),
        ('<a href="#below">', "a.html links to #below, which is not there"),
        (
            '<script src="https://cdn.example/x.js"></script>',
            "a.html loads https://cdn.example/x.js",
        ),
        ('<link rel="stylesheet" href="//fonts.example/x.css">', "a.html loads //fonts.example"),
    ],
)
def test_what_is_wrong_is_named(site: Path, text: str, finding: str) -> None:
    (site / "a.html").write_text(text, encoding="utf-8")
    (told,) = findings(site)
    assert told.startswith(finding)


def test_a_style_sheet_that_loads_from_outside_is_found(site: Path) -> None:
    (site / "s.css").write_text(
        "@font-face { src: url(https://f.example/f.woff2) }", encoding="utf-8"
    )
    assert list(findings(site)) == ["s.css loads https://f.example/f.woff2 from outside"]


def test_a_file_that_is_no_page_is_named_and_not_linked() -> None:
    class File:
        src_uri = "decisions/001.md"

    class Page:
        file = File()

    text = "[a](../nodes.md) [b](../../examples/x.yml) ![c](../x.png)"
    assert on_page_markdown(text, page=Page()) == (
        "[a](../nodes.md) b (`examples/x.yml`) ![c](../x.png)"
    )
