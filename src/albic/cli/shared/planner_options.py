"""What a planner is asked, as options that several commands have."""

# ruff: noqa: PLC0415, PLR0913

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, get_type_hints

from albic.cli.shared.options import (
    DrainWeight,
    Goal,
    MaxCost,
    MaxCpu,
    MaxLoadDistance,
    MaxMemory,
    MaxMigrations,
    MaxNetwork,
    Seed,
    TargetDistance,
    TimeLimit,
)

if TYPE_CHECKING:
    from albic.cli.shared.planning import Wishes

#: The argument of a command that gets what was asked.
ASKED = "wishes"


def question(
    *,
    max_migrations: MaxMigrations = None,
    max_cost: MaxCost = None,
    objective: Goal = "distance",
    target_distance: TargetDistance = None,
    max_load_distance: MaxLoadDistance = 10.0,
    time_limit: TimeLimit = 0.2,
    seed: Seed = 1,
    max_cpu: MaxCpu = 100.0,
    max_memory: MaxMemory = 100.0,
    max_network: MaxNetwork = 100.0,
    drain_weight: DrainWeight = 1.5,
) -> "Wishes":
    """Return what the options ask for."""
    from albic.cli.shared import planning

    return planning.Wishes(
        max_migrations=max_migrations,
        max_cost=max_cost,
        objective=objective,
        target_distance_pct=target_distance,
        max_load_distance_pct=max_load_distance,
        limits_pct=(max_cpu, max_memory, max_network),
        drain_weight=drain_weight,
        time_limit_s=time_limit,
        seed=seed,
    )


def asking(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of :func:`question` in place of its argument ``wishes``."""
    options = inspect.signature(question).parameters
    own = inspect.signature(command)
    parameters = []
    for name, parameter in own.parameters.items():
        parameters += list(options.values()) if name == ASKED else [parameter]

    @functools.wraps(command)
    def with_options(**given: Any) -> None:  # noqa: ANN401  whatever the options are
        asked = {name: given.pop(name) for name in options}
        command(**given, **{ASKED: question(**asked)})

    # The library that reads options looks at both.
    with_options.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    hints = get_type_hints(question, localns={"Wishes": object}, include_extras=True)
    mine = {name: kind for name, kind in command.__annotations__.items() if name != ASKED}
    with_options.__annotations__ = {**hints, **mine}
    return with_options
