"""Rules about how fast nodes are, and how fast they would have to be."""

import math
from collections.abc import Iterator

import numpy as np

from albic.advice.evidence import Evidence
from albic.advice.finding import SECONDS, Finding
from albic.advice.words import amount
from albic.arrays import Floats
from albic.model import Resource, metrics

#: An executor below this part of the usual speed is slow; measured speeds differ by a tenth.
SLOW = 0.8
#: Nobody has so many times as many executors tomorrow.
MOST_TIMES = 20


def slow_executors(seen: Evidence) -> Iterator[Finding]:
    """Yield the executors whose slots are slower than the usual one."""
    cluster = seen.snapshot.cluster
    capacity, stays = cluster.capacities(), ~cluster.draining()
    slots = np.array([node.slots for node in cluster.nodes])
    speed: Floats = capacity / slots
    usual = float(np.median(speed[stays]))
    work = float(seen.snapshot.usage[Resource.CPU].sum())
    total = float(capacity[stays].sum())
    if work <= 0:
        return
    for at in np.flatnonzero(stays & (speed < SLOW * usual)).tolist():
        healed = total + (usual - speed[at]) * slots[at]
        cost, unit = seen.of_batch(work / total - work / healed)
        yield Finding(
            rule="slow executor",
            cost=cost,
            unit=unit,
            win=cost,
            remedy="look at what else runs on its host and how hot or full that is, or replace it",
            sentence=f"executor {cluster.nodes[at].id} works at {speed[at] / usual:.0%} of the "
            f"usual speed; even with the best placement that costs {amount(cost, unit)} in every "
            f"batch",
            executor=cluster.nodes[at].id,
        )


def hopeless_interval(seen: Evidence) -> Iterator[Finding]:
    """Yield the trigger interval that no placement on these nodes could keep."""
    point_s, interval_s = seen.point_s, seen.interval_s
    if point_s is None or interval_s is None:
        return
    # What is left undone in every batch has to be done as well.
    due_s = point_s * seen.arrived_share
    shares_s = due_s * metrics.stage_shares(seen.snapshot)
    floors_s = due_s * metrics.stage_floors(seen.snapshot)
    least_s = seen.beside_s + float(np.maximum(shares_s, floors_s).sum())
    if least_s <= interval_s:
        return
    yield Finding(
        rule="trigger interval",
        cost=least_s - interval_s,
        unit=SECONDS,
        win=least_s - interval_s,
        remedy=_way_out(seen, interval_s - seen.beside_s, shares_s, floors_s),
        sentence=f"a batch takes {least_s:.2f} s with the best placement there is, and one shall "
        f"start every {interval_s:g} s",
    )


def _way_out(seen: Evidence, left_s: float, shares_s: Floats, floors_s: Floats) -> str:
    """Return what keeps the interval: more executors, or what has to come before those.

    ``left_s`` is what it leaves for all key groups.
    """
    longer = f"set the interval to {_above(seen, shares_s, floors_s)} s"
    if left_s <= 0:
        return f"{longer}: {seen.beside_s:.2f} s of a batch pass beside all key groups"
    nodes = int((~seen.snapshot.cluster.draining()).sum())
    enough = (
        many
        for many in range(nodes + 1, MOST_TIMES * nodes + 1)
        if np.maximum(shares_s * nodes / many, floors_s).sum() <= left_s
    )
    if (wanted := next(enough, None)) is None:
        return f"split the largest key groups first, as executors alone cannot help; or {longer}"
    return f"have {wanted} executors of this kind instead of {nodes}, or {longer}"


def _above(seen: Evidence, shares_s: Floats, floors_s: Floats) -> str:
    """Return an interval that could be kept, in whole seconds where it is some."""
    least_s = seen.beside_s + float(np.maximum(shares_s, floors_s).sum())
    return f"{math.ceil(least_s)}" if least_s > 1 else f"{math.ceil(10 * least_s) / 10:g}"
