"""What holds a policy back: bounds, steps, patience, hours of rest, and lessons of the past.

Each is a pure function of the request; time is the request's.
"""

import datetime as dt
import math
from dataclasses import dataclass

from albic.model import InvalidInput, PastRound, ScalingRequest, metrics
from albic.model.setting_kinds import Amount, Hours, expect_sense, setting

#: Share of the expected relief that a scale-out must bring to count as help; Flink's default.
LEAST_RELIEF = 0.1
WHOLE_NODES = Amount(least=1, whole=True)


@dataclass(frozen=True, slots=True)
class Limits:
    """How far and how fast the number of nodes may change."""

    min_nodes: int = setting(1, WHOLE_NODES, "The fewest executors.", "executors")
    max_nodes: int = setting(100, WHOLE_NODES, "The most executors.", "executors")
    most_added: int = setting(100, WHOLE_NODES, "The largest step up.", "executors")
    most_drained: float = setting(
        0.6,
        Amount(above=0, most=1),
        "The largest step down, as a share of the executors there are; 0.6 is Flink's.",
        "share",
    )
    stabilise_s: float = setting(
        60.0,
        Amount(least=0),
        "Time after a change, and after the start, in which nothing is decided, for measurements "
        "to settle.",
        "seconds",
    )
    # Nodes are added at once: too few hurt now, too many only cost.
    drain_after_s: float = setting(
        300.0,
        Amount(least=0),
        "How long fewer executors must have been enough before any is drained.",
        "seconds",
    )
    rest_hours: tuple[tuple[float, float], ...] = setting(
        (),
        Hours(),
        "Hours of the day in local time in which the number of executors stays, such as 22-6; "
        "several go with commas.",
        "hours",
    )

    def __post_init__(self) -> None:
        expect_sense(self)
        if self.min_nodes > self.max_nodes:
            raise InvalidInput(
                f"min_nodes is {self.min_nodes} and max_nodes {self.max_nodes}; "
                f"it must be 1 <= min_nodes <= max_nodes"
            )

    def within(self, nodes: int) -> int:
        """Return the allowed number of nodes next to ``nodes``."""
        return min(max(nodes, self.min_nodes), self.max_nodes)

    def stepped(self, now: int, wanted: int) -> int:
        """Return how far one step leads from ``now`` towards ``wanted``."""
        if wanted > now:
            return min(wanted, now + self.most_added)
        return max(wanted, now - max(math.floor(now * self.most_drained), 1))

    def waiting(self, request: ScalingRequest) -> str | None:
        """Return why nothing may change now, or None."""
        moment = dt.datetime.fromtimestamp(request.at_s).astimezone()
        hour = moment.hour + moment.minute / 60
        for start, end in self.rest_hours:
            rests = start <= hour < end if start <= end else hour >= start or hour < end
            if rests:
                return f"it is {moment:%H:%M}, and nothing scales from {start:g} to {end:g} o'clock"
        last = last_change(request)
        # Without a change, it is the start that has to settle: cold executors look overloaded.
        since_s = last.at_s if last else request.past[0].at_s if request.past else request.at_s
        if (passed_s := request.at_s - since_s) >= self.stabilise_s:
            return None
        what = "the last change is" if last else "the first round was"
        return f"{what} {passed_s:.0f} s ago; for {self.stabilise_s:.0f} s it settles"

    def patient(self, request: ScalingRequest, wanted: int) -> int:
        """Return the most nodes that were wanted of late: fewer are not enough for sure."""
        recent = [past for past in request.past if past.at_s >= request.at_s - self.drain_after_s]
        whole = recent != list(request.past) or self.drain_after_s == 0
        before = [past.decision.wanted or past.nodes for past in recent]
        # A job that has not run that long has not shown yet that it needs less.
        return max([wanted, *before]) if whole else max([wanted, *before, _present(request)])


def _present(request: ScalingRequest) -> int:
    """Return how many nodes stay at present."""
    return sum(1 for gone in request.snapshot.cluster.draining() if not gone)


def last_change(request: ScalingRequest) -> PastRound | None:
    """Return the last round that changed the number of nodes."""
    return next((past for past in reversed(request.past) if past.decision.changes), None)


def in_vain(request: ScalingRequest, peak_pct: float) -> str | None:
    """Return why adding nodes would not help, judged by the last time; None if it may.

    The busiest node's part of all work should have shrunk as the number of nodes grew. Its load
    itself tells nothing: where the work grew as well, it may be as high as before.
    """
    last = last_change(request)
    if last is None or not last.decision.add:
        return None
    nodes = _present(request)
    work_pct = float(metrics.group_loads(request.snapshot).sum())
    if nodes <= last.nodes or min(last.peak_pct, last.load_pct, work_pct) <= 0:
        return None
    before, now = last.peak_pct / last.load_pct, peak_pct / work_pct
    if 1 - now / before >= LEAST_RELIEF * (1 - last.nodes / nodes):
        return None
    return (
        f"when {last.nodes} nodes became {nodes}, the busiest one's part of all work went from "
        f"{before:.0%} to {now:.0%} only: more would not help"
    )
