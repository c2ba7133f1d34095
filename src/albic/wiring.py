"""Where the parts meet: one call from a running query to a controller at work."""

import atexit
import math
import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from albic.config import Chosen, choices
from albic.config.applying import limits_of, loop_settings, named_limits, value_of
from albic.config.table import FIXED
from albic.control import Controller, JsonLinesJournal, MemoryJournal, Pace, Parts
from albic.control.clock import WallClock
from albic.control.planner_choice import ChosenPlanner
from albic.control.ports import Journal, Planner, ScalingPolicy
from albic.extras import lacking
from albic.model import InvalidInput
from albic.planners import find_planner, planner_names
from albic.scaling import POLICIES, FixedSize, IntegratedScaling, Limits
from albic.spark.attaching import Query, bridge_of_process, journal_path, queries_of, runtime_of
from albic.spark.providers import elasticity_of
from albic.spark.query_copies import CopyRules
from albic.spark.session import LocalCluster, local_cluster
from albic.spark.standby import STANDBY_BYTES
from albic.spark.surroundings import noted_settings

if TYPE_CHECKING:
    from albic.serve import Serving

__all__ = ["LocalCluster", "attach", "local_cluster"]

#: Part of a period's moves that goes into one batch. All at once would make that batch late.
SHARE_PER_BATCH = 0.5

#: Few key groups are soon thought through, and a planner thinks beside the job on the driver.
TIME_PER_KEY_GROUP_S = 0.003
#: Where executors can be added, batches this close to their trigger interval call for a round; the
#: ratio at which Spark's own scaling of DStreams adds some.
URGENT_PACE = 0.9
#: Records that are kept where there is no file for them.
MOST_IN_MEMORY = 1_000

#: The controllers of this process by the runs they steer: two on one run would undo each other.
_steering: dict[str, Controller] = {}
_attaching = threading.Lock()


def attach(  # noqa: PLR0913  each has a default, and all but the first are named
    queries: Any,  # noqa: ANN401  what is no query is refused with a sentence
    *,
    planner: str | Planner | None = None,
    period: str | float | Pace | None = None,
    max_migrations: int | None = None,
    objective: str | None = None,
    scaling: str | ScalingPolicy | None = None,
    limits: Limits | None = None,
    cluster: LocalCluster | None = None,
    dry_run: bool | None = None,
    approve: bool | None = None,
    warm: bool | None = None,
    standby: str | int | None = None,
    journal: str | Path | Journal | None = None,
    serve: "str | Serving | None" = None,
    seed: int | None = None,
    config: str | Path | None = None,
    **more: object,
) -> Controller:
    """Measure and balance running queries until they end or the controller is stopped.

    What is not given comes from the environment, a file or the defaults; ``docs/settings.md`` has
    all settings, and ``albic config show`` tells what each of them is.

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
    scaling
        "fixed" keeps the executors there are; a name out of ``albic.scaling.POLICIES`` adds and
        drains some, within ``limits``; any object that decides does as well.
    limits
        How far and how fast the number of executors may change.
    cluster
        Where executors are started, if not by Spark's cluster manager: an embedded cluster.
    dry_run
        Measure and propose, and touch nothing.
    approve
        Let every plan wait for a person: ``controller.accept()``. What lies on a lost executor
        moves all the same.
    warm
        Let the new owner of large state load it beside the batches before it takes over. Without
        it, and where it cannot be done, the batch after a move waits for that.
    standby
        Second copies of state for the case that an executor is lost: 0 for none, 1 for one of each
        key group, "auto" for those whose load would take long.
    journal
        A file for the records of all rounds; without it, one in the checkpoint of the first query,
        or none where that is out of reach.
    serve
        Where to serve the live page and its API, such as "127.0.0.1:8777"; needs "albic[serve]".
        The page goes with ``controller.stop()``.
    config
        A TOML file with settings; without it, ``albic.toml`` in the working directory if there.
    more
        Further settings, by their names.
    """
    running, named = queries_of(queries)
    place = None if serve is None else _place(serve)
    given = {
        **more,
        "planner": planner,
        "period": period,
        "max_migrations": max_migrations,
        "objective": objective,
        "scaling": scaling,
        "dry_run": dry_run,
        "approve": approve,
        "warm": warm,
        "standby": None if standby is None else str(standby),
        "journal": str(journal) if isinstance(journal, Path) else journal,
        "seed": seed,
        **named_limits(limits),
    }
    chosen = choices(given, config, os.environ)
    settings = replace(
        loop_settings(chosen, len(running)),
        urgent_pace=None if chosen["scaling"].value == FIXED else URGENT_PACE,
        time_per_key_group_s=TIME_PER_KEY_GROUP_S,
    )
    planning = ChosenPlanner(find_planner, value_of(chosen, "planner"))
    bridge = bridge_of_process()
    with _attaching:
        _expect_free(running)
        runtime = runtime_of(
            bridge,
            running,
            named,
            per_batch=_per_batch(settings.max_migrations),
            steers=not settings.dry_run,
            copies=CopyRules(value_of(chosen, "warm"), STANDBY_BYTES[value_of(chosen, "standby")]),
        )
        parts = Parts(
            statistics=runtime,
            placement=runtime,
            elasticity=elasticity_of(
                bridge, cluster, runtime, elastic=chosen["scaling"].value != FIXED
            ),
            planner=planning,
            scaling=_scaling(chosen, planning),
            clock=WallClock(),
            journal=_journal(chosen, journal_path(bridge, running[0])),
            budget_changed=lambda moves: runtime.spread(_per_batch(moves)),
            spark=noted_settings(bridge, running[0]),
        )
        controller = Controller(parts, settings)
        if place is not None:
            _serve(controller, place, ", ".join(map(_named, running)))
        _steering.update((str(query.runId), controller) for query in running)
        # Before Spark goes, which registered earlier and so ends later.
        atexit.register(controller.stop)
        controller.start()
    return controller


