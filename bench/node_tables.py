"""What the runs of a scene on isolated nodes tell: batch times with their spread, and why."""

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence

from albic.control.batches import BatchRecord, bound_s
from bench.best_possible import every_batch, group_times, percentile
from bench.goals import Goal, Result, Row, mean, number
from bench.node_scenes import BEST, PLAIN_AS_IT_COMES, Act
from bench.scenes import ALBIC, IMPATIENT, PLAIN, Run

MOST_CONTROLLER_PCT = 1.0
#: How far a learnt speed may be from the truth.
MOST_SPEED_ERROR_PCT = 15.0


def judged(act: Act, runs: Sequence[Run]) -> Result:
    """Return the table of a scene, a line a way, and whether its promises are kept."""
    ways = {run.way: [each for each in runs if each.way == run.way] for run in runs}
    bounds = least_bounds(act, ways.values())
    times = group_times(runs)
    rows = {way: row(act, mine, times, bounds) for way, mine in ways.items()}
    return Result(goals(act, rows, runs), every_batch(runs, bounds), tuple(rows.values()))


def least_bounds(act: Act, ways: Iterable[Sequence[Run]]) -> dict[int, float]:
    """Return for each batch what no placement gets below, by the way whose key groups took least.

    What another way paid for reading from far away is not work.
    """
    each = [stage_bounds(act, group_times(runs)) for runs in ways]
    batches = sorted({batch for bounds in each for batch in bounds})
    return {batch: min(bounds[batch] for bounds in each if batch in bounds) for batch in batches}


def stage_bounds(act: Act, times: Mapping[int, tuple[float, ...]]) -> dict[int, float]:
    """Return for each batch how long its stages take at least, one after the other."""
    groups = act.scene.job.key_groups
    place = act.scene.place
    shares = place.cpu if place is not None else (1.0,)
    capacity = sum(shares) / max(shares)
    return {
        batch: sum(
            bound_s(busy_s[first : first + groups], capacity)
            for first in range(0, len(busy_s), groups)
        )
        for batch, busy_s in times.items()
    }


def busiest_s(record: BatchRecord, stages: int) -> float:
    """Return how long the busiest node of each stage worked, in all."""
    size = len(record.busy_s) // stages
    total = 0.0
    for first in range(0, len(record.busy_s), size):
        busy: dict[str, float] = {}
        for at in range(first, first + size):
            busy[record.node[at]] = busy.get(record.node[at], 0.0) + record.busy_s[at]
        total += max(busy.values())
    return total


def late_s(run: Run, record: BatchRecord, times: Sequence[float]) -> list[float]:
    """Return how much longer than usual each key group took that had to be loaded."""
    return [
        record.busy_s[group] - times[group] / run.speed.get(record.node[group], 1.0)
        for group, loaded in enumerate(record.loaded)
        if loaded
    ]


def row(
    act: Act,
    runs: Sequence[Run],
    times: Mapping[int, tuple[float, ...]],
    bounds: Mapping[int, float],
) -> Row:
    """Return one way through a scene: the middle of all batches that count in its runs."""
    pairs = [(run, record) for run in runs for record in run.counted]
    took = [record.batch_s for _, record in pairs]
    late = [each for run, record in pairs for each in late_s(run, record, times[record.batch])]

    def middle(of: Callable[[BatchRecord], float]) -> float:
        return statistics.median(of(record) for _, record in pairs)

    controller_s = sum(run.controller_s for run in runs)
    steered_s = sum(record.batch_s for run in runs for record in run.batches[act.scene.opening :])
    return {
        "way": runs[0].way,
        "batch s": statistics.median(took),
        "quartiles": f"{percentile(took, 25):.2f} to {percentile(took, 75):.2f}",
        "p95 s": percentile(took, 95),
        "bound s": middle(lambda record: bounds[record.batch]),
        "busiest s": middle(lambda record: busiest_s(record, act.scene.operators)),
        "stages s": middle(lambda record: record.stage_s),
        "outside s": middle(lambda record: record.batch_s - record.stage_s),
        "remote MB": mean([record.remote_bytes for _, record in pairs]) / 1e6,
        "loaded": len(late),
        "s a load": mean(late) if late else None,
        "MB a load": mean([size for run in runs for size in run.state_bytes]) / 1e6,
        "moves": sum(run.moves for run in runs),
        "controller %": 100 * controller_s / steered_s if controller_s else None,
    }


def goals(act: Act, rows: Mapping[str, Row], runs: Sequence[Run]) -> tuple[Goal, ...]:
    """Return what albic promises for a scene; none of it where it did not run."""
    if ALBIC not in rows:
        return ()
    ours = rows[ALBIC]
    plain = {way: number(rows[way], "batch s") for way in (PLAIN, IMPATIENT) if way in rows}
    best = min(plain, key=plain.__getitem__, default=None)
    against = {PLAIN_AS_IT_COMES: PLAIN if PLAIN in plain else None, BEST: best}
    wanted = [
        Goal(
            f"{'p95 of a batch' if promise.of == 'p95 s' else 'batch'}, times {promise.against}",
            promise.most,
            number(ours, promise.of) / number(rows[way], promise.of),
            note=f"{number(ours, promise.of):.2f} s, {way} {number(rows[way], promise.of):.2f} s",
        )
        for promise in act.promises
        if (way := against[promise.against]) is not None
    ]
    if act.local:
        wanted.append(Goal("bytes between nodes", 0.0, number(ours, "remote MB"), "MB a batch"))
    if act.learns:
        wanted.append(speed_goal([run for run in runs if run.way == ALBIC]))
    wanted.append(
        Goal("controller", MOST_CONTROLLER_PCT, number(ours, "controller %"), "% of batch time")
    )
    return tuple(wanted)


def speed_goal(runs: Sequence[Run]) -> Goal:
    """Return how far the speeds that were learnt are from the truth, at worst."""
    learnt = [learnt_speeds(run) for run in runs]
    errors = [
        100 * abs(found.get(node, 1.0) / truth - 1)
        for run, found in zip(runs, learnt, strict=True)
        for node, truth in run.speed.items()
    ]
    slow = [
        found.get(min(run.speed, key=run.speed.__getitem__), 1.0)
        for run, found in zip(runs, learnt, strict=True)
    ]
    return Goal(
        "learnt speed of a node, off the truth at worst",
        MOST_SPEED_ERROR_PCT,
        max(errors, default=float("nan")),
        "%",
        note=f"the slow node's: {', '.join(f'{speed:.2f}' for speed in slow)}",
    )


def learnt_speeds(run: Run) -> dict[str, float]:
    """Return the speeds of nodes in the last snapshot of a run; 1 is the usual fast node."""
    snapshots = [each.snapshot for each in run.rounds if each.snapshot is not None]
    if not snapshots:
        return {}
    found = {str(node["id"]): float(node["capacity"]) for node in snapshots[-1]["nodes"]}
    fast = [speed for node, speed in found.items() if run.speed.get(node, 1.0) == 1]
    usual = statistics.median(fast) if fast else 1.0
    return {node: speed / usual for node, speed in found.items()}


def bare_costs(runs: Sequence[tuple[str, Run]]) -> Result:
    """Return what a batch costs that has next to no rows and no work."""
    rows: tuple[Row, ...] = tuple(
        {
            "job": name,
            "batch s": statistics.median(record.batch_s for record in run.counted),
            "stages s": statistics.median(record.stage_s for record in run.counted),
            "a task s": statistics.median(
                spent_s for record in run.counted for spent_s in record.busy_s
            ),
        }
        for name, run in runs
    )
    return Result((), rows, rows)
