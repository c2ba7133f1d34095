"""A run under a load that doubles and halves: what it cost, and whether it was in time."""

from collections.abc import Sequence
from dataclasses import dataclass

from albic.control.batches import BatchRecord
from albic.control.journal import RoundRecord
from albic.control.node_presence import Stay, node_seconds, node_steps
from albic.control.rounds import EARLY
from albic.figures import Chart, Kind, Page, Section, Series, Table


@dataclass(frozen=True, slots=True)
class SwingRun:
    """All that was recorded of one run.

    ``rows`` are those of each batch, the first one first. Batches before ``warm_up`` do not count.
    ``controller_s`` is how long the controller's thread worked.
    """

    name: str
    interval_s: float
    rows: tuple[int, ...]
    batches: tuple[BatchRecord, ...]
    stays: tuple[Stay, ...]
    rounds: tuple[RoundRecord, ...] = ()
    controller_s: float = 0.0
    warm_up: int = 3

    @property
    def counted(self) -> tuple[BatchRecord, ...]:
        """Return the batches that count."""
        return tuple(record for record in self.batches if record.batch >= self.warm_up)

    @property
    def span_s(self) -> tuple[float, float]:
        """Return when the first batch that counts began and the last one ended."""
        first = self.counted[0]
        return first.ended_s - first.batch_s, self.counted[-1].ended_s

    @property
    def node_s(self) -> float:
        """Return the node-seconds of the batches that count."""
        return node_seconds(self.stays, *self.span_s)

    @property
    def mean_nodes(self) -> float:
        """Return how many nodes there were on average."""
        began_s, ended_s = self.span_s
        return self.node_s / (ended_s - began_s)

    @property
    def late(self) -> int:
        """Return how many batches took longer than the trigger interval."""
        return sum(record.batch_s > self.interval_s for record in self.counted)

    @property
    def failed_tasks(self) -> int:
        """Return how many tasks failed."""
        return sum(stay.failed_tasks for stay in self.stays)

    @property
    def decisions(self) -> tuple[RoundRecord, ...]:
        """Return the rounds that changed the number of nodes."""
        return tuple(each for each in self.rounds if each.added or each.drained or each.kept)

    @property
    def most_moves(self) -> int:
        """Return the most key groups that moved in a period; early rounds are part of theirs."""
        moved = [0]
        for each in self.rounds:
            if each.trigger not in EARLY:
                moved.append(0)
            moved[-1] += len(each.migrations)
        return max(moved)

    def batch_ended_s(self, batch: int) -> float:
        """Return when ``batch`` ended, or the last one before it that was recorded."""
        return max(record.ended_s for record in self.batches if record.batch <= batch)


def swing_charts(runs: Sequence[SwingRun]) -> tuple[Chart, ...]:
    """Return load, nodes and batch time over time."""
    nodes, took = [], []
    for run in runs:
        began_s = run.span_s[0]
        at_s, there = node_steps(run.stays, *run.span_s)
        nodes.append(Series(run.name, [at - began_s for at in at_s], there, Kind.STEP))
        took.append(Series(run.name, _ended_s(run), [record.batch_s for record in run.counted]))
    first = runs[0]
    load = Series("rows", _ended_s(first), [first.rows[each.batch] for each in first.counted])
    level = ((first.interval_s, "trigger interval"),)
    return (
        Chart("Load", "seconds", "rows in a batch", (load,)),
        Chart("Nodes", "seconds", "executors", tuple(nodes)),
        Chart("Batch time", "seconds", "seconds", tuple(took), levels=level),
    )


def swing_headline(run: SwingRun, budget: int) -> str:
    """Return what came out, in a sentence."""
    _, there = node_steps(run.stays, *run.span_s)
    return (
        f"While the load went from {min(run.rows)} to {max(run.rows)} rows a batch and back, there "
        f"were {min(there)} to {max(there)} executors, {run.mean_nodes:.1f} on average; {run.late} "
        f"of {len(run.counted)} batches took longer than the trigger interval of "
        f"{run.interval_s:g} s, {run.failed_tasks} tasks failed, and at most {run.most_moves} of "
        f"{budget} key groups moved in a period."
    )


def swing_page(run: SwingRun, budget: int, about: str) -> Page:
    """Return the whole report; ``about`` says what job it was and on what."""
    return Page(
        title="A load that doubles and halves, and the executors that follow it",
        lead=swing_headline(run, budget),
        tiles=(
            (f"{run.node_s:,.0f}", "node-seconds"),
            (f"{run.mean_nodes:.1f}", "executors on average"),
            (f"{run.late} of {len(run.counted)}", "batches over the trigger interval"),
            (str(len(run.decisions)), "decisions about executors"),
            (f"{run.most_moves} of {budget}", "moves in a period at most"),
            (str(run.failed_tasks), "failed tasks"),
        ),
        sections=(
            Section("What was run", about),
            Section("Load, executors and batch time", charts=swing_charts((run,))),
            Section(
                "What was decided about executors",
                "Each round decides on their number and on the places of state in one step.",
                tables=(decisions_table(run),),
            ),
        ),
        footer="Written by albic run swing. Every number is from this run.",
    )


def decisions_table(run: SwingRun) -> Table:
    """Return every round with its word on the number of executors."""
    began_s = run.span_s[0]
    return Table(
        ("after s", "why", "executors", "added", "drained", "moves", "in words"),
        tuple(
            (
                f"{each.at_s - began_s:.0f}",
                each.trigger,
                "–" if each.nodes is None else str(each.nodes),
                str(each.added or ""),
                str(each.drained or ""),
                str(len(each.migrations)),
                each.scaling or each.error or each.reason,
            )
            for each in run.rounds
        ),
    )


def _ended_s(run: SwingRun) -> list[float]:
    """Return when each batch that counts ended, from the beginning of the first one on."""
    return [record.ended_s - run.span_s[0] for record in run.counted]