def _place(asked: "str | Serving") -> "Serving":
    """Return where to serve; refuse a place that makes no sense before anything is touched."""
    try:
        from albic.serve.address import Serving, serving  # noqa: PLC0415  an extra brings it
    except ModuleNotFoundError as missing:
        raise InvalidInput(str(lacking("the live page", missing))) from missing
    return asked if isinstance(asked, Serving) else serving(asked)


def _serve(controller: Controller, place: "Serving", name: str) -> None:
    """Serve the page of a controller until it is stopped."""
    from albic.serve import Jobs, PageServer, job_of_controller  # noqa: PLC0415  as above

    server = PageServer(Jobs([job_of_controller(controller, name)]), place, planner_names())
    try:
        server.start()
    except InvalidInput:
        controller.leave()
        raise
    server.tell_token()
    controller.page_url = server.url
    controller.take_along(server.close)


def _named(query: Query) -> str:
    """Return what people call a query; one without a name by the beginning of its id."""
    return query.name or f"query {str(query.id)[:8]}"


def _per_batch(max_migrations: int) -> int:
    """Return how many moves of a period go into one batch."""
    return max(math.ceil(max_migrations * SHARE_PER_BATCH), 1)


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


def _scaling(chosen: Mapping[str, Chosen], planner: Planner) -> ScalingPolicy:
    """Return the scaling policy that was asked for."""
    asked: str | ScalingPolicy = value_of(chosen, "scaling")
    if not isinstance(asked, str):
        return asked
    if asked == FIXED:
        return FixedSize()
    return IntegratedScaling(POLICIES[asked](), limits_of(chosen), planner)


def _journal(chosen: Mapping[str, Chosen], beside: Path | None) -> Journal:
    """Return the journal that was asked for, or one in the checkpoint."""
    asked: str | Journal | None = value_of(chosen, "journal")
    if asked is not None and not isinstance(asked, str):
        return asked
    path = beside if asked is None else Path(asked)
    if path is None:
        return MemoryJournal(MOST_IN_MEMORY)
    max_bytes, files = value_of(chosen, "journal_max_bytes"), value_of(chosen, "journal_files")
    return JsonLinesJournal(path, max_bytes, files)
