"""What the page on isolated nodes says beyond tables of scenes: a picture, and conclusions."""

import statistics
from collections.abc import Mapping, Sequence

from albic.figures.chart import Chart, Series
from bench.goals import Goal, Result, Row, column, number
from bench.node_scenes import Act
from bench.report import markdown
from bench.scenes import ALBIC, IMPATIENT, PLAIN

#: A wait of 0 s that is less than so much slower is as good: runs of one way differ by as much.
AS_GOOD = 1.02
#: The scene of the README's picture.
PICTURED = "drift"


def ways(result: Result) -> dict[str, Row]:
    """Return the lines of a scene by way."""
    return {str(row["way"]): row for row in result.summary}


def conclusions(results: Mapping[str, Result], acts: Mapping[str, Act]) -> str:
    """Return what follows the tables: what is missing yet, and what the scenes tell."""
    told = {name: result for name, result in results.items() if name in acts}
    missing = [f"`{name}`" for name in acts if name not in told]
    lines = ["", f"Not measured yet: {', '.join(missing)}."] if missing else []
    return "\n".join([*lines, "", *_patience(told, acts), "", *_composition(told)]) + "\n"


def _patience(results: Mapping[str, Result], acts: Mapping[str, Act]) -> list[str]:
    """Return where a wait of 0 s is as good as albic, and where it is not."""
    lines = ["## When a wait of 0 s is all you need", ""]
    both = {name: found for name, result in results.items() if _comparable(found := ways(result))}
    rows = {name: _against_none(name, acts[name], found) for name, found in both.items()}
    enough = [row for row in rows.values() if number(row, "albic / wait 0 s") >= 1 / AS_GOOD]
    rest = [row for row in rows.values() if row not in enough]
    if enough:
        lines += [
            "`spark.locality.wait=0s` needs nothing but a setting. Here it is as good as albic, or "
            "better:",
            "",
            *markdown(enough),
        ]
    else:
        lines += ["In none of these scenes: albic is faster in every one."]
    if rest:
        lines += ["", "Here it is not enough:", "", *markdown(rest)]
    return lines


def _comparable(found: Mapping[str, Row]) -> bool:
    return all(way in found for way in (PLAIN, IMPATIENT, ALBIC))


def _against_none(name: str, act: Act, found: Mapping[str, Row]) -> Row:
    """Return a scene as a line: albic beside a wait of 0 s."""
    ours, theirs = found[ALBIC], found[IMPATIENT]
    return {
        "scene": name,
        "what happens": act.about,
        "plain, wait 3 s": number(found[PLAIN], "batch s"),
        "plain, wait 0 s": number(theirs, "batch s"),
        "albic": number(ours, "batch s"),
        "albic / wait 0 s": number(ours, "batch s") / number(theirs, "batch s"),
        "p95, wait 0 s": number(theirs, "p95 s"),
        "p95, albic": number(ours, "p95 s"),
    }


def _composition(results: Mapping[str, Result]) -> list[str]:
    """Return what a batch of albic consists of, and which goals were missed."""
    missed = [(name, goal) for name, result in results.items() for goal in _missed(result)]
    lines = ["## What a batch consists of", ""]
    rows = [_parts(name, ways(result)[ALBIC]) for name, result in results.items() if _ran(result)]
    if rows:
        lines += [
            "Seconds of a batch of albic, medians; what no placement changes is the bound, what is "
            "between tasks and what is outside of stages.",
            "",
            *markdown(rows),
        ]
    if missed:
        lines += ["", "Not reached:", ""]
        lines += [
            f"- {name}: {goal.what} is {goal.measured_text}, wanted {goal.wanted_text}."
            for name, goal in missed
        ]
    return lines


def _missed(result: Result) -> list[Goal]:
    return [goal for goal in result.goals if not goal.holds]


def _ran(result: Result) -> bool:
    return ALBIC in ways(result)


def _parts(name: str, ours: Row) -> Row:
    """Return the parts of a batch."""
    bound, busiest = number(ours, "bound s"), number(ours, "busiest s")
    return {
        "scene": name,
        "batch": number(ours, "batch s"),
        "bound": bound,
        "busiest node beyond the bound": busiest - bound,
        "between tasks": number(ours, "stages s") - busiest,
        "outside of stages": number(ours, "outside s"),
        "key groups loaded": ours["loaded"],
        "s a load": ours["s a load"],
    }


def pictured(result: Result, act: Act) -> Chart:
    """Return batch times over a run, a line a way; the band is from the faster to the slower."""
    found, load = list(ways(result)), act.scene.load
    batches = sorted({int(each) for each in column(result.rows, "batch")})
    batches = [batch for batch in batches if batch >= act.scene.opening]
    return Chart(
        f"Batch time: {act.scene.name}",
        "batch",
        "seconds",
        tuple(_line(way, result.rows, batches) for way in found),
        marks=tuple((batch, "hot keys change") for batch in batches if load.change_at(batch)),
    )


def _line(way: str, rows: Sequence[Row], batches: Sequence[int]) -> Series:
    """Return the runs of one way: their middle, and how far they are apart."""
    took = [
        column([row for row in rows if row["way"] == way and row["batch"] == batch], "batch_s")
        for batch in batches
    ]
    shown = [(batch, times) for batch, times in zip(batches, took, strict=True) if times]
    return Series(
        way,
        [batch for batch, _ in shown],
        [statistics.fmean(times) for _, times in shown],
        band=([min(times) for _, times in shown], [max(times) for _, times in shown]),
    )
