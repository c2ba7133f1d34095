"""A sentence and a few bars as HTML, for notebooks; it needs nothing but itself."""

import html
from collections.abc import Sequence

#: Bars that are drawn; more would be no sketch.
MOST_BARS = 24
WIDTH, ROW, LEFT, RIGHT = 460, 18, 110, 70


def sketch(
    sentence: str, bars: Sequence[tuple[str, float]], unit: str, level: float | None = None
) -> str:
    """Return HTML with ``sentence`` and a bar for each name; ``level`` is a line across them."""
    told = f"<p>{html.escape(sentence)}</p>"
    if not bars:
        return f"<div>{told}</div>"
    shown = bars[:MOST_BARS]
    most = max(level or 0.0, *(value for _, value in shown)) or 1.0
    scale = (WIDTH - LEFT - RIGHT) / most
    rows = "".join(_row(at, name, value, scale, unit) for at, (name, value) in enumerate(shown))
    height = len(shown) * ROW
    if level is not None:
        x = LEFT + level * scale
        rows += (
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{height}" stroke="currentColor" '
            f'stroke-dasharray="4 3"/>'
        )
    more = f"<p>and {len(bars) - MOST_BARS} more</p>" if len(bars) > MOST_BARS else ""
    return (
        f'<div>{told}<svg role="img" aria-label="{html.escape(sentence)}" width="{WIDTH}" '
        f'height="{height}" viewBox="0 0 {WIDTH} {height}" font-size="12" '
        f'font-family="sans-serif">{rows}</svg>{more}</div>'
    )


def _row(at: int, name: str, value: float, scale: float, unit: str) -> str:
    """Return one bar with its name and its number."""
    y, width = at * ROW, max(value * scale, 0.0)
    short = name if len(name) <= 16 else f"{name[:15]}…"
    return (
        f'<text x="{LEFT - 6}" y="{y + 13}" text-anchor="end" fill="currentColor">'
        f"{html.escape(short)}</text>"
        f'<rect x="{LEFT}" y="{y + 2}" width="{width:.1f}" height="{ROW - 5}" fill="#0072B2"/>'
        f'<text x="{LEFT + width + 5:.1f}" y="{y + 13}" fill="currentColor">'
        f"{value:.3g}{html.escape(unit)}</text>"
    )
