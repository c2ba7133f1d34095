"""A real job of the paper on the simulator, one plan a period, every plan carried out.

The controller's loop would refuse COLA's plans for their moves, and any plan that wins nothing.
The paper's experiments carry out all of them, so this loop does.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from albic.arrays import Floats
from albic.experiments.rows import Row
from albic.experiments.runs.methods import answered
from albic.extras import lacking
from albic.model import Budget, PlanRequest, metrics
from albic.sim import (
    PAPER_COSTS,
    SPARK_COSTS,
    CostModel,
    PeriodReport,
    SimulatedJob,
    Trace,
    World,
    as_long,
    dealt,
    half_busy,
    in_the_papers_sizes,
    load_trace,
    real_job,
    simulate_potc,
)
from albic.sim.physics import work_of

POTC = "PoTC"
#: Key groups of any real job are fewer than this.
UNRESTRICTED = 10_000
#: In place of a file: a trace in the shape of the job, made up from the seed.
SEED = "seed"
PAPER, SPARK = "paper", "Spark"
COSTS = {PAPER: PAPER_COSTS, SPARK: SPARK_COSTS}


@dataclass(frozen=True, slots=True)
class JobPoint:
    """A job, and who steers it for how many periods.

    ``label`` is the line of the figure; ``moves`` the paper's maxMigrations. ``trace`` is a file
    with what the job was asked to do, or ``seed``; without it, the trace is counted from the data.
    ``data`` is a file of the user's own for that, ``costs`` whose costs are taken.
    """

    job: int
    label: str
    method: str
    moves: int
    max_load_distance_pct: float
    periods: int
    time_limit_s: float
    seed: int
    trace: str = ""
    data: str = ""
    costs: str = PAPER

    @property
    def name(self) -> str:
        """Return what tells this point from the others."""
        return f"Real Job {self.job}, {self.label}, seed {self.seed}"


def steer(point: JobPoint) -> list[Row]:
    """Return what every period came to."""
    trace, costs = asked_of(point), COSTS[point.costs]
    unmoved = _unmoved_load_pct(trace, costs)
    world = World(costs=costs)
    if point.method == POTC:
        reports = simulate_potc(trace.scene(), point.periods, point.seed, world)
        return [_row(point, each, unmoved, each.load_distance_pct) for each in reports]
    job = SimulatedJob(trace.scene(), world)
    rows: list[Row] = []
    while not job.over:
        job.clock.sleep_until(job.next_step_ends_s)
        job.observe()
        snapshot = job.snapshot()
        request = PlanRequest(
            snapshot,
            Budget(point.moves),
            max_load_distance_pct=point.max_load_distance_pct,
            time_limit_s=point.time_limit_s,
            seed=point.seed + len(rows),
        )
        plan = answered(point.method, request).plan
        job.apply(plan, snapshot)
        job.new_period()
        after = metrics.load_distance(snapshot, plan.target)
        rows.append(_row(point, job.history[-1], unmoved, after, planned=len(plan.moves)))
    return rows


def asked_of(point: JobPoint) -> Trace:
    """Return what the job is asked to do, in the sizes and at the pace that go with the costs."""
    found = _found(point)
    if point.costs == PAPER:
        found = in_the_papers_sizes(found)
    return half_busy(as_long(found, point.periods), COSTS[point.costs])


def _found(point: JobPoint) -> Trace:
    """Return the trace as it was counted, recorded or made up."""
    if point.trace == SEED:
        return real_job(point.job, point.periods, point.seed)
    if point.trace:
        return load_trace(Path(point.trace))
    counted = _counted(point.job, point.data)
    if point.job != 1:
        return counted
    # The paper's Real Job 1 begins anywhere; the others begin with partners apart.
    start = dealt(counted.topology, len(counted.cluster.nodes), point.seed)
    return replace(counted, allocation=start)


@lru_cache(maxsize=4)
def _counted(job: int, data: str) -> Trace:
    """Return the trace of a job, counted once in a process."""
    try:
        from albic.jobs.real.tracing import Tracing, traced  # noqa: PLC0415  seeds need no extra
    except ModuleNotFoundError as missing:
        raise lacking("a trace of a real job", missing, "spark,data,figures") from None
    return traced(Tracing(f"job{job}", Path(data) if data else None))


def _unmoved_load_pct(trace: Trace, costs: CostModel) -> Floats:
    """Return the mean load of each period, had nothing ever been moved."""
    owner, demands = trace.allocation.owner, trace.begin()
    work_s = [
        work_of(demands.demand(period, owner), owner, costs).seconds().sum()
        for period in range(trace.length)
    ]
    load: Floats = 100 * np.array(work_s) / trace.cluster.capacities().sum()
    return load


def _row(
    point: JobPoint, truth: PeriodReport, unmoved: Floats, after: float, planned: int = 0
) -> Row:
    """Return one period; ``after`` is the load distance right after the migrations."""
    return {
        "job": point.job,
        "label": point.label,
        "costs": point.costs,
        "moves": point.moves,
        "seed": point.seed,
        "period": truth.number + 1,
        "distance": truth.load_distance_pct,
        "after": after,
        "collocation": 100 * truth.collocation,
        "load": truth.mean_load_pct,
        # Beside the same rows and nothing moved: how many rows come is not what a plan can change.
        "index": 100 * metrics.load_index(truth.mean_load_pct, float(unmoved[truth.number])),
        "planned": planned,
        "paused_s": truth.paused_s,
        "merge_s": truth.merge_work_s,
        "backlog_s": truth.backlog_s,
        "makespan_s": truth.makespan_s,
    }
