"""What ``albic run`` does: a job on an embedded cluster, once with each planner."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from albic.cli.run import results
from albic.cli.run.agreement import agreement, job_of
from albic.cli.run.nodes import told
from albic.cli.run.results import Found, Run, folder_name, label
from albic.cli.run.wishes import CHAINS, FEWEST, NONE, PLANNERS, Wishes
from albic.cli.shared.batch_table import Watcher, doing, watching
from albic.cli.shared.screen import count_text, percent_text, screen
from albic.control import Controller, JsonLinesJournal, RoundRecord, Settings
from albic.control.adaptation import rehearsal
from albic.control.batches import BatchRecord
from albic.jobs.observed_run import batches
from albic.jobs.real import REAL_JOBS
from albic.model import AlbicError, Interrupted, InvalidInput, JobEnded
from albic.planners import find_planner
from albic.reports import RunRecords
from albic.reports.batch_parts import stage_names
from albic.reports.batch_series import decided_share, key_group_names, without_remnant
from albic.reports.repeats import turns
from albic.spark.java import require_java
from albic.spark.starting_places import Dealer
from albic.streams import Network
from albic.streams.running_network import RunningNetwork
from albic.wiring import LocalCluster, attach, local_cluster

#: Batches that start Python, compile Java and fill caches, before anything is shown.
REHEARSAL = 6
#: Rows in a batch that shows what a batch costs anyway, and how many such batches there are.
NEXT_TO_NONE, EMPTY = 64, 8
#: Batches of a run that do not count, at the least: in the first, state lies where Spark put it; in
#: the next ones it comes to where every run begins. And at the most, should Spark not follow.
WARM_UP, LONGEST_WARM_UP = 3, 8
__all__ = ["CHAINS", "PLANNERS", "Wishes", "run"]

JOURNAL = "journal.jsonl"
COLUMNS = (
    *("batch", "rows/s", "batch time", "load distance"),
    *("planned local", "measured local", "moves"),
)


@dataclass(frozen=True, slots=True)
class Stage:
    """All that the runs of a job share."""

    console: Console
    cluster: LocalCluster
    wishes: Wishes
    folder: Path


def run(wishes: Wishes, *, as_json: bool) -> None:
    """Run the job with each planner in turn, show it as it goes, and write the report."""
    wishes.check(REAL_JOBS, LONGEST_WARM_UP)
    require_java()
    console = screen(aside=as_json)
    try:
        with doing(console, "putting the data in order, once …"):
            wishes = wishes.settled(job_of(wishes, NONE))
            job_of(wishes, NONE).prepare(wishes.inputs(Path()))
        console.print(_announcement(wishes), soft_wrap=True)
        found = _all_runs(console, wishes)
    except KeyboardInterrupt:
        raise Interrupted("stopped; nothing was written") from None
    report = results.written(found)
    if as_json:
        sys.stdout.write(results.json_text(found))
    results.show(console, found, report)
    if not found.right:
        raise AlbicError(found.told)


def _all_runs(console: Console, wishes: Wishes) -> Found:
    """Return what all runs came to, one after the other on one cluster."""
    with doing(console, "getting the planners ready …"):
        for name in wishes.planners:
            if (planner := wishes.variant(name)[1]) != NONE:
                find_planner(planner).plan(rehearsal(Settings()))
    with doing(console, f"starting {count_text(wishes.nodes, 'executor')} on this machine …"):
        cluster = local_cluster(wishes.nodes, **wishes.isolation.arguments)
    with cluster:
        # What is in the cluster's folder goes with it, even if we are killed.
        stage = Stage(console, cluster, wishes, cluster.storage)
        with doing(console, f"warming up, {REHEARSAL} batches …"):
            _unseen(stage, "rehearsal", replace(wishes, batches=REHEARSAL))
        with doing(console, f"finding what a batch costs anyway, {EMPTY} batches …"):
            few = replace(wishes, batches=EMPTY, rows=NEXT_TO_NONE)
            names = {(wishes.variant(name)[0], wishes.chain(name)): name for name in wishes.names()}
            empty = {
                kind: tuple(_unseen(stage, "-".join(("empty", *kind)), few, name)[WARM_UP:])
                for kind, name in names.items()
            }
        order = turns(wishes.names(), wishes.repeats)
        runs = tuple(_run(stage, at, len(order), *each) for at, each in enumerate(order, start=1))
        with doing(console, "working out the results in SQL …"):
            right, words = agreement(wishes, cluster, stage.folder)
        return Found(job_of(wishes, NONE).title, wishes, runs, empty, right, words)


def _unseen(stage: Stage, folder: str, wishes: Wishes, name: str = NONE) -> list[BatchRecord]:
    """Return the batches of a run that nobody sees and nobody steers."""
    inputs = wishes.inputs(stage.folder / folder)
    network = job_of(wishes, name).network(stage.cluster.spark, inputs)
    return [record for record, _ in _batches(stage, name, network, inputs.folder, seen=False)]


def _run(stage: Stage, number: int, of: int, name: str, turn: int) -> Run:
    """Run the job once; return what was recorded."""
    wishes, seen, warm_up = stage.wishes, [], 0
    inputs = wishes.inputs(stage.folder / folder_name(name, turn))
    network = job_of(wishes, name).network(stage.cluster.spark, inputs)
    journal = JsonLinesJournal(inputs.folder / JOURNAL)
    title = f"{wishes.job} with {label(name)}, run {number} of {of}"
    with watching(stage.console, title, COLUMNS) as watcher:
        for record, counts in _batches(stage, name, network, inputs.folder, seen=True):
            seen.append(record)
            warm_up += not counts
            _show(watcher, record, journal.records(), wishes.nodes, counts=counts)
    if len(seen) < warm_up + FEWEST:
        raise InvalidInput(
            f"the data made {len(seen)} batches, which is too few to tell anything; "
            f"give more data, or fewer --rows a batch"
        )
    kept = without_remnant(seen)
    # A round that saw the rest of the data says nothing either.
    rounds = (r for r in journal.records() if kept[-1] is seen[-1] or r.at_s < seen[-1].ended_s)
    topology = network.topology(wishes.chain(name))
    records = RunRecords(
        label(name),
        wishes.nodes,
        kept,
        tuple(rounds),
        warm_up=seen[warm_up].batch,
        operators=key_group_names(topology),
        stages=stage_names(topology),
    )
    content = journal.path.read_bytes() if journal.path.exists() else b""
    return Run(name, turn, records, content)


def _batches(
    stage: Stage, name: str, network: Network, folder: Path, *, seen: bool
) -> Iterator[tuple[BatchRecord, bool]]:
    """Yield the batches of one run until its data end, and whether each counts.

    Batches count from the one after the controller was attached on; query and controller end with
    the run. If nobody sees it, nobody is attached.
    """
    shift = 1 if job_of(stage.wishes, name).worst_start else 0
    running = network.start(
        stage.cluster.storage / folder.name, all_there_is=True, chain=stage.wishes.chain(name)
    )
    controller = dealer = None
    try:
        for record in batches(running.query):
            yield replace(record, rows=_rows(running, network, record.batch)), bool(controller)
            dealer = dealer or Dealer(running.query, shift=shift)
            if controller is not None or not running.query.isActive:
                continue
            ready = dealer.settled(record.node) and record.batch >= WARM_UP - 1
            if seen and (ready or record.batch >= LONGEST_WARM_UP - 1):
                controller = _steered(stage, running, name, folder / JOURNAL)
    except JobEnded:
        if running.query.exception() is not None or dealer is None:
            raise
    finally:
        if controller is not None:
            controller.stop()
        running.stop()


def _rows(running: RunningNetwork, network: Network, batch: int) -> int:
    """Return how many rows came from the sources; Spark counts the blocks they are packed in."""
    sources = {source.name for source in network.sources}
    first = {each.name for each in network.operators if sources & set(each.input_names())}
    groups = [
        group for each in running.batches() if each.batch_id == batch for group in each.groups
    ]
    return sum(group.rows_in for group in groups if group.operator in first)


def _steered(stage: Stage, running: RunningNetwork, name: str, journal: Path) -> Controller:
    """Return a controller at work; without a planner it measures only, and touches nothing."""
    wishes, planner = stage.wishes, stage.wishes.variant(name)[1]
    return attach(
        running,
        planner="hold" if planner == NONE else planner,
        dry_run=planner == NONE,
        period=wishes.period,
        max_migrations=wishes.budget(planner, running.topology.key_groups),
        objective=wishes.objective,
        cluster=stage.cluster,
        journal=journal,
        # All of it goes into the results.
        journal_max_bytes=0,
        seed=wishes.seed,
    )


def _show(
    watcher: Watcher,
    record: BatchRecord,
    rounds: Sequence[RoundRecord],
    nodes: int,
    *,
    counts: bool,
) -> None:
    """Add one batch to what is on the screen."""
    shares = [share for each in rounds if (share := decided_share(each)) is not None]
    cells = (
        str(record.batch),
        f"{record.rows / record.batch_s:,.0f}",
        f"{record.batch_s:.2f} s",
        f"{record.distance_pct(nodes):.1f}",
        percent_text(shares[-1]) if shares else "",
        "" if record.collocation is None else percent_text(record.collocation),
        str(record.moved),
    )
    watcher.add(cells, record.batch_s, "" if counts else "warm-up")


def _announcement(wishes: Wishes) -> str:
    """Return what is about to happen, in a sentence."""
    names = ", ".join(label(name) for name in wishes.names())
    return (
        f"{job_of(wishes, NONE).title} {wishes.key_groups} key groups an operator; "
        f"{told(wishes.nodes, wishes.isolation)}. {wishes.batches} batches of {wishes.rows:,} "
        f"rows with each of {names}, {count_text(wishes.repeats, 'time')} in turn."
    )
