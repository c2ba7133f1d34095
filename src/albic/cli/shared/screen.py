"""The terminal: its width, its bars, and numbers as people read them."""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol, TypeVar

from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

#: Where output goes to a file or a pipe, nobody needs it cut to a window.
PIPE_WIDTH = 120
#: Work that is done sooner needs no bar.
BAR_AFTER_S = 1.0

_EIGHTHS = " ▏▎▍▌▋▊▉"


class HasName(Protocol):
    """What can be announced before it is worked on."""

    @property
    def name(self) -> str:
        """Return the name."""
        ...


Item = TypeVar("Item", bound=HasName)


def screen(*, aside: bool = False) -> Console:
    """Return where people read; names from files are printed as they are, never as markup.

    ``aside`` leaves the standard output to machines.
    """
    console = Console(markup=False, highlight=False, emoji=False, soft_wrap=False, stderr=aside)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = PIPE_WIDTH
    return console


def titled(title: str, *, left: Sequence[str] = (), right: Sequence[str] = ()) -> Table:
    """Return an empty table without frills: columns of words at left, of numbers at right."""
    table = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    for name in left:
        table.add_column(name, overflow="fold")
    for name in right:
        table.add_column(name, justify="right", overflow="fold")
    return table


def counting() -> Progress:
    """Return a bar that counts, on stderr if that is a terminal."""
    console = Console(stderr=True, markup=False)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    return Progress(
        *columns,
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


def tracked(items: Sequence[Item], doing: str) -> Iterator[Item]:
    """Yield ``items`` one by one, with a progress bar."""
    with counting() as progress:
        task = progress.add_task(doing, total=len(items))
        for item in items:
            progress.update(task, description=f"{doing} {item.name}")
            yield item
            progress.advance(task)


@contextmanager
def waiting(doing: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """Show a bar on stderr, if that is a terminal and the work takes longer than a moment.

    What comes back is told how much of ``total`` is done.
    """
    console = Console(stderr=True, markup=False)
    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    task = progress.add_task(doing, total=total)
    # A bar that only flashes up is noise.
    timer = threading.Timer(BAR_AFTER_S, progress.start)
    timer.daemon = True
    timer.start()
    try:
        yield lambda done: progress.update(task, completed=done)
    finally:
        timer.cancel()
        timer.join()
        progress.stop()


def bar(value: float, most: float, width: int, console: Console) -> str:
    """Return a bar of ``value`` where ``most`` fills the ``width``."""
    share = min(max(value / most, 0.0), 1.0) if most > 0 else 0.0
    if not console.encoding.startswith("utf"):
        return "#" * round(share * width)
    whole, part = divmod(round(share * width * 8), 8)
    return "█" * whole + _EIGHTHS[part].strip()


def gap_style(gap_pct: float) -> str:
    """Return the colour of a load that is ``gap_pct`` points above the mean."""
    if abs(gap_pct) <= 1:
        return "green"
    return "red" if gap_pct > 0 else "yellow"


def quiet(text: str) -> Text:
    """Return ``text`` for the margin."""
    return Text(text, style="dim")


def bytes_text(amount: float) -> str:
    """Return bytes with the unit that keeps them short."""
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if amount < 999.5:
            return f"{amount:.0f} B" if unit == "B" else f"{amount:.3g} {unit}"
        amount /= 1000
    return f"{amount:.3g} PB"


def percent_text(share: float) -> str:
    """Return a share as a percentage."""
    return f"{100 * share:.1f} %"


def points_text(points: float) -> str:
    """Return percentage points, finely where they are few."""
    return f"{points:.3f}" if points < 10 else f"{points:.2f}"


def seconds_text(seconds: float) -> str:
    """Return a time, in the unit that keeps it short."""
    return f"{1000 * seconds:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def count_text(count: int, one: str) -> str:
    """Return a count with its noun: 1 node, 1,200 nodes."""
    return f"{count:,} {one}" if count == 1 else f"{count:,} {one}s"
