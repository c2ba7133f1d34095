"""Faults of albic itself: its thread, its planner, its ports, its journal."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import albic
from albic.model import InvalidInput, Plan, PlanRequest, Snapshot
from bench.faults.fault import ALBIC, Fault, Strike, Struck

ONLY = (ALBIC,)
#: Longer than several batches.
HANGS_S = 6.0
PORTS = {
    "statistics": ("observe", "snapshot", "throughput", "new_period"),
    "placement": ("apply", "effect", "ground"),
    "elasticity": ("fleet", "release"),
    "journal": ("add",),
}


class Broken(RuntimeError):
    """What a port raises when it is struck."""


def _parts(struck: Struck) -> Any:  # noqa: ANN401  what is struck is not made to be
    return struck.controller._parts  # type: ignore[union-attr]


def _replaced(struck: Struck, part: str, method: str, by: Callable[..., Any]) -> None:
    """Let a method of a part be another one until the batch is over."""
    owner = getattr(_parts(struck), part)
    setattr(owner, method, by)
    struck.healing.append(lambda: delattr(owner, method))


def _raising(part: str, method: str) -> Strike:
    def strike(struck: Struck) -> None:
        def broken(*_: object, **__: object) -> None:
            raise Broken(f"{part}.{method} was struck")

        _replaced(struck, part, method, broken)

    return strike


def _measured(change: Callable[[Snapshot], Snapshot]) -> Strike:
    """Return what lets measurements be something else."""

    def strike(struck: Struck) -> None:
        truly = _parts(struck).statistics.snapshot
        _replaced(struck, "statistics", "snapshot", lambda: change(truly()))

    return strike


def _usage(value: float) -> Callable[[Snapshot], Snapshot]:
    return lambda seen: replace(seen, usage=np.full_like(seen.usage, value))


def _partial(seen: Snapshot) -> Snapshot:
    return replace(seen, usage=seen.usage[:, :-1])


def _planning(answer: Callable[[PlanRequest], Any]) -> Strike:
    def strike(struck: Struck) -> None:
        _replaced(struck, "planner", "plan", answer)

    return strike


def _hangs(request: PlanRequest) -> Plan:
    time.sleep(HANGS_S)
    raise Broken(f"no plan for {request.snapshot.topology.key_groups} key groups in time")


def _crashes(request: PlanRequest) -> Plan:
    raise Broken(f"no plan for {request.snapshot.topology.key_groups} key groups")


def _nonsense(request: PlanRequest) -> Any:  # noqa: ANN401  that is the point
    return {"owner": [99] * request.snapshot.topology.key_groups}


def _kill_thread(struck: Struck) -> None:
    def dies() -> None:
        raise SystemExit

    _replaced(struck, "statistics", "observe", dies)


def _attach_twice(struck: Struck) -> None:
    try:
        albic.attach(struck.query)
    except InvalidInput:
        return
    raise AssertionError("a second controller was let in")


def _stop_midway(struck: Struck) -> None:
    if struck.controller is not None:
        struck.controller.stop()


def _damage(struck: Struck) -> None:
    with struck.journal.open("r+b") as stream:
        stream.write(b"\0\xff{{{")


def _truncate(struck: Struck) -> None:
    with struck.journal.open("r+b") as stream:
        stream.truncate(struck.journal.stat().st_size // 2)


def _delete(struck: Struck) -> None:
    struck.journal.unlink(missing_ok=True)


def _fault(name: str, about: str, strike: Strike) -> Fault:
    return Fault(name, about, strike, modes=ONLY, moving=True)


FAULTS = (
    _fault("kill the controller's thread", "it ends in the middle of a look", _kill_thread),
    _fault("let the planner hang", f"it answers after {HANGS_S:g} s", _planning(_hangs)),
    _fault("let the planner crash", "it raises", _planning(_crashes)),
    _fault("let the planner answer nonsense", "what it returns is no plan", _planning(_nonsense)),
    *(
        _fault(f"raise in {part}.{method}", "for the rest of the batch", _raising(part, method))
        for part, methods in PORTS.items()
        for method in methods
    ),
    _fault("hand over partial measurements", "a key group is missing", _measured(_partial)),
    _fault("hand over zero measurements", "nobody works", _measured(_usage(0.0))),
    _fault("hand over negative measurements", "every load is -5", _measured(_usage(-5.0))),
    _fault("hand over NaN", "no load is a number", _measured(_usage(np.nan))),
    _fault("damage the journal", "its first bytes are others", _damage),
    _fault("truncate the journal", "half of it is gone", _truncate),
    _fault("delete the journal", "it is gone", _delete),
    _fault("attach twice", "a second controller is asked for", _attach_twice),
    _fault("stop in the middle of a move", "the controller is told to go", _stop_midway),
)
