"""One job under several planners, and under none: a page with all of them in each chart."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from albic.figures import Chart, Kind, Page, Section, Series, Table
from albic.reports import batch_series
from albic.reports.batch_parts_page import makeup_section
from albic.reports.batch_series import FIRST, LAST, Course, Summary
from albic.reports.comparison import rounds_table
from albic.reports.repeats import Ratio, Repeats, ratio
from albic.reports.run_records import RunRecords

NOTHING = "–"


@dataclass(frozen=True, slots=True)
class About:
    """What was run, for the page: its name, and a paragraph on job, data and cluster."""

    title: str
    text: str
    command: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """The runs of each planner, and what they are held against.

    ``plain`` is the name of the planner that ratios refer to; without its runs there are none.
    """

    planners: Sequence[Repeats]
    plain: str

    def ratio(self, one: Repeats) -> Ratio | None:
        """Return one planner's batch time as a share of the plain one's."""
        plain = next((each for each in self.planners if each.name == self.plain), None)
        return None if plain is None or plain is one else ratio(one, plain)


def planners_page(found: Comparison, about: About) -> Page:
    """Return the whole report of the runs of a job."""
    runs = found.planners
    return Page(
        title=about.title,
        lead=headline(found),
        tiles=_tiles(found),
        sections=(
            Section("What was run", about.text),
            Section("In numbers", _reading(), tables=(summary_table(found), work_table(runs))),
            *makeup_section(runs),
            Section(
                "How much stays on a node",
                "Bytes between key groups whose sender and receiver are on the same executor. "
                "Planned: by the sizes of shuffle blocks and the owners that a controller decided "
                "on. Measured: what Spark's tasks read locally and from elsewhere, batch by batch.",
                charts=(*collocation_charts(runs), network_charts(runs)[0]),
            ),
            Section(
                "How even, and how much work",
                "Load distance: the largest gap between an executor and the mean. Load index: "
                "how long all key groups together work for a row, right after the start = 100 %.",
                charts=load_charts(runs),
            ),
            Section(
                "What it took",
                "Moves are key groups that began to run elsewhere. The new owner loads the state "
                "from the checkpoint, once.",
                charts=(
                    _chart("Moves", "key groups", runs, batch_series.moved, kind=Kind.BARS),
                    network_charts(runs)[1],
                ),
            ),
            *(
                Section(f"What {run.name} decided", tables=(rounds_table(run.rounds),))
                for each in runs
                for run in each.runs[:1]
                if run.moves
            ),
        ),
        footer=f"Written by: {about.command}. Every number is from this run.",
    )


def headline(found: Comparison) -> str:
    """Return what came out, in a sentence or two."""
    times = [
        f"With {each.name} a batch took {against.end:.2f} of plain Spark's time at the end "
        f"({against.lowest:.2f} to {against.highest:.2f}), and {against.all:.2f} over all batches."
        for each in found.planners
        if (against := found.ratio(each)) is not None
    ]
    told = [
        f"{each.name} {_percent(each.start_collocation_pct)} → {_percent(each.end_measured_pct)}"
        for each in (repeats.summary() for repeats in found.planners)
    ]
    local = (
        f"Bytes between key groups that stayed on their executor, start → end, as Spark measured "
        f"them: {'; '.join(told)}."
    )
    return " ".join([*times, local])


def collocation_charts(runs: Sequence[Repeats]) -> tuple[Chart, Chart]:
    """Return the collocation factor over time, as planned and as measured."""
    return (
        _chart(
            "Collocation, planned", "percent of bytes", runs, batch_series.planned, kind=Kind.STEP
        ),
        _chart("Collocation, measured by Spark", "percent of bytes", runs, batch_series.measured),
    )


def load_charts(runs: Sequence[Repeats]) -> tuple[Chart, Chart]:
    """Return load distance and load index over time."""
    start = ((100.0, "right after the start"),)
    return (
        _chart("Load distance", "points off the mean", runs, batch_series.distance),
        _chart("Load index", "percent of the start", runs, batch_series.load_index, levels=start),
    )


def network_charts(runs: Sequence[Repeats]) -> tuple[Chart, Chart]:
    """Return remote bytes and batch times over time."""
    return (
        _chart("Bytes from other nodes", "MB a batch", runs, batch_series.remote),
        _chart("Batch time", "seconds", runs, batch_series.batch_times),
    )


def summary_table(found: Comparison) -> Table:
    """Return all planners in numbers, a row each."""
    rows = [cells(each.summary(), found.ratio(each)) for each in found.planners]
    return Table(tuple(rows[0]), tuple(tuple(row.values()) for row in rows))


def work_table(runs: Sequence[Repeats]) -> Table:
    """Return how long the key groups of each operator worked for a row."""
    works = [batch_series.operator_work(*each.runs) for each in runs]
    names = list(dict.fromkeys(name for work in works for name in work))
    rows = [
        (name, *(f"{work[name]:.1f}" if name in work else NOTHING for work in works))
        for name in names
    ]
    return Table(("work at end, µs/row", *(each.name for each in runs)), tuple(rows))


def cells(one: Summary, against: Ratio | None) -> Mapping[str, str]:
    """Return one planner as the cells of a table, by column; names carry the unit."""
    spread = f"{one.lowest_end_batch_s:.2f} to {one.highest_end_batch_s:.2f}"
    return {
        "planner": one.name,
        "rows/s": f"{one.rows_per_s:,.0f}",
        "batch, s": f"{one.end_batch_s:.2f}",
        "single runs, s": spread,
        "× plain": NOTHING if against is None else f"{against.end:.2f}",
        "× plain, all batches": NOTHING if against is None else f"{against.all:.2f}",
        "load distance, points": f"{one.end_distance_pct:.1f}",
        "collocation at start, %": _number(one.start_collocation_pct),
        "planned at end, %": _number(one.end_planned_pct),
        "measured at end, %": _number(one.end_measured_pct),
        "remote, MB/batch": f"{one.end_remote_bytes / 1e6:.2f}",
        "load index, %": f"{one.end_load_index_pct:.0f}",
        "moves": str(one.moves),
        "state moved, MB": f"{one.moved_bytes / 1e6:.2f}",
    }


def _reading() -> str:
    """Return how to read the table."""
    return (
        f"Start is the first {FIRST} batches that count, end the last {LAST}: the median of batch "
        f"time and load index, the mean of load distance, the sum of bytes. Planners take turns, "
        f"each way once and then back, and numbers are over all runs of one. Rows a second and "
        f"× plain, all batches, are over all batches that count, those with moves among them."
    )


def _tiles(found: Comparison) -> tuple[tuple[str, str], ...]:
    """Return the few numbers to remember."""
    times = [
        (f"{against.end:.2f} ×", f"batch time of {found.plain}, {each.name}")
        for each in found.planners
        if (against := found.ratio(each)) is not None
    ]
    local = [
        (_percent(each.end_measured_pct), f"local bytes at the end, {each.name}")
        for each in (repeats.summary() for repeats in found.planners)
    ]
    return (*times, *local)


def _chart(
    title: str,
    unit: str,
    runs: Sequence[Repeats],
    course: Callable[[RunRecords], Course],
    *,
    kind: Kind = Kind.LINE,
    levels: tuple[tuple[float, str], ...] = (),
) -> Chart:
    """Return one course of all planners, the mean over the runs of each."""
    series = []
    for each in runs:
        points = batch_series.over_runs(each.runs, course)
        x, y = [batch for batch, _ in points], [value for _, value in points]
        series.append(Series(each.name, x, y, kind))
    return Chart(title, "batch", unit, tuple(series), levels=levels)


def _number(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.1f}"


def _percent(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.0f} %"
