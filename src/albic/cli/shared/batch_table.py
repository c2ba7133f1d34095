"""A run as it happens: a table that grows on a terminal, lines where there is none."""

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from albic.cli.shared.screen import bar, titled

#: Batches that a live table shows; older ones scroll away.
SHOWN = 12
BAR_WIDTH = 24


class Watcher:
    """Takes the batches of one run and shows them, a cell for each of ``columns``."""

    def __init__(
        self, console: Console, title: str, columns: Sequence[str], live: Live | None
    ) -> None:
        self._console = console
        self._title = title
        self._columns = columns
        self._live = live
        self._rows: deque[tuple[Sequence[str], float, str]] = deque(maxlen=SHOWN)
        self._longest_s = 0.0

    def add(self, cells: Sequence[str], batch_s: float, note: str = "") -> None:
        """Show one more batch; ``note`` says what is special about it."""
        if self._live is None:
            words = f"  ({note})" if note else ""
            told = ", ".join(
                f"{name} {cell}" for name, cell in zip(self._columns, cells, strict=True) if cell
            )
            self._console.print(f"{self._title}: {told}{words}", soft_wrap=True)
            return
        # A first batch starts workers, and would make all others look short.
        self._longest_s = max(self._longest_s, batch_s) if self._rows else 0.0
        self._rows.append((cells, batch_s, note))
        self._live.update(self._drawn(), refresh=True)

    def _drawn(self) -> Group:
        """Return the table of the last batches."""
        table: Table = titled(self._title, right=self._columns)
        table.add_column("")
        for cells, batch_s, note in self._rows:
            drawn = Text(bar(batch_s, self._longest_s, BAR_WIDTH, self._console), style="cyan")
            if note:
                drawn.append(f"  {note}", style="yellow")
            table.add_row(*cells, drawn)
        return Group(table)


@contextmanager
def watching(console: Console, title: str, columns: Sequence[str]) -> Iterator[Watcher]:
    """Yield a watcher; on a terminal its table stays when it ends."""
    if not console.is_terminal:
        yield Watcher(console, title, columns, None)
        return
    with Live(console=console, auto_refresh=False) as live:
        watcher = Watcher(console, title, columns, live)
        yield watcher
        live.refresh()


@contextmanager
def doing(console: Console, what: str) -> Iterator[None]:
    """Say what takes its time; on a terminal, for as long as it does."""
    if not console.is_terminal:
        console.print(what)
        yield
        return
    with console.status(what):
        yield
