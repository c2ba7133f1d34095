"""A run as it happens: a table that grows on a terminal, lines where there is none."""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from albic.cli.screen import bar, percent_text, titled
from albic.control.batches import BatchRecord

#: Batches that a live table shows; older ones scroll away.
SHOWN = 12
BAR_WIDTH = 24
COLUMNS = ("batch", "batch time", "load distance", "moves", "compliance")


class Watcher:
    """Takes the batches of one run and shows them."""

    def __init__(self, console: Console, title: str, live: Live | None) -> None:
        self._console = console
        self._title = title
        self._live = live
        self._rows: deque[tuple[tuple[str, ...], float, bool]] = deque(maxlen=SHOWN)
        self._longest_s = 0.0

    def add(
        self, record: BatchRecord, nodes: int, *, changed: bool, compliance: float | None
    ) -> None:
        """Show one more batch; ``changed`` says that the job is another one from here on."""
        cells = (
            str(record.batch),
            f"{record.batch_s:.2f} s",
            f"{record.distance_pct(nodes):.1f}",
            str(record.moved),
            "" if compliance is None else percent_text(compliance),
        )
        if self._live is None:
            words = "  (hot keys change)" if changed else ""
            told = ", ".join(
                f"{name} {cell}" for name, cell in zip(COLUMNS, cells, strict=True) if cell
            )
            self._console.print(f"{self._title}: {told}{words}", soft_wrap=True)
            return
        if record.batch > 0:
            self._longest_s = max(self._longest_s, record.batch_s)
        self._rows.append((cells, record.batch_s, changed))
        self._live.update(self._drawn(), refresh=True)

    def _drawn(self) -> Group:
        """Return the table of the last batches."""
        table: Table = titled(self._title, right=COLUMNS)
        table.add_column("")
        for cells, batch_s, changed in self._rows:
            drawn = Text(bar(batch_s, self._longest_s, BAR_WIDTH, self._console), style="cyan")
            if changed:
                drawn.append("  hot keys change", style="yellow")
            table.add_row(*cells, drawn)
        return Group(table)


@contextmanager
def watching(console: Console, title: str) -> Iterator[Watcher]:
    """Yield a watcher; on a terminal its table stays when it ends."""
    if not console.is_terminal:
        yield Watcher(console, title, None)
        return
    with Live(console=console, auto_refresh=False) as live:
        watcher = Watcher(console, title, live)
        yield watcher
        live.refresh()
