"""What the batches of a scene tell: how far each way is from the best there can be."""

import statistics
from collections.abc import Mapping, Sequence

from albic.control.batches import bound_s
from bench.goals import Goal, Result, Row, mean, number
from bench.scenes import ALBIC, IMPATIENT, NODES, PLAIN, Run, Scene

#: What issue and design promise: times the bound, and times the best plain setting.
MOST_OF_BOUND = 1.12
MOST_OF_PLAIN = {"drift": 0.85, "late nodes": 0.58, "tiny first batch": 0.75}
MOST_CONTROLLER_PCT = 1.0
LEAST_COMPLIANCE_PCT = 99.0


def group_times(runs: Sequence[Run]) -> dict[int, tuple[float, ...]]:
    """Return, batch by batch, how long each key group works when it has not to be loaded.

    All ways process the same rows, so what one of them paid for loading state is not in it: the
    median over the runs in which a key group stayed where it was, or over all if it never did.
    Where nodes differ, it is the time on a usual one.
    """
    found: dict[int, tuple[float, ...]] = {}
    for batch in sorted({record.batch for run in runs for record in run.batches}):
        pairs = [(r, run.speed) for run in runs for r in run.batches if r.batch == batch]
        worked = [
            [spent_s * speed.get(node, 1.0) for spent_s, node in zip(r.busy_s, r.node, strict=True)]
            for r, speed in pairs
        ]
        stayed = [[not loaded for loaded in r.loaded] for r, _ in pairs]
        found[batch] = tuple(
            statistics.median(
                [mine[group] for mine, calm in zip(worked, stayed, strict=True) if calm[group]]
                or [mine[group] for mine in worked]
            )
            for group in range(len(worked[0]))
        )
    return found


def row(scene: Scene, run: Run, bounds: Mapping[int, float]) -> Row:
    """Return one way through a scene as a line of the table."""
    records = run.counted
    took = [record.batch_s for record in records]
    bound = mean([bounds[record.batch] for record in records])
    stage = mean([record.stage_s for record in records])
    whole = sum(record.batch_s for record in run.batches[1:])
    return {
        "scene": scene.name,
        "way": run.way,
        "batch s": mean(took),
        "p50 s": percentile(took, 50),
        "p95 s": percentile(took, 95),
        "stage s": stage,
        "bound s": bound,
        "stage / bound": stage / bound,
        "between tasks s": stage - mean([max(r.node_busy_s().values()) for r in records]),
        "loaded": sum(record.moved for record in records),
        "moves": run.moves,
        "compliance %": None if run.compliance is None else 100 * run.compliance,
        "controller %": 100 * run.controller_s / whole if run.controller_s else None,
    }


def percentile(values: Sequence[float], percent: int) -> float:
    """Return the value that ``percent`` of all are not above."""
    ordered = sorted(values)
    return ordered[min(-(-len(ordered) * percent // 100), len(ordered)) - 1]


def judged(scene: Scene, runs: Sequence[Run]) -> Result:
    """Return the table of a scene, and whether its goals are reached."""
    times = group_times(runs)
    bounds = {batch: bound_s(busy_s, NODES) for batch, busy_s in times.items()}
    rows = {run.way: row(scene, run, bounds) for run in runs}
    return Result(goals(scene, rows, times), every_batch(runs, bounds), tuple(rows.values()))


def goals(
    scene: Scene, rows: Mapping[str, Row], times: Mapping[int, tuple[float, ...]]
) -> tuple[Goal, ...]:
    """Return what albic promises for a scene; none of it where it did not run."""
    if ALBIC not in rows:
        return ()
    ours = rows[ALBIC]
    plain = {way: number(rows[way], "batch s") for way in (PLAIN, IMPATIENT) if way in rows}
    best = min(plain, key=plain.__getitem__, default=None)
    between = number(ours, "between tasks s")
    wanted = [
        Goal(
            "stateful stage, times the bound",
            MOST_OF_BOUND,
            number(ours, "stage / bound"),
            note=f"largest key group alone {largest_share(times):.0%} of the bound; its busiest "
            f"executor spends {between / number(ours, 'stage s'):.0%} of the stage between tasks",
        ),
        Goal(
            "tasks on their owner",
            LEAST_COMPLIANCE_PCT,
            number(ours, "compliance %"),
            "%",
            least=True,
        ),
        Goal("controller", MOST_CONTROLLER_PCT, number(ours, "controller %"), "% of batch time"),
    ]
    if best is not None:
        least_s = number(ours, "bound s") + between + outside_s(ours)
        named = {"plain Spark as it comes": PLAIN, "the best plain setting": best}
        wanted[1:1] = [
            Goal(
                f"batch, times {name}",
                MOST_OF_PLAIN[scene.name],
                number(ours, "batch s") / plain[way],
                note=f"{way}; a perfect placement would reach {least_s / plain[way]:.2f}",
            )
            for name, way in named.items()
            if way in plain
        ]
    return tuple(wanted)


def outside_s(row: Row) -> float:
    """Return what a batch spends outside its stateful stages, which no placement changes."""
    return number(row, "batch s") - number(row, "stage s")


def largest_share(times: Mapping[int, tuple[float, ...]]) -> float:
    """Return how much of the bound the largest key group takes, at most; from batch 1 on."""
    return max(
        (max(busy) / bound_s(busy, NODES) for batch, busy in times.items() if batch), default=0.0
    )


def every_batch(runs: Sequence[Run], bounds: Mapping[int, float]) -> tuple[Row, ...]:
    """Return every batch of every way."""
    return tuple(
        {
            "run": position,
            "way": run.way,
            "batch": record.batch,
            "counts": record.batch >= run.counts_from,
            "batch_s": record.batch_s,
            "stage_s": record.stage_s,
            "bound_s": bounds[record.batch],
            "busiest_s": max(record.node_busy_s().values()),
            "loaded": record.moved,
            "remote_bytes": record.remote_bytes,
        }
        for position, run in enumerate(runs)
        for record in run.batches
    )
