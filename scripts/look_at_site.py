"""Looks at the built site: links and anchors lead somewhere, nothing is loaded from outside."""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

#: Attributes with which a page makes the browser load something at once.
LOADED = {("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("link", "href")}
OUTSIDE = re.compile(r"^(?:[a-z]+:)?//", re.IGNORECASE)
#: An address of the page itself is a name, not something that is loaded.
NAMES = {"canonical", "alternate"}


@dataclass
class Page(HTMLParser):
    """What a page links to, loads, and can be linked at."""

    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what one element says."""
        values = {name: value for name, value in attrs if value}
        self.anchors.update(values[name] for name in ("id", "name") if name in values)
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if values.get("rel") not in NAMES:
            self.loads += [
                values[name] for element, name in LOADED if element == tag and name in values
            ]


def findings(site: Path) -> Iterator[str]:
    """Yield what is wrong with a site."""
    site = site.resolve()
    pages = {path: _read(path) for path in sorted(site.rglob("*.html"))}
    if not pages:
        yield f"{site} has no pages"
    for path, page in pages.items():
        here = path.relative_to(site)
        yield from (f"{here} loads {url} from outside" for url in page.loads if OUTSIDE.match(url))
        # The page for wrong addresses does not know where it will stand.
        if path.name != "404.html":
            yield from (
                f"{here} links to {link}, which is not there" for link in _dead(path, page, pages)
            )
    for path in site.rglob("*.css"):
        for url in re.findall(r"url\([\"']?([^\"')]+)", path.read_text(encoding="utf-8")):
            if OUTSIDE.match(url):
                yield f"{path.relative_to(site)} loads {url} from outside"


def _read(path: Path) -> Page:
    """Return a page's links."""
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def _dead(path: Path, page: Page, pages: dict[Path, Page]) -> Iterator[str]:
    """Yield links inside the site that lead nowhere."""
    for link in page.links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path.resolve()
        target = target / "index.html" if target.is_dir() else target
        there = pages.get(target)
        # "__skip" and its like are made by the theme's script.
        lost = parts.fragment[:2] != "__" and unquote(parts.fragment) not in (
            there.anchors if there else ()
        )
        if not target.exists() or (there and parts.fragment and lost):
            yield link


def main(site: Path) -> int:
    """Print what is wrong, and return the exit code."""
    wrong = list(findings(site))
    for sentence in wrong:
        sys.stderr.write(f"docs: {sentence}\n")
    if not wrong:
        sys.stdout.write(f"{site}/index.html: {len(list(site.rglob('*.html')))} pages\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
