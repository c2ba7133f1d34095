"""Ever larger clusters until a planner gives up, each plan in a process of its own."""

import multiprocessing
import resource
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from albic.experiments.rows import Row
from albic.experiments.runs.methods import SEARCH, STAGES, method_planner
from albic.experiments.runs.racks import RacksPlanner
from albic.model import Budget, Objective, Outcome, PlanRequest, metrics, violations
from albic.planners import Planner
from albic.sim.workload import synthetic

RACKS, AT_ONCE = "racks (ours)", "search, at once (ours)"
#: So little time that only reading the problem, the greedy start and the bound are done.
BLINK_S = 0.001


@dataclass(frozen=True, slots=True)
class ScalePoint:
    """A planner, and the clusters it is asked about from small to large.

    Parameters
    ----------
    sizes
        Nodes of each cluster; key groups and allowed moves come with each node.
    time_limit_s
        What a plan is asked to take.
    patience_s, memory_gib
        When a plan counts as failed.
    """

    method: str
    sizes: tuple[int, ...]
    groups_a_node: int
    moves_a_node: float
    operators: int
    varies_pct: float
    one_to_one: float
    max_load_distance_pct: float
    time_limit_s: float
    patience_s: float
    memory_gib: float
    seed: int

    @property
    def name(self) -> str:
        """Return what tells this point from the others."""
        return f"{self.method}, up to {self.sizes[-1]:,} nodes"


def grow(point: ScalePoint) -> list[Row]:
    """Return a row for each size, the last one being the first that failed."""
    rows: list[Row] = []
    for nodes in point.sizes:
        rows.append({"method": point.method, "nodes": nodes, **_in_a_child(point, nodes)})
        if rows[-1]["failed"]:
            break
    return rows


def planner_of(method: str) -> Planner:
    """Return the planner, ours for racks included."""
    if method == RACKS:
        return RacksPlanner()
    return method_planner(SEARCH if method == AT_ONCE else method)


def planned(point: ScalePoint, nodes: int) -> Row:
    """Return time and quality of one plan."""
    snapshot = synthetic(
        nodes,
        nodes * point.groups_a_node,
        point.operators,
        point.varies_pct,
        point.one_to_one,
        point.seed,
    )
    limit_s = BLINK_S if point.method == AT_ONCE else point.time_limit_s
    budget = Budget(round(point.moves_a_node * nodes))
    request = PlanRequest(
        snapshot,
        budget,
        max_load_distance_pct=point.max_load_distance_pct,
        time_limit_s=limit_s,
        seed=point.seed,
        objective=Objective.MAKESPAN if point.method == STAGES else Objective.DISTANCE,
    )
    planner = planner_of(point.method)
    _warm_up(planner, point)
    began_s = time.perf_counter()
    plan = planner.plan(request)
    wall_s = time.perf_counter() - began_s
    target = plan.target
    return {
        "key_groups": snapshot.topology.key_groups,
        "limit_s": limit_s,
        "wall_s": wall_s,
        "start": metrics.load_distance(snapshot, snapshot.allocation),
        "distance": metrics.load_distance(snapshot, target),
        "makespan": metrics.makespan(snapshot, target),
        "bound": plan.bound,
        "collocation": 100 * metrics.collocation_factor(snapshot.traffic, target),
        "moved": len(plan.moves),
        "findings": len(violations(plan, request)),
        "peak_gib": peak_gib(),
        "failed": plan.reason if plan.outcome is Outcome.UNCHANGED else "",
    }


def _warm_up(planner: Planner, point: ScalePoint) -> None:
    """Plan a tiny cluster, so that loading compiled code is not timed."""
    tiny = synthetic(4, 40, 2, point.varies_pct, point.one_to_one, point.seed)
    planner.plan(PlanRequest(tiny, Budget(4), time_limit_s=0.01))


def _in_a_child(point: ScalePoint, nodes: int) -> Row:
    """Return what a process of its own measures, or why it did not."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=_told, args=(theirs, point, nodes))
    child.start()
    theirs.close()
    try:
        if not ours.poll(point.patience_s):
            return {"failed": f"no plan within {point.patience_s:g} s"}
        told: Row = ours.recv()
    except EOFError:
        return {"failed": f"the process died within {point.memory_gib:g} GiB of memory"}
    else:
        return told
    finally:
        child.kill()
        child.join()


def _told(answer: Connection, point: ScalePoint, nodes: int) -> None:
    """Measure in this process and tell the parent."""
    most = int(point.memory_gib * 2**30)
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    try:
        answer.send(planned(point, nodes))
    except MemoryError:
        answer.send({"failed": f"needs more than {point.memory_gib:g} GiB of memory"})


def peak_gib() -> float:
    """Return the most memory that this process and the largest of its children had."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
    status = Path("/proc/self/status")
    if not status.exists():
        return children + resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**30
    # The kernel's own peak begins anew with the program; ru_maxrss remembers the parent's.
    line = next(each for each in status.read_text().splitlines() if each.startswith("VmHWM"))
    return int(line.split()[1]) / 2**20 + children
