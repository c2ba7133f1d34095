"""One job under several planners, and under none: a page with all of them in each chart."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from albic.dashboard import courses
from albic.dashboard.comparison import rounds_table
from albic.dashboard.courses import FIRST, LAST, Course, Summary, summary
from albic.dashboard.runs import RunRecords
from albic.figures import Chart, Kind, Page, Section, Series, Table

NOTHING = "–"


@dataclass(frozen=True, slots=True)
class About:
    """What was run, for the page: its name, and a paragraph on job, data and cluster."""

    title: str
    text: str
    command: str


def planners_page(runs: Sequence[RunRecords], about: About) -> Page:
    """Return the whole report of the runs of a job."""
    found = [summary(run) for run in runs]
    steered = [run for run in runs if run.moves]
    return Page(
        title=about.title,
        lead=headline(found),
        tiles=_tiles(found),
        sections=(
            Section("What was run", about.text),
            Section("In numbers", _reading(), tables=(summary_table(found), work_table(runs))),
            Section(
                "How much stays on a node",
                "Bytes between key groups whose sender and receiver are on the same executor. "
                "Planned: by the sizes of shuffle blocks and the owners that a controller decided "
                "on. Measured: what Spark's tasks read locally and from elsewhere, batch by batch.",
                charts=collocation_charts(runs),
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
                    _chart("Moves", "key groups", runs, courses.moved, kind=Kind.BARS),
                    _chart("Batch time", "seconds", runs, courses.batch_times),
                ),
            ),
            *(
                Section(f"What {run.name} decided", tables=(rounds_table(run.rounds),))
                for run in steered
            ),
        ),
        footer=f"Written by: {about.command}. Every number is from this run.",
    )


def headline(found: Sequence[Summary]) -> str:
    """Return what came out, in a sentence or two."""
    told = [
        f"{each.name} {_percent(each.start_collocation_pct)} → {_percent(each.end_measured_pct)}"
        for each in found
    ]
    return (
        f"Bytes between key groups that stayed on their executor, start → end, as Spark measured "
        f"them: {'; '.join(told)}."
    )


def collocation_charts(runs: Sequence[RunRecords]) -> tuple[Chart, Chart]:
    """Return the collocation factor over time, as planned and as measured."""
    return (
        _chart("Collocation, planned", "percent of bytes", runs, courses.planned, kind=Kind.STEP),
        _chart("Collocation, measured by Spark", "percent of bytes", runs, courses.measured),
    )


def load_charts(runs: Sequence[RunRecords]) -> tuple[Chart, Chart]:
    """Return load distance and load index over time."""
    start = ((100.0, "right after the start"),)
    return (
        _chart("Load distance", "points off the mean", runs, courses.distance),
        _chart("Load index", "percent of the start", runs, courses.load_index, levels=start),
    )


def summary_table(found: Sequence[Summary]) -> Table:
    """Return all runs in numbers, a row each."""
    rows = [cells(each) for each in found]
    return Table(tuple(rows[0]), tuple(tuple(row.values()) for row in rows))


def work_table(runs: Sequence[RunRecords]) -> Table:
    """Return how long the key groups of each operator worked for a row."""
    works = [courses.operator_work(run) for run in runs]
    names = list(dict.fromkeys(name for work in works for name in work))
    rows = [
        (name, *(f"{work[name]:.1f}" if name in work else NOTHING for work in works))
        for name in names
    ]
    return Table(("work at end, µs/row", *(run.name for run in runs)), tuple(rows))


def cells(one: Summary) -> Mapping[str, str]:
    """Return one run as the cells of a table, by column; names carry the unit."""
    return {
        "planner": one.name,
        "rows/s": f"{one.rows_per_s:,.0f}",
        "batch, s": f"{one.end_batch_s:.2f}",
        "load distance, points": f"{one.end_distance_pct:.1f}",
        "collocation at start, %": _number(one.start_collocation_pct),
        "planned at end, %": _number(one.end_planned_pct),
        "measured at end, %": _number(one.end_measured_pct),
        "remote, B/row": f"{one.end_remote_bytes_per_row:.1f}",
        "load index, %": f"{one.end_load_index_pct:.0f}",
        "moves": str(one.moves),
        "state moved, MB": f"{one.moved_bytes / 1e6:.2f}",
    }


def _reading() -> str:
    """Return how to read the table."""
    return (
        f"Start is the first {FIRST} batches that count, end the last {LAST}: the median of batch "
        f"time and load index, the mean of load distance, the sum of bytes. Rows a second are over "
        f"all batches that count. On one machine the network between executors is the loopback, "
        f"which costs little. So fewer remote bytes show here as bytes, and hardly as time."
    )


def _tiles(found: Sequence[Summary]) -> tuple[tuple[str, str], ...]:
    """Return the few numbers to remember."""
    return tuple(
        (_percent(each.end_measured_pct), f"local bytes at the end, {each.name}") for each in found
    )


def _chart(
    title: str,
    unit: str,
    runs: Sequence[RunRecords],
    course: Callable[[RunRecords], Course],
    *,
    kind: Kind = Kind.LINE,
    levels: tuple[tuple[float, str], ...] = (),
) -> Chart:
    """Return one course of all runs."""
    series = []
    for run in runs:
        points = course(run)
        x, y = [batch for batch, _ in points], [value for _, value in points]
        series.append(Series(run.name, x, y, kind))
    return Chart(title, "batch", unit, tuple(series), levels=levels)


def _number(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.1f}"


def _percent(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.0f} %"
