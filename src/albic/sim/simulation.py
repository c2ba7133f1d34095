"""The real controller on a simulated job, without threads and without waiting."""

from dataclasses import dataclass, field

from albic.control import Controller, MemoryJournal, Pace, Parts, RoundRecord, Settings
from albic.control.ports import Journal, Planner, ScalingPolicy
from albic.model import Objective, metrics
from albic.scaling import FixedSize
from albic.sim.demand import Scene
from albic.sim.job import SimulatedJob, World
from albic.sim.report import PeriodReport

#: One round a step, the paper's objective, and every plan that wins anything is carried out.
EVERY_STEP = Settings(
    pace=Pace(batches=1), objective=Objective.DISTANCE, least_gain=0.0, record_snapshots=False
)


@dataclass(frozen=True, slots=True)
class Run:
    """What came of a simulation: the truth of every period, and the controller's records."""

    periods: tuple[PeriodReport, ...]
    records: tuple[RoundRecord, ...]

    def load_index(self, first: int = 0) -> tuple[float, ...]:
        """Return each period's mean load as a share of the one in period ``first``."""
        start = self.periods[first].mean_load_pct
        return tuple(metrics.load_index(each.mean_load_pct, start) for each in self.periods)


@dataclass(frozen=True, slots=True)
class Steering:
    """Who steers a simulated job, and how."""

    planner: Planner
    settings: Settings = EVERY_STEP
    scaling: ScalingPolicy = field(default_factory=FixedSize)


def simulate(
    scene: Scene,
    steering: Steering,
    periods: int,
    world: World | None = None,
    journal: Journal | None = None,
) -> Run:
    """Run ``scene`` under the real controller for so many periods, or until its workload ends.

    Parameters
    ----------
    steering
        The planner, and what the loop is told; without more, one round a step.
    world
        Costs, length of a step, events and measuring errors.
    journal
        Where the controller's records go; without one they are kept in memory.
    """
    job = SimulatedJob(scene, world)
    kept = MemoryJournal() if journal is None else journal
    parts = Parts(
        statistics=job,
        placement=job,
        elasticity=job,
        planner=steering.planner,
        scaling=steering.scaling,
        clock=job.clock,
        journal=kept,
        spark=job.settings,
    )
    controller = Controller(parts, steering.settings)
    while len(job.history) < periods and not job.over:
        job.clock.sleep_until(job.next_step_ends_s)
        controller.look()
    return Run(tuple(job.history[:periods]), tuple(kept.records()))
