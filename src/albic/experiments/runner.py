"""Measures the points of experiments, several at once where that spoils nothing."""

import multiprocessing
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

from albic.experiments.experiment import Experiment, Point
from albic.experiments.rows import Row
from albic.experiments.store import Kept, Store


@dataclass(frozen=True, slots=True)
class Done:
    """One measured point; ``found`` if it was measured by an earlier run."""

    position: int
    point: Point
    kept: Kept
    found: bool


def measured(
    experiment: Experiment[Any], store: Store, *, quick: bool = False, at_once: int = 1
) -> Iterator[Done]:
    """Yield every point when it is done, those of an earlier run first.

    Each is kept at once, so that a run that is stopped loses the points under way and no others.
    """
    points = experiment.chosen(quick=quick)
    missing: list[int] = []
    for position, point in enumerate(points):
        kept = store.load(point) if experiment.kept(point) else None
        if kept is None:
            missing.append(position)
        else:
            yield Done(position, point, kept, found=True)
    together = 1 if experiment.alone else min(at_once, len(missing))
    fresh = _alone if together <= 1 else _together
    for position, kept in fresh(experiment, points, missing, together):
        store.save(points[position], kept)
        yield Done(position, points[position], kept, found=False)


def timed(measure: Callable[[Any], list[Row]], point: Point) -> Kept:
    """Return what a point gives, with the seconds it took."""
    began_s = time.perf_counter()
    rows = measure(point)
    return Kept(tuple(rows), round(time.perf_counter() - began_s, 3))


def _alone(
    experiment: Experiment[Any], points: tuple[Point, ...], missing: list[int], _: int
) -> Iterator[tuple[int, Kept]]:
    """Yield the missing points one after the other, measured in this process."""
    for position in missing:
        yield position, timed(experiment.measure, points[position])


def _together(
    experiment: Experiment[Any], points: tuple[Point, ...], missing: list[int], at_once: int
) -> Iterator[tuple[int, Kept]]:
    """Yield the missing points as they come, measured in processes of their own."""
    # A fork would copy the threads' locks of the compiled code, but not the threads.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(at_once, mp_context=context)
    try:
        waiting: dict[Future[Kept], int] = {
            pool.submit(timed, experiment.measure, points[position]): position
            for position in missing
        }
        while waiting:
            for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                yield waiting.pop(future), future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
