"""Where the parts meet: one call from a running query to a controller at work."""

import atexit
import math
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from albic.control import Controller, JsonLinesJournal, MemoryJournal, Pace, Parts, Settings
from albic.control.clock import WallClock
from albic.control.ports import Journal, Planner
from albic.model import InvalidInput, Objective, Topology
from albic.planners import find_planner
from albic.scaling import FixedSize
from albic.spark.attaching import Query, bridge_of_process, journal_path, queries_of, runtime_of
from albic.spark.elasticity import FixedExecutors
from albic.spark.session import LocalCluster, local_cluster

__all__ = ["LocalCluster", "attach", "local_cluster"]

AUTO = "auto"
#: Part of a period's moves that goes into one batch. All at once would make that batch late.
SHARE_PER_BATCH = 0.5

#: The controllers of this process by the runs they steer: two on one run would undo each other.
_steering: dict[str, Controller] = {}
_attaching = threading.Lock()


def attach(  # noqa: PLR0913  each has a default, and all but the first are named
    queries: Any,  # noqa: ANN401  what is no query is refused with a sentence
    *,
    planner: str | Planner = AUTO,
    period: str | float | Pace = "20s",
    max_migrations: int = 8,
    objective: str = AUTO,
    dry_run: bool = False,
    journal: str | Path | Journal | None = None,
    seed: int = 0,
) -> Controller:
    """Measure and balance running queries until they end or the controller is stopped.

    Parameters
    ----------
    queries
        What ``writeStream.start()`` returned, or ``Network.start()`` of ``albic.streams``; or a
        list of such.
    planner
        A name, of ours or of an installed package's, or any object that plans.
    period
        How often to plan: "20s", "500ms", "2m", "5 batches", or seconds.
    max_migrations
        The most key groups that may move in a period.
    objective
        "makespan" for what a batch waits for, "distance" for the paper's load distance. "auto" is
        makespan for one query, whose stages run one after the other, and distance for several,
        whose stages run side by side.
    dry_run
        Measure and propose, and touch nothing.
    journal
        A file for the records of all rounds; without it, one in the checkpoint of the first query,
        or none where that is out of reach.
    """
    running, named = queries_of(queries)
    settings = Settings(
        pace=Pace.of(period),
        max_migrations=max_migrations,
        objective=_objective(objective, len(running)),
        seed=seed,
        dry_run=dry_run,
    )
    chosen = find_planner(planner)
    with _attaching:
        _expect_free(running)
        controller = Controller(_parts(running, named, chosen, settings, journal), settings)
        _steering.update((str(query.runId), controller) for query in running)
        # Before Spark goes, which registered earlier and so ends later.
        atexit.register(controller.stop)
        controller.start()
    return controller


def _parts(
    queries: Sequence[Query],
    named: Mapping[str, Topology],
    planner: Planner,
    settings: Settings,
    journal: str | Path | Journal | None,
) -> Parts:
    """Return what a controller of ``queries`` is put together from."""
    per_batch = max(math.ceil(settings.max_migrations * SHARE_PER_BATCH), 1)
    bridge = bridge_of_process()
    runtime = runtime_of(bridge, queries, named, per_batch=per_batch, steers=not settings.dry_run)
    return Parts(
        statistics=runtime,
        placement=runtime,
        elasticity=FixedExecutors(),
        planner=planner,
        scaling=FixedSize(),
        clock=WallClock(),
        journal=_journal(journal, journal_path(bridge, queries[0])),
    )


def _expect_free(queries: Sequence[Query]) -> None:
    """Refuse queries that a controller is at work on already."""
    for run_id in [run_id for run_id, held in _steering.items() if not held.running]:
        del _steering[run_id]
    for query in queries:
        if str(query.runId) in _steering:
            raise InvalidInput(
                f"query {query.name or query.id} already has a controller, and two would undo "
                f"each other's moves; call stop() on the one that attach returned first"
            )


def _objective(asked: str, queries: int) -> Objective:
    """Return the objective that was asked for."""
    if asked == AUTO:
        return Objective.MAKESPAN if queries == 1 else Objective.DISTANCE
    if asked not in {each.value for each in Objective}:
        known = ", ".join([AUTO, *Objective])
        raise InvalidInput(f"there is no objective {asked!r}; known are {known}")
    return Objective(asked)


def _journal(asked: str | Path | Journal | None, beside: Path | None) -> Journal:
    """Return the journal that was asked for, or one in the checkpoint."""
    if asked is None:
        return MemoryJournal() if beside is None else JsonLinesJournal(beside)
    return JsonLinesJournal(Path(asked)) if isinstance(asked, str | Path) else asked
