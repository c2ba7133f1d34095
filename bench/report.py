"""Results for people and machines: tables, Markdown, JSON."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from albic.cli.shared.screen import count_text, titled
from albic.experiments.manifest import Beginning, commit, versions
from albic.model import InvalidInput
from bench.goals import Goal, Result, Row, amount

FORMAT = "albic-bench/1"
#: The bench writes between these lines of the page, and nowhere else.
BEGIN, END = "<!-- written by make bench -->", "<!-- until here -->"


def report(
    results: Mapping[str, Result],
    options: Mapping[str, object],
    seconds: float,
    begun: Beginning,
) -> dict[str, Any]:
    """Return everything there is to keep about a run."""
    goals = [goal for result in results.values() for goal in result.goals]
    return {
        "format": FORMAT,
        **asdict(begun),
        "seconds": seconds,
        "commit": commit("bench/*.py"),
        "options": dict(options),
        "versions": versions(),
        "missed": sum(not goal.holds for goal in goals),
        "sections": {
            name: {
                "seconds": result.seconds,
                "goals": [asdict(goal) | {"holds": goal.holds} for goal in result.goals],
                "summary": list(result.summary),
                "rows": list(result.rows),
                **({} if result.commit is None else {"commit": result.commit}),
            }
            for name, result in results.items()
        },
    }


def save(report: Mapping[str, Any], path: Path) -> None:
    """Write the report; NaN would be no JSON, and no goal can be missed silently by it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(_plain(report), indent=1, allow_nan=False) + "\n", encoding="utf-8")


def kept(path: Path) -> dict[str, Result]:
    """Return the sections that an earlier run left in ``path``; none where there is no file."""
    if not path.exists():
        return {}
    told = json.loads(path.read_text(encoding="utf-8"))
    if told.get("format") != FORMAT:
        raise InvalidInput(f"{str(path)!r} is no result of {FORMAT}; name another file")
    return {name: _section(section) for name, section in told["sections"].items()}


def _section(told: Mapping[str, Any]) -> Result:
    """Return a section as it was before it was written; what was no number is none again."""
    goals = []
    for goal in told["goals"]:
        fields = {name: value for name, value in goal.items() if name != "holds"}
        measured = float("nan") if goal["measured"] is None else goal["measured"]
        goals.append(Goal(**{**fields, "measured": measured}))
    return Result(
        tuple(goals),
        tuple(told["rows"]),
        tuple(told["summary"]),
        told["seconds"],
        told.get("commit"),
    )


def conclude(
    console: Console,
    results: Mapping[str, Result],
    made: Mapping[str, Any],
    path: Path,
    written: Path | None,
    more: str = "",
) -> bool:
    """Keep a run in ``path``, write its page if it has one, and return whether all goals hold.

    ``more`` is text for the page that follows the tables.
    """
    save(made, path)
    if written is not None:
        text = written.read_text(encoding="utf-8")
        written.write_text(page(text, results, made, more), encoding="utf-8")
    missed = made["missed"]
    verdict = f"{count_text(missed, 'goal')} missed" if missed else "all goals hold"
    console.print(f"{verdict}; every measurement is in {path}")
    return not missed


def show(console: Console, name: str, result: Result) -> None:
    """Print a section: what was measured, then goal by goal."""
    columns = list(result.summary[0])
    words = [key for key in columns if isinstance(result.summary[0][key], str)]
    numbers = [key for key in columns if key not in words]
    table = titled(f"{name}, {result.seconds:.0f} s", left=words, right=numbers)
    for row in result.summary:
        table.add_row(*(cell(row[key]) for key in words + numbers))
    console.print(table)
    if not result.goals:
        return
    goals = titled(f"goals of {name}", left=("goal", "wanted", "measured", "holds"))
    for goal in result.goals:
        verdict = Text("yes", style="green") if goal.holds else Text("NO", style="bold red")
        goals.add_row(goal.what, goal.wanted_text, goal.measured_text, verdict)
    console.print(goals)


def page(
    text: str, results: Mapping[str, Result], report: Mapping[str, Any], more: str = ""
) -> str:
    """Return the page with its generated part replaced."""
    before, found, rest = text.partition(BEGIN)
    _, closed, after = rest.partition(END)
    if not (found and closed):
        raise ValueError(f"the page has no lines {BEGIN!r} and {END!r} to write between")
    return f"{before}{BEGIN}\n\n{generated(results, report)}{more}\n{END}{after}"


def generated(results: Mapping[str, Result], report: Mapping[str, Any]) -> str:
    """Return all tables as Markdown."""
    made, versions = report["machine"], report["versions"]
    goals = [(name, goal) for name, result in results.items() for goal in result.goals]
    held = sum(goal.holds for _, goal in goals)
    lines = [
        f"{held} of {len(goals)} goals hold. Commit {report['commit']}, {report['when']}, "
        f"{report['seconds'] / 60:.0f} minutes on {made['cores']} cores ({made['processor']}) "
        f"with a load of {made['load_before']} before, "
        + ", ".join(f"{name} {number}" for name, number in versions.items())
        + ".",
        "",
        *markdown([_goal_row(name, goal) for name, goal in goals]),
    ]
    for name, result in results.items():
        lines += ["", f"### {name}", "", *markdown(result.summary)]
        if result.commit and result.commit != report["commit"]:
            lines += ["", f"Measured at commit {result.commit}."]
    return "\n".join(lines) + "\n"


def cell(value: str | float | None) -> str:
    """Return a value as people read it."""
    if value is None:
        return ""
    return value if isinstance(value, str) else amount(value)


def _goal_row(section: str, goal: Goal) -> Row:
    """Return a goal as a line of the page."""
    return {
        "section": section,
        "goal": goal.what,
        "wanted": goal.wanted_text,
        "measured": goal.measured_text,
        "holds": "yes" if goal.holds else "**no**",
    }


def markdown(rows: Sequence[Row]) -> list[str]:
    """Return a table."""
    columns = list(rows[0])
    lines = [columns, ["---"] * len(columns)]
    lines += [[cell(row[key]) for key in columns] for row in rows]
    return [f"| {' | '.join(line)} |" for line in lines]


def _plain(value: Any) -> Any:  # noqa: ANN401 - JSON is anything
    """Return the value with None for what is not a number."""
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return None if isinstance(value, float) and math.isnan(value) else value
