"""The demonstration: a Spark job with drifting hot keys, first without albic and then with it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from albic.cli.shared.batch_table import Watcher, doing, watching
from albic.cli.shared.folders import make_folder
from albic.cli.shared.screen import percent_text, screen
from albic.control import JsonLinesJournal, RoundRecord
from albic.control.batches import BatchRecord
from albic.figures.plots import save
from albic.jobs.drifting import Drift, drifting
from albic.jobs.observed_run import batches, started
from albic.model.files import blaming, save_text
from albic.nodes.isolation import NOT_ISOLATED, Isolation
from albic.reports import RunRecords, comparison_page, faster, headline, picture
from albic.spark.java import require_java
from albic.wiring import LocalCluster, attach, local_cluster

NODES = 4
PHASES = 3
#: Small enough for two cores: the cost of an event is a wait.
JOB = Drift(key_groups=16, events=640, wait_ms=10, skew=0.75, first_phase=4, phase=9)
#: Batches that start Python, compile Java and fill caches, before anything is shown.
REHEARSAL = 3
PLAIN, ALBIC = "plain Spark", "albic"
JOURNAL = "journal.jsonl"
#: Where the live page is while albic is at work.
PAGE = "127.0.0.1:8777"
COLUMNS = ("batch", "batch time", "load distance", "moves", "compliance")


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the user asked for: where the report and the picture go, and how many batches run."""

    report: Path
    picture: Path | None = None
    isolation: Isolation = NOT_ISOLATED
    batches: int = JOB.first_phase + PHASES * JOB.phase
    serve: bool = False


def run(wishes: Wishes) -> None:
    """Run the job twice, show it as it goes, and write the report."""
    # Before the four minutes, and not after them.
    for path in (wishes.report, wishes.picture):
        if path is not None:
            make_folder(path.parent)
    wishes.isolation.checked(NODES)
    require_java()
    console = screen()
    console.print(
        f"A job with {JOB.key_groups} key groups on {NODES} executors; every {JOB.phase} batches "
        f"other keys are hot."
    )
    with doing(console, f"starting {NODES} executors on this machine …"):
        cluster = local_cluster(NODES, settings=_settings(), **wishes.isolation.arguments)
    with cluster:
        # It goes with the cluster, even if we are killed.
        folder = cluster.storage
        with doing(console, f"warming up, {REHEARSAL} batches …"):
            for _ in _batches(cluster, folder / "rehearsal", REHEARSAL):
                pass
        plain = _run(console, cluster, folder / "plain", PLAIN, wishes)
        steered = _run(console, cluster, folder / "albic", ALBIC, wishes)
    _conclude(console, plain, steered, wishes)


def _run(
    console: Console, cluster: LocalCluster, folder: Path, name: str, wishes: Wishes
) -> RunRecords:
    """Run the job once, with a controller if it is albic's turn; return what was recorded."""
    count, page = wishes.batches, PAGE if wishes.serve else None
    seen: list[BatchRecord] = []
    rounds: Sequence[RoundRecord] = ()
    with watching(console, _title(name), COLUMNS) as watcher:
        for record in _batches(cluster, folder, count, steered=name == ALBIC, page=page):
            seen.append(record)
            rounds = JsonLinesJournal(folder / JOURNAL).records()
            _show(watcher, record, rounds)
    rounds = JsonLinesJournal(folder / JOURNAL).records()
    changes = tuple(at for at in range(count) if JOB.change_at(at))
    warm_up = min(JOB.first_phase, count - 1)
    return RunRecords(name, NODES, tuple(seen), tuple(rounds), changes, warm_up)


def _batches(
    cluster: LocalCluster,
    folder: Path,
    count: int,
    *,
    steered: bool = False,
    page: str | None = None,
) -> Iterator[BatchRecord]:
    """Yield the batches of one run; the query and its controller end with it."""
    folder.mkdir()
    query = started(drifting(cluster.spark, JOB), folder / "checkpoint")
    controller = None
    try:
        for record in batches(query, count):
            if steered and controller is None:
                # The one line that a job needs.
                controller = attach(query, journal=folder / JOURNAL, serve=page)
            yield record
        if controller is not None:
            controller.stop()
    finally:
        query.stop()


def _show(watcher: Watcher, record: BatchRecord, rounds: Sequence[RoundRecord]) -> None:
    """Add one batch to what is on the screen."""
    judged = sum(each.judged for each in rounds)
    compliant = sum(each.compliant for each in rounds)
    cells = (
        str(record.batch),
        f"{record.batch_s:.2f} s",
        f"{record.distance_pct(NODES):.1f}",
        str(record.moved),
        percent_text(compliant / judged) if judged else "",
    )
    watcher.add(cells, record.batch_s, "hot keys change" if JOB.change_at(record.batch) else "")


def _conclude(console: Console, plain: RunRecords, steered: RunRecords, wishes: Wishes) -> None:
    """Say what came out, and write it down."""
    console.print(headline(plain, steered), soft_wrap=True)
    console.print(
        f"{ALBIC} / {PLAIN} = {faster(plain, steered):.2f} over {len(plain.counted)} batches"
    )
    page = comparison_page(plain, steered, _about(wishes.isolation))
    wishes.report.parent.mkdir(parents=True, exist_ok=True)
    with blaming(wishes.report):
        save_text(wishes.report, page.html())
    if wishes.picture is not None:
        with blaming(wishes.picture):
            save(picture(plain, steered), wishes.picture.with_suffix(""))
        console.print(f"picture: {wishes.picture.with_suffix('')}.svg and .png")
    console.print(f"report: {wishes.report.resolve()}", soft_wrap=True)


def _about(isolation: Isolation) -> str:
    """Return what was run, in a paragraph."""
    return (
        f"A Structured Streaming query on {NODES} executors with one slot each, on "
        f"{isolation.described()}: {JOB.events} "
        f"events a batch, counted per key in {JOB.key_groups} state partitions (key groups). An "
        f"event costs a wait of {JOB.wait_ms} ms, as a call to a slow service would, so that two "
        f"cores can stand for four nodes. The events of the key groups follow Zipf's law "
        f"(exponent {JOB.skew}); every {JOB.phase} batches other groups are hot. The first "
        f"{JOB.first_phase} batches are warm-up and do not count. The only difference between the "
        f"runs is one line: albic.attach(query)."
    )


def _title(name: str) -> str:
    return f"with {name}" if name == ALBIC else name


def _settings() -> dict[str, str]:
    return {"spark.sql.shuffle.partitions": str(JOB.key_groups)}
