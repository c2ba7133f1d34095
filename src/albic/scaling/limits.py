"""What holds a policy back: bounds, steps, patience, hours of rest, and lessons of the past.

Each is a pure function of the request; time is the request's.
"""

import datetime as dt
import math
from dataclasses import dataclass

from albic.model import InvalidInput, PastRound, ScalingRequest, metrics

#: Share of the expected relief that a scale-out must bring to count as help; Flink's default.
LEAST_RELIEF = 0.1


@dataclass(frozen=True, slots=True)
class Limits:
    """How far and how fast the number of nodes may change.

    Parameters
    ----------
    most_added, most_drained
        The largest step; draining as a share of the nodes there are (Flink: 0.6).
    stabilise_s
        Time after a change, and after the start, in which nothing is decided, for measurements to
        settle.
    drain_after_s
        How long fewer nodes must have been enough before any is drained. Nodes are added at once:
        too few hurt now, too many only cost.
    rest_hours
        Hours of the day, as (from, to) in local time, in which the number of nodes stays.
    """

    min_nodes: int = 1
    max_nodes: int = 100
    most_added: int = 100
    most_drained: float = 0.6
    stabilise_s: float = 60.0
    drain_after_s: float = 300.0
    rest_hours: tuple[tuple[float, float], ...] = ()

    def __post_init__(self) -> None:
        if not 1 <= self.min_nodes <= self.max_nodes:
            raise InvalidInput(
                f"min_nodes is {self.min_nodes} and max_nodes {self.max_nodes}; "
                f"it must be 1 <= min_nodes <= max_nodes"
            )
        if self.most_added < 1 or not 0 < self.most_drained <= 1:
            raise InvalidInput(
                f"most_added is {self.most_added} and most_drained {self.most_drained:g}; "
                f"they must be at least 1 node, and above 0 up to 1"
            )
        if min(self.stabilise_s, self.drain_after_s) < 0:
            raise InvalidInput("stabilise_s and drain_after_s must be 0 seconds or more")
        for start, end in self.rest_hours:
            if not (0 <= start <= 24 and 0 <= end <= 24):
                raise InvalidInput(f"rest hours {start:g}-{end:g} are not within 0-24")

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
