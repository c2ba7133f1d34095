"""A page that needs nothing but itself: text, tables and charts in one HTML file."""

import html
from collections.abc import Sequence
from dataclasses import dataclass

from albic.figures.chart import Chart

STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, sans-serif; color: #1c1c1c; margin: 2rem auto; padding: 0 1rem; max-width: 76rem; }
h1 { margin-bottom: 0.2rem; } h2 { margin-top: 2.2rem; }
.lead { font-size: 1.15rem; max-width: 48rem; } p { max-width: 48rem; white-space: pre-line; }
.charts { display: flex; flex-wrap: wrap; gap: 1rem 2rem; } figure { margin: 1rem 0; } figure svg { max-width: 100%; height: auto; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
th, td { padding: 0.25rem 0.8rem; border-bottom: 1px solid #ddd; text-align: right; vertical-align: top; }
th:first-child, td:first-child, .words { text-align: left; }
th { background: #f4f4f4; }
.tiles { display: flex; flex-wrap: wrap; gap: 1rem; margin: 1.5rem 0; }
.tile { border: 1px solid #ddd; border-radius: 0.5rem; padding: 0.8rem 1.2rem; max-width: 13rem; background: #fafafa; }
.tile b { display: block; font-size: 1.9rem; color: #0072B2; } .tile span { color: #555; font-size: 0.9rem; }
footer { margin-top: 3rem; color: #666; font-size: 0.85rem; }
"""  # noqa: E501 - a style sheet reads best with one rule a line
WORDS = ' class="words"'


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under named columns; names carry the unit."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with what stands below it."""

    heading: str
    text: str = ""
    charts: tuple[Chart, ...] = ()
    tables: tuple[Table, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """A whole page; ``lead`` says in a sentence what came out.

    ``tiles`` are the few numbers to remember, each with the words that go below it.
    """

    title: str
    lead: str
    sections: tuple[Section, ...]
    footer: str = ""
    tiles: tuple[tuple[str, str], ...] = ()

    def html(self) -> str:
        """Return the page as one HTML document without any outside reference."""
        title = html.escape(self.title)
        body = "\n".join(_section(section) for section in self.sections)
        return (
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{title}</title><style>{STYLE}</style></head><body>\n"
            f'<h1>{title}</h1>\n<p class="lead">{html.escape(self.lead)}</p>\n'
            f"{_tiles(self.tiles)}{body}\n"
            f"<footer>{html.escape(self.footer)}</footer>\n</body></html>\n"
        )


def _tiles(tiles: Sequence[tuple[str, str]]) -> str:
    """Return the numbers to remember, side by side."""
    if not tiles:
        return ""
    each = (
        f"<b>{html.escape(number)}</b><span>{html.escape(words)}</span>" for number, words in tiles
    )
    return (
        '<div class="tiles">'
        + "".join(f'<div class="tile">{one}</div>' for one in each)
        + "</div>\n"
    )


def _section(section: Section) -> str:
    """Return one section."""
    parts = [f"<h2>{html.escape(section.heading)}</h2>"]
    if section.text:
        parts.append(f"<p>{html.escape(section.text)}</p>")
    if section.charts:
        parts.append(f'<div class="charts">{_charts(section.charts)}</div>')
    parts += [_table(table) for table in section.tables]
    return "\n".join(parts)


def _table(table: Table) -> str:
    """Return one table; a column of words is set to the left."""
    words = [any(not _is_number(row[at]) for row in table.rows) for at in range(len(table.columns))]
    rows = [_row("th", table.columns, words), *(_row("td", row, words) for row in table.rows)]
    return '<div class="scroll"><table>' + "\n".join(rows) + "</table></div>"


def _row(tag: str, cells: Sequence[str], words: Sequence[bool]) -> str:
    """Return one row."""
    return (
        "<tr>"
        + "".join(
            f"<{tag}{WORDS if left else ''}>{html.escape(cell)}</{tag}>"
            for cell, left in zip(cells, words, strict=True)
        )
        + "</tr>"
    )


def _is_number(cell: str) -> bool:
    """Return whether a cell starts like a number or is empty."""
    return not cell or cell.lstrip("+-")[:1].isdigit() or cell in {"–", "-"}


def _charts(charts: Sequence[Chart]) -> str:
    """Return one figure a chart, so that a narrow window can stack them."""
    from albic.figures.plots import svg  # noqa: PLC0415  an extra brings what draws

    return "".join(f"<figure>{svg((chart,), charts)}</figure>" for chart in charts)
