"""Clusters made of arrays, under the real controller.

::

    snapshot = synthetic(40, 800, 20, varies_pct=20, one_to_one=0.5, seed=1)
    run = simulate(
        drifting_scene(snapshot, seed=1),
        Steering(PLANNERS["albic"](), replace(EVERY_STEP, max_migrations=20)),
        periods=50,
        world=World(costs=COMPUTE_ONLY),
    )
    [each.load_distance_pct for each in run.periods]     # the truth, period by period
    [record.distance_after for record in run.records]    # what the controller saw and promised

A :class:`Scene` is a workload, a cluster and a first allocation. :func:`simulate` runs it under
``control.Controller``, the same that steers Spark, on a clock of its own: no threads, no waiting.
:class:`SimulatedJob` answers the loop's ports; use it directly to call :meth:`Controller.look` by
hand. A :class:`Run` has a :class:`PeriodReport` for each period (loads, load distance, collocation,
makespan, moves, pauses, backlog) and the controller's records.

Workloads come as scenes: :func:`steady_scene` and :func:`drifting_scene` of any snapshot,
:func:`real_job` for traces in the shape of Real Jobs 1 to 4 (``real_job(2, 40, seed=1).scene()``),
:func:`load_trace` for recorded ones; :func:`patterned` adds :class:`Diurnal`, :class:`FlashCrowd`
and :class:`HotKeys` to any of them, :func:`heterogeneous` makes nodes unequal.
:func:`simulate_potc` runs a scene with PoTC, which has no plans, and reports in the same measures.
:class:`World` holds the :class:`CostModel`, the length of a step, events (:class:`Join`,
:class:`Loss`, :class:`Degradation`), how well the controller sees (:class:`Eyesight`) and what else
is around the job (:class:`Surroundings`).
:class:`ScriptedScaling` adds and drains nodes in given rounds, as in the paper's scale-in.
"""

from albic.sim.clock import SimulatedClock
from albic.sim.costs import COMPUTE_ONLY, PAPER_COSTS, SPARK_COSTS, CostModel
from albic.sim.demand import Demand, DemandSource, Scene, Workload
from albic.sim.events import Degradation, Event, Join, Loss, random_events
from albic.sim.job import SimulatedJob, World
from albic.sim.measuring import Eyesight
from albic.sim.patterns import (
    Diurnal,
    FlashCrowd,
    HotKeys,
    Pattern,
    Patterned,
    heterogeneous,
    patterned,
)
from albic.sim.placed_demand import apart, as_long, dealt, half_busy, in_the_papers_sizes
from albic.sim.potc import SplitAllocation, simulate_potc
from albic.sim.real_jobs import real_job
from albic.sim.report import PeriodReport
from albic.sim.scenes import Drifting, Steady, demand_of, drifting_scene, steady_scene
from albic.sim.scripted import ScriptedScaling
from albic.sim.simulation import EVERY_STEP, Run, Steering, simulate
from albic.sim.surroundings import Surroundings
from albic.sim.trace import Trace, paired
from albic.sim.trace_file import load_trace, save_trace
from albic.sim.workload import drift, synthetic

__all__ = [
    "COMPUTE_ONLY",
    "EVERY_STEP",
    "PAPER_COSTS",
    "SPARK_COSTS",
    "CostModel",
    "Degradation",
    "Demand",
    "DemandSource",
    "Diurnal",
    "Drifting",
    "Event",
    "Eyesight",
    "FlashCrowd",
    "HotKeys",
    "Join",
    "Loss",
    "Pattern",
    "Patterned",
    "PeriodReport",
    "Run",
    "Scene",
    "ScriptedScaling",
    "SimulatedClock",
    "SimulatedJob",
    "SplitAllocation",
    "Steady",
    "Steering",
    "Surroundings",
    "Trace",
    "Workload",
    "World",
    "apart",
    "as_long",
    "dealt",
    "demand_of",
    "drift",
    "drifting_scene",
    "half_busy",
    "heterogeneous",
    "in_the_papers_sizes",
    "load_trace",
    "paired",
    "patterned",
    "random_events",
    "real_job",
    "save_trace",
    "simulate",
    "simulate_potc",
    "steady_scene",
    "synthetic",
]
