"""Collocation round after round: joint against ALBIC on a cluster whose load drifts."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from albic.cli.shared.screen import tracked
from albic.model import Allocation, Budget, PlanRequest, Snapshot, metrics
from albic.planners import PLANNERS, Planner
from albic.sim.workload import drift, synthetic
from bench.goals import Goal, Result, Row, column, mean, most
from bench.instances import answered

NODES, KEY_GROUPS, OPERATORS, VARIES_PCT, ONE_TO_ONE, MOVES = 40, 800, 20, 20.0, 0.5, 20
#: The three methods: joint with two limits of the load distance, and what it is compared with.
NEAR, FAR, ALBIC = "joint ≤ 1", "joint ≤ 0.5", "ALBIC"
#: The start is skewed, and 20 moves a round need some rounds to mend that.
SETTLED_AFTER = 3
#: The rounds of a long run that the table shows.
SHOWN = (1, 10, 20, 40)


@dataclass(frozen=True, slots=True)
class Run:
    """One planner on one cluster for some rounds; without a maximum distance, the default's."""

    method: str
    rounds: int
    time_limit_s: float
    seed: int
    max_distance_pct: float | None = None

    @property
    def name(self) -> str:
        """Return what tells this run from the others."""
        return f"{self.method}, {self.rounds} rounds, seed {self.seed}"

    def planner(self) -> Planner:
        """Return who plans."""
        return PLANNERS["albic" if self.method == ALBIC else "joint"]()

    def request(self, snapshot: Snapshot, number: int) -> PlanRequest:
        """Return the question of one round."""
        request = PlanRequest(
            snapshot, Budget(MOVES), time_limit_s=self.time_limit_s, seed=self.seed + number
        )
        if self.max_distance_pct is None:
            return request
        return replace(request, max_load_distance_pct=self.max_distance_pct)


@dataclass(frozen=True, slots=True)
class Schedule:
    """How many rounds each comparison takes."""

    near_rounds: int = 20
    far_rounds: int = 40

    def runs(self, seed: int) -> list[Run]:
        """Return the three runs of one seed."""
        return [
            Run(NEAR, self.near_rounds, 0.4, seed, 1.0),
            Run(FAR, self.far_rounds, 0.4, seed, 0.5),
            Run(ALBIC, self.far_rounds, 0.2, seed),
        ]


def joint(seeds: Sequence[int], schedule: Schedule) -> Result:
    """Return how much traffic each planner makes local, and at what load distance."""
    runs = [run for seed in seeds for run in schedule.runs(seed)]
    rows = [row for run in tracked(runs, "rounds of") for row in rounds(run)]
    return Result(_goals(rows, schedule), tuple(rows), _summary(rows))


def rounds(run: Run) -> list[Row]:
    """Return what every round of a run ended with: plan, apply, measure, drift."""
    snapshot = synthetic(NODES, KEY_GROUPS, OPERATORS, VARIES_PCT, ONE_TO_ONE, run.seed)
    planner, rows = run.planner(), list[Row]()
    for number in range(1, run.rounds + 1):
        answer = answered(planner, run.request(snapshot, number))
        snapshot = replace(snapshot, allocation=answer.plan.target)
        rows.append(
            {
                "method": run.method,
                "seed": run.seed,
                "round": number,
                "distance": answer.distance_pct,
                "collocation": metrics.collocation_factor(snapshot.traffic, snapshot.allocation),
                "of_obtainable": obtained(snapshot, snapshot.allocation),
                "moves": len(answer.plan.moves),
                "wall_s": answer.wall_s,
                "findings": answer.findings,
            }
        )
        # Every method meets the same nodes drifting alike, wherever its key groups are.
        snapshot = drift(snapshot, seed=1000 * run.seed + number)
    return rows


def obtained(snapshot: Snapshot, allocation: Allocation) -> float:
    """Return which share of the obtainable collocation an allocation has.

    Obtainable is what flows between one-to-one partners, key groups that send to one receiver
    only. What the others send goes to all nodes alike and is local by chance alone; it counts
    neither here nor there.
    """
    traffic = snapshot.traffic
    alone = np.flatnonzero(np.diff(traffic.indptr) == 1)
    at = traffic.indptr[alone]
    rate, partner = traffic.data[at], traffic.indices[at]
    together = allocation.owner[alone] == allocation.owner[partner]
    return float(rate[together].sum() / rate.sum())


def _goals(rows: Sequence[Row], schedule: Schedule) -> tuple[Goal, ...]:
    """Return the promises about collocation, for the mean of the seeds."""
    near, far = _of(rows, NEAR), _of(rows, FAR)
    share = column(_at(near, schedule.near_rounds), "of_obtainable")
    ends = [_at(_of(rows, method), schedule.far_rounds) for method in (FAR, ALBIC)]
    ours, theirs = (column(end, "collocation") for end in ends)
    times = [mine / other for mine, other in zip(ours, theirs, strict=True)]
    taken = column(near + far, "wall_s")
    later = f"after round {SETTLED_AFTER}, worst"
    return (
        Goal(
            f"joint: share of the obtainable collocation after {schedule.near_rounds} rounds",
            80.0,
            100 * mean(share),
            "%",
            least=True,
            note=f"worst seed {100 * min(share):.1f}",
        ),
        Goal(f"load distance meanwhile {later}", 1.0, _settled(near), "points"),
        Goal(
            f"joint: collocation over ALBIC's after {schedule.far_rounds} rounds",
            3.5,
            mean(times),
            "times",
            least=True,
            note=f"worst seed {min(times):.2f}",
        ),
        Goal(f"load distance meanwhile {later}", 0.5, _settled(far), "points"),
        Goal(
            "joint: time of a round, mean", 0.5, mean(taken), "s", note=f"worst {most(taken):.2f}"
        ),
        Goal("violations in all plans", 0, int(sum(column(rows, "findings")))),
    )


def _settled(rows: Sequence[Row]) -> float:
    """Return the greatest load distance once the start is mended."""
    later = [row for row in rows if column([row], "round")[0] > SETTLED_AFTER]
    return most(column(later, "distance"))


def _summary(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Return a line a method: means over the seeds."""
    lines: list[Row] = []
    for method in dict.fromkeys(str(row["method"]) for row in rows):
        mine = _of(rows, method)
        shown = {
            f"C after {number}": mean(column(_at(mine, number), "collocation"))
            for number in SHOWN
            if _at(mine, number)
        }
        lines.append(
            {"method": method}
            | {f"C after {number}": shown.get(f"C after {number}") for number in SHOWN}
            | {
                "worst distance": _settled(mine),
                "moves a round": mean(column(mine, "moves")),
                "s a round": mean(column(mine, "wall_s")),
                "worst s": most(column(mine, "wall_s")),
            }
        )
    return tuple(lines)


def _of(rows: Sequence[Row], method: str) -> list[Row]:
    """Return the rows of one method."""
    return [row for row in rows if row["method"] == method]


def _at(rows: Sequence[Row], number: int) -> list[Row]:
    """Return the rows of one round."""
    return [row for row in rows if row["round"] == number]
