"""What a fault is, and what it strikes."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from pyspark.sql.streaming.query import StreamingQuery

from albic.control import Controller
from albic.wiring import LocalCluster

PLAIN, ALBIC = "plain", "albic"
#: What a fault may need of the machine beside a cluster.
NODES, MOUNTS = "isolated nodes", "the right to mount"


@dataclass
class Struck:
    """A job that is about to be struck, and what it takes to strike it.

    ``healing`` are steps that make all whole again once the batch is over, last one first.
    """

    cluster: LocalCluster
    query: StreamingQuery
    controller: Controller | None
    folder: Path
    journal: Path
    rng: np.random.Generator
    healing: list[Callable[[], None]] = field(default_factory=list)

    def host(self) -> str:
        """Return a node at random."""
        return str(self.rng.choice(list(self.cluster.hosts)))


Strike = Callable[[Struck], None]


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault.

    Parameters
    ----------
    modes
        Plain Spark has no controller that something could happen to.
    needs
        What it takes beside a cluster.
    python
        Whether it makes sense only under a job whose operators are in Python.
    moving
        Whether half of all state has to move in every batch, so that it strikes in a move.
    fatal
        Whether nobody could go on from there: then the query has to fail, and without a wrong row.
    """

    name: str
    about: str
    strike: Strike
    modes: tuple[str, ...] = (PLAIN, ALBIC)
    needs: str | None = None
    python: bool = False
    moving: bool = False
    fatal: bool = False
