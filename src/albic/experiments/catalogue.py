"""All experiments by name."""

from typing import Any

from albic.experiments.entries.balance import BALANCE
from albic.experiments.entries.collocation import CLUSTERS, SHARES
from albic.experiments.entries.jobs import JOB_1, JOB_2, JOB_3, JOB_4
from albic.experiments.entries.lemmas import LEMMAS
from albic.experiments.entries.migrations import MIGRATIONS
from albic.experiments.entries.scale import SCALE
from albic.experiments.entries.scale_in import SCALE_IN
from albic.experiments.entries.solver import SOLVER
from albic.experiments.experiment import Experiment
from albic.model import InvalidInput
from albic.model.fields import nearest

_EVERY: tuple[Experiment[Any], ...] = (
    *SOLVER,
    SCALE_IN,
    BALANCE,
    MIGRATIONS,
    SHARES,
    CLUSTERS,
    JOB_2,
    JOB_3,
    JOB_4,
    JOB_1,
    LEMMAS,
    SCALE,
)
EXPERIMENTS = {experiment.name: experiment for experiment in _EVERY}
ALL = "all"


def chosen(names: list[str]) -> list[Experiment[Any]]:
    """Return the named experiments in our order, each once; ``all`` names every one."""
    for name in names:
        if name != ALL and name not in EXPERIMENTS:
            meant = nearest(name, [*EXPERIMENTS, ALL])
            hint = f"did you mean {meant}?" if meant else f"known are {', '.join(EXPERIMENTS)}"
            raise InvalidInput(f"there is no experiment {name!r}; {hint}")
    if ALL in names:
        return list(EXPERIMENTS.values())
    return [experiment for name, experiment in EXPERIMENTS.items() if name in names]
