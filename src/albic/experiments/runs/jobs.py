"""A real job of the paper on the simulator, one plan a period, every plan carried out.

The controller's loop would refuse COLA's plans for their moves, and any plan that wins nothing.
The paper's experiments carry out all of them, so this loop does.
"""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from albic.experiments.rows import Row
from albic.experiments.runs.methods import answered
from albic.model import Budget, PlanRequest, metrics
from albic.sim import PeriodReport, SimulatedJob, Trace, load_trace, real_job, simulate_potc

POTC = "PoTC"
#: Key groups of any real job are fewer than this.
UNRESTRICTED = 10_000


@dataclass(frozen=True, slots=True)
class JobPoint:
    """A job, and who steers it for how many periods.

    ``label`` is the line of the figure; ``moves`` the paper's maxMigrations; ``trace`` a file with
    what the job was asked to do, for one in its shape from the seed.
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

    @property
    def name(self) -> str:
        """Return what tells this point from the others."""
        return f"Real Job {self.job}, {self.label}, seed {self.seed}"


def steer(point: JobPoint) -> list[Row]:
    """Return what every period came to."""
    trace = _trace(point)
    if point.method == POTC:
        reports = simulate_potc(trace.scene(), point.periods, point.seed)
        return [_row(point, each, reports[0], each.load_distance_pct) for each in reports]
    job = SimulatedJob(trace.scene())
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
        rows.append(_row(point, job.history[-1], job.history[0], after, planned=len(plan.moves)))
    return rows


def _trace(point: JobPoint) -> Trace:
    """Return what the job is asked to do; a recorded trace begins again where it ends."""
    if not point.trace:
        return real_job(point.job, point.periods, point.seed)
    recorded = load_trace(Path(point.trace))
    again = np.arange(point.periods) % recorded.length
    return replace(
        recorded,
        tuples_per_s=recorded.tuples_per_s[again],
        source_bytes_per_s=recorded.source_bytes_per_s[again],
        state_bytes=recorded.state_bytes[again],
        traffic_bytes_per_s=recorded.traffic_bytes_per_s[again],
    )


def _row(
    point: JobPoint, truth: PeriodReport, first: PeriodReport, after: float, planned: int = 0
) -> Row:
    """Return one period; ``after`` is the load distance right after the migrations."""
    return {
        "job": point.job,
        "label": point.label,
        "moves": point.moves,
        "seed": point.seed,
        "period": truth.number + 1,
        "distance": truth.load_distance_pct,
        "after": after,
        "collocation": 100 * truth.collocation,
        "load": truth.mean_load_pct,
        "index": 100 * metrics.load_index(truth.mean_load_pct, first.mean_load_pct),
        "planned": planned,
        "paused_s": truth.paused_s,
        "merge_s": truth.merge_work_s,
        "backlog_s": truth.backlog_s,
        "makespan_s": truth.makespan_s,
    }
