"""What the runs of a job came to: a table on the screen, a report, and a document for machines."""

from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console

from albic.cli.run_wishes import NONE, POTC, Wishes
from albic.cli.screen import titled
from albic.dashboard import RunRecords, courses
from albic.dashboard.courses import Course, operator_work, summary
from albic.dashboard.planners_page import (
    About,
    cells,
    collocation_charts,
    headline,
    load_charts,
    planners_page,
)
from albic.figures.plots import save
from albic.model.files import blaming, document_text, save_bytes, save_text

FORMAT = "albic-run/1"
PLAIN = "plain Spark"
REPORT, RESULT = "report.html", "result.json"


@dataclass(frozen=True, slots=True)
class Run:
    """One run: who planned, what was recorded, and the journal as it was written."""

    planner: str
    records: RunRecords
    journal: bytes


@dataclass(frozen=True, slots=True)
class Found:
    """All runs of a job; ``right`` and ``told`` are what comparing their results showed."""

    title: str
    wishes: Wishes
    runs: tuple[Run, ...]
    right: bool
    told: str


def label(planner: str) -> str:
    """Return what people call a run."""
    return {NONE: PLAIN, POTC: "PoTC"}.get(planner, planner)


def show(console: Console, found: Found, report: Path) -> None:
    """Print all runs as a table; the path of the report comes last."""
    rows = [cells(summary(run.records)) for run in found.runs]
    first, *others = rows[0]
    table = titled(found.title, left=(first,), right=others)
    for row in rows:
        table.add_row(*row.values())
    console.print(table)
    console.print(found.told, soft_wrap=True)
    console.print(f"report: {report.resolve()}", soft_wrap=True)


def written(found: Found) -> Path:
    """Write report, document and journals, and return the path of the report."""
    out = found.wishes.out
    records = [run.records for run in found.runs]
    page = planners_page(records, _about(found))
    for name, content in {
        **{f"{run.planner}.jsonl": run.journal for run in found.runs},
        RESULT: json_text(found).encode(),
    }.items():
        with blaming(out / name):
            save_bytes(out / name, content)
    if found.wishes.picture is not None:
        with blaming(found.wishes.picture):
            save((*collocation_charts(records), *load_charts(records)), found.wishes.picture)
    with blaming(out / REPORT):
        save_text(out / REPORT, page.html())
    return out / REPORT


def json_text(found: Found) -> str:
    """Return all runs as a JSON document."""
    wishes = found.wishes
    asked = {name: _plain(value) for name, value in asdict(wishes).items()}
    records = [run.records for run in found.runs]
    return document_text(
        {
            "format": FORMAT,
            "title": found.title,
            "asked": asked,
            "headline": headline([summary(run) for run in records]),
            "results_are_right": found.right,
            "results": found.told,
            "report": str((wishes.out / REPORT).resolve()),
            "runs": [
                {
                    "planner": run.planner,
                    **asdict(summary(run.records)),
                    "operator_work_us_per_row": operator_work(run.records),
                    **_courses(run.records),
                }
                for run in found.runs
            ],
        }
    )


def _courses(run: RunRecords) -> dict[str, list[list[float]]]:
    """Return what charts show, as pairs of batch and value; names carry the unit."""
    found: dict[str, Course] = {
        "collocation_planned_pct": courses.planned(run),
        "collocation_measured_pct": courses.measured(run),
        "load_distance_pct": courses.distance(run),
        "load_index_pct": courses.load_index(run),
        "moves_per_batch": courses.moved(run),
        "batch_s": courses.batch_times(run),
        "rows_per_batch": [(record.batch, record.rows) for record in run.counted],
    }
    return {name: [list(point) for point in course] for name, course in found.items()}


def _about(found: Found) -> About:
    """Return what was run, for the report."""
    wishes = found.wishes
    source = "the default data" if wishes.data is None else str(wishes.data)
    text = (
        f"{found.title} Data: {source}. One Structured Streaming query on {wishes.nodes} executors "
        f"of this machine with one slot each; {wishes.key_groups} key groups an operator. Each "
        f"run has the same rows in the same batches and begins with the same owners of state. "
        f"Planned every {wishes.period}, with at most {wishes.max_migrations} moves; COLA has no "
        f"such limit. Plain Spark is measured by a controller that touches nothing. {found.told}"
    )
    command = f"albic run {wishes.job} " + " ".join(f"--planner {name}" for name in wishes.planners)
    return About(f"{wishes.job}: {found.title}", text, command)


def _plain(value: object) -> object:
    return str(value) if isinstance(value, Path) else value
