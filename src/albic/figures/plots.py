"""Charts drawn with matplotlib, all in one style; nothing else here imports it."""

import io
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatterSciNotation, MaxNLocator

from albic.figures.chart import Chart, Kind, Series

#: Colours that people with any common colour blindness can tell apart (Okabe and Ito).
COLOURS = (
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9"),
    *("#E69F00", "#7A5195", "#595959", "#000000", "#8C6D31"),
)
#: Dashes and marks that change with the colour, so that a grey print can still be read.
DASHES = ("-", "--", "-.", ":")
MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")
WIDTH_IN, HEIGHT_IN = 6.4, 3.8
#: Two charts side by side can still be read in a column of text.
COLUMNS = 2
#: With more lines than this a legend would hide some of them, so it stands below the chart.
CROWDED, LEGEND_ROW_IN = 4, 0.2
STYLE: dict[Any, object] = {
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titleweight": "bold",
    "figure.facecolor": "white",
    "font.size": 10.0,
    "grid.alpha": 0.25,
    "legend.framealpha": 0.8,
    "svg.fonttype": "none",
    # Without a fixed salt and date, the same figure would differ from run to run.
    "svg.hashsalt": "albic",
}


def svg(charts: Sequence[Chart], among: Sequence[Chart] = ()) -> str:
    """Return the charts side by side as the text of one SVG element.

    A line looks the same in all charts that it is ``among``.
    """
    drawn = io.StringIO()
    _save(charts, drawn, "svg", among)
    text = drawn.getvalue()
    return text[text.index("<svg") :]


