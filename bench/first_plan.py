"""How long a fresh process takes until it plans."""

import statistics
import time
from dataclasses import dataclass

from albic.cli.shared.screen import tracked
from bench.child import fresh
from bench.goals import Goal, Result, Row, column, most

#: From nothing to the first plan of a small cluster; the clock is that of the whole machine.
PROGRAM = """
import json, time
from albic.model import Budget, PlanRequest
from albic.planners.search import SearchPlanner
from albic.sim.workload import synthetic
request = PlanRequest(synthetic(5, 50, 2, 20.0, 0.0, 1), Budget(5), time_limit_s=0.05)
plan = SearchPlanner().plan(request)
print(json.dumps({"done_s": time.monotonic(), "plan_s": plan.wall_s}))
"""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One fresh process."""

    number: int

    @property
    def name(self) -> str:
        """Return what tells this process from the others."""
        return str(self.number)


def start(processes: int) -> Result:
    """Return how long processes take to get ready, the one that may compile left out."""
    fresh(PROGRAM)
    rows = [started() for _ in tracked([Attempt(at + 1) for at in range(processes)], "process")]
    ready = column(rows, "ready_s")
    goal = Goal(
        "a fresh process plans after, median",
        1.0,
        statistics.median(ready),
        "s",
        note=f"worst {most(ready):.2f}",
    )
    return Result((goal,), tuple(rows), tuple(rows))


def started() -> Row:
    """Return how long one fresh process takes to its first plan, without the plan itself."""
    began_s = time.monotonic()
    told = fresh(PROGRAM)
    return {
        "ready_s": told["done_s"] - began_s - told["plan_s"],
        "plan_s": told["plan_s"],
    }