def save(charts: Sequence[Chart], path: Path) -> tuple[Path, Path]:
    """Write the charts side by side as PNG and SVG, and return both paths.

    ``path`` has no suffix.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    png, vector = path.with_name(f"{path.name}.png"), path.with_name(f"{path.name}.svg")
    _save(charts, png, "png")
    _save(charts, vector, "svg")
    return png, vector


def _save(
    charts: Sequence[Chart], target: Path | io.StringIO, kind: str, among: Sequence[Chart] = ()
) -> None:
    """Draw the charts into a file."""
    from matplotlib import rc_context  # noqa: PLC0415 - beside Figure it would pull in pyplot

    with rc_context(STYLE):
        figure = _figure(charts, _looks([*among, *charts]))
        metadata = {"Date": None} if kind == "svg" else None
        figure.savefig(target, format=kind, dpi=144, metadata=metadata)


def _looks(charts: Sequence[Chart]) -> dict[str, int]:
    """Return a place in the list of colours for every label."""
    labels = dict.fromkeys(series.label for chart in charts for series in chart.series)
    return {label: position for position, label in enumerate(labels)}


def _figure(charts: Sequence[Chart], looks: Mapping[str, int]) -> Figure:
    """Return one figure with all charts, in rows; labels that they share are told once below."""
    columns = min(len(charts), COLUMNS)
    rows = -(-len(charts) // columns)
    shared = _shared(charts)
    below = len(looks) if shared else max(map(_below, charts), default=0)
    extra_in = LEGEND_ROW_IN * -(-below // (2 * columns if shared else 2))
    height_in = HEIGHT_IN * rows + (extra_in if shared else extra_in * rows)
    figure = Figure(figsize=(WIDTH_IN * columns, height_in), layout="constrained")
    drawn = [figure.add_subplot(rows, columns, place + 1) for place in range(len(charts))]
    for chart, axes in zip(charts, drawn, strict=True):
        _draw(chart, axes, looks)
        if not shared and len(chart.series) > 1:
            _legend(axes, chart)
    if shared:
        fullest = drawn[[len(chart.series) for chart in charts].index(len(looks))]
        handles, labels = fullest.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2 * columns, fontsize=8)
    return figure


def _shared(charts: Sequence[Chart]) -> bool:
    """Return whether one legend can stand for all: one chart has every line of the others."""
    sets = [{series.label for series in chart.series} for chart in charts]
    union = set().union(*sets)
    return len(charts) > 1 and len(union) > 1 and union in sets


def _below(chart: Chart) -> int:
    """Return how many lines are told below a chart, not inside it."""
    return len(chart.series) if len(chart.series) > CROWDED else 0


def _legend(axes: Axes, chart: Chart) -> None:
    """Tell what is what, where it hides nothing."""
    if _below(chart):
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2, fontsize=8)
    else:
        axes.legend(fontsize=8)


def _draw(chart: Chart, axes: Axes, looks: Mapping[str, int]) -> None:
    """Draw one chart."""
    bars = [series for series in chart.series if series.kind is Kind.BARS]
    for series in chart.series:
        if series.kind is Kind.BARS:
            _bars(axes, series, bars, looks[series.label])
        else:
            _line(axes, series, looks[series.label])
    axes.set(title=chart.title, xlabel=chart.x_label, ylabel=chart.y_label)
    if chart.log_x:
        axes.set_xscale("log")
        _plain_numbers(axes.xaxis)
    elif _whole(chart):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    if chart.log_y:
        axes.set_yscale("log")
        _plain_numbers(axes.yaxis)
    elif chart.from_zero and axes.get_ylim()[0] > 0:
        axes.set_ylim(bottom=0)
    _annotate(axes, chart)


class _PlainNumbers(LogFormatterSciNotation):
    """Writes 0.1 where the usual labels of a logarithmic axis have a power of ten."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        """Return the label of a tick, empty where there is none."""
        return f"{x:g}" if super().__call__(x, pos) else ""


def _plain_numbers(axis: Axis) -> None:
    """Label a logarithmic axis with plain numbers; between them where it is short."""
    axis.set_major_formatter(_PlainNumbers())
    axis.set_minor_formatter(_PlainNumbers(labelOnlyBase=False))


def _whole(chart: Chart) -> bool:
    """Return whether the x axis counts something, such as rounds."""
    places = [x for series in chart.series for x in series.x]
    return all(isinstance(x, int | float) and float(x).is_integer() for x in places)


def _annotate(axes: Axes, chart: Chart) -> None:
    """Draw the moments and values that have a word of their own, readable over what is drawn."""
    paper = {"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.8}
    # An axis from zero has room at its foot; lines of another seldom lie at its top.
    foot = chart.from_zero and not chart.log_y
    for moment, word in chart.marks:
        axes.axvline(moment, color="#888888", linewidth=0.8, linestyle=":")
        axes.annotate(
            f" {word} ",
            (moment, 0 if foot else 1),
            xycoords=("data", "axes fraction"),
            fontsize=7,
            rotation=90,
            ha="center",
            va="bottom" if foot else "top",
            bbox=paper,
        )
    for value, word in chart.levels:
        axes.axhline(value, color="#888888", linewidth=0.8, linestyle="--")
        axes.annotate(
            word,
            (0.005, value),
            xycoords=("axes fraction", "data"),
            fontsize=7,
            va="center",
            bbox=paper,
        )


def _line(axes: Axes, series: Series, position: int) -> None:
    """Draw a line, steps or points."""
    colour = "#AAAAAA" if series.faint else COLOURS[position % len(COLOURS)]
    mark = MARKS[position % len(MARKS)] if len(series.x) <= 40 else None
    axes.plot(
        series.x,
        series.y,
        label=series.label,
        color=colour,
        linestyle="" if series.kind is Kind.POINTS else DASHES[position % len(DASHES)],
        drawstyle="steps-post" if series.kind is Kind.STEP else "default",
        marker=(mark or ".") if series.kind is Kind.POINTS else mark,
        markersize=4,
        linewidth=1.0 if series.faint else 1.6,
    )
    if series.band is not None:
        axes.fill_between(series.x, *series.band, color=colour, alpha=0.15, linewidth=0)


def _bars(axes: Axes, series: Series, bars: Sequence[Series], position: int) -> None:
    """Draw bars beside those of the other series; words on the x axis are its positions."""
    words = any(isinstance(x, str) for x in series.x)
    at = np.arange(len(series.x)) if words else np.asarray(series.x, dtype=np.float64)
    gap = min((right - left for left, right in pairwise(np.sort(at))), default=1.0)
    width = 0.8 * gap / len(bars)
    offset = (bars.index(series) - (len(bars) - 1) / 2) * width
    reach = None if series.band is None else np.abs(np.asarray(series.band) - series.y)
    axes.bar(
        at + offset,
        series.y,
        width,
        yerr=reach,
        label=series.label,
        color=COLOURS[position % len(COLOURS)],
        error_kw={"elinewidth": 0.8, "capsize": 2.0},
    )
    if words:
        axes.set_xticks(at, [str(x) for x in series.x])
