"""What the user asks of ``albic run``, and what is wrong with it."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

from albic.cli.shared.folders import make_folder
from albic.control import Pace
from albic.jobs.real import Inputs, RealJob
from albic.jobs.stores import opened
from albic.jobs.stores.store import Patience
from albic.model import InvalidInput, StoreGone
from albic.model.fields import nearest
from albic.nodes.isolation import NOT_ISOLATED, Isolation
from albic.nodes.names import MOST_NODES
from albic.planners import find_planner

#: Plain Spark.
NONE = "none"
#: The power of two choices: a job of its own instead of a planner, where there is one.
POTC = "potc"
PLANNERS = (NONE, "joint")
#: How operators that share a key may run, as one or each for itself; and what a run that chains is
#: called beside one that does not.
AUTO, NEVER = "auto", "never"
CHAINED = "-chained"
#: Apart if nothing is said: what planners bring shows where rows travel.
CHAINS = (NEVER,)
#: Batches that have to follow those that do not count, for a start and an end to tell apart.
FEWEST = 3


@dataclass(frozen=True, slots=True)
class Wishes:
    """What is run, with which planners, and where its results go; ``picture`` has no suffix."""

    job: str
    out: Path
    planners: tuple[str, ...] = PLANNERS
    chains: tuple[str, ...] = CHAINS
    nodes: int = 4
    key_groups: int | None = None
    batches: int = 16
    rows: int | None = None
    repeats: int = 2
    period: str = "2 batches"
    max_migrations: int = 4
    objective: str = "auto"
    data: Path | None = None
    store: str | None = None
    picture: Path | None = None
    seed: int = 1
    isolation: Isolation = NOT_ISOLATED

    def check(self, jobs: Collection[str], warm_up: int) -> None:
        """Refuse what cannot be run, before anything is started."""
        if self.job not in jobs:
            meant = nearest(self.job, jobs)
            hint = f"did you mean {meant}?" if meant else f"known are {', '.join(jobs)}"
            raise InvalidInput(f"there is no job {self.job!r}; {hint}")
        self._check_planners(jobs)
        self._check_chains()
        self._check_numbers(warm_up)
        self.isolation.checked(self.nodes)
        Pace.of(self.period)
        if self.data is not None and not self.data.exists():
            raise InvalidInput(f"--data: there is no file or folder {str(self.data)!r}")
        if self.store is not None:
            self._check_store(self.store)
        make_folder(self.out)
        if self.picture is not None:
            make_folder(self.picture.parent)

    def settled(self, job: RealJob) -> "Wishes":
        """Return the wishes with the job's own numbers where none were given.

        Data of the user's own may be few: then as many rows a batch as they have.
        """
        rows = self.rows or job.rows
        if self.rows is None and self.data is not None:
            there = job.prepare(Inputs(Path(), data=self.data))
            rows = max(min(rows, there // self.batches), 1)
        return replace(self, rows=rows, key_groups=self.key_groups or job.key_groups)

    def inputs(self, folder: Path) -> Inputs:
        """Return what a run in ``folder`` reads, and where it writes."""
        return Inputs(
            folder=folder,
            data=self.data,
            store=self.store,
            key_groups=self.key_groups or 1,
            rows_per_batch=self.rows,
            batches=self.batches,
        )

    def names(self) -> tuple[str, ...]:
        """Return what the runs are called: by who plans, and by chaining where both are run."""
        if len(self.chains) == 1:
            return self.planners
        suffixes = {NEVER: "", AUTO: CHAINED}
        return tuple(f"{name}{suffixes[chain]}" for chain in self.chains for name in self.planners)

    def variant(self, name: str) -> tuple[str, str]:
        """Return the job to run, and who plans it."""
        planner = name.removesuffix(CHAINED)
        return (f"{self.job}-{POTC}", NONE) if planner == POTC else (self.job, planner)

    def chain(self, name: str) -> str:
        """Return how operators of one key run."""
        if len(self.chains) == 1:
            return self.chains[0]
        return AUTO if name.endswith(CHAINED) else NEVER

    def budget(self, planner: str, key_groups: int) -> int:
        """Return how many key groups may move in a period.

        A planner that begins from scratch each time, as COLA does, knows no limit.
        """
        keeps = planner == NONE or getattr(find_planner(planner), "keeps_budget", True)
        return self.max_migrations if keeps else key_groups

    def _check_planners(self, jobs: Collection[str]) -> None:
        """Refuse planners that nobody has, and those that are named twice."""
        for name in self.planners:
            job, planner = self.variant(name)
            if job not in jobs:
                raise InvalidInput(f"--planner {name}: {self.job} has no variant {job}")
            if planner != NONE:
                find_planner(planner)
            if self.planners.count(name) > 1:
                raise InvalidInput(
                    f"--planner {name} is given twice; --repeats runs all of them again"
                )

    def _check_chains(self) -> None:
        """Refuse ways of chaining that there are not, and those that are named twice."""
        for chain in self.chains:
            if chain not in (AUTO, NEVER):
                meant = nearest(chain, (AUTO, NEVER))
                hint = f"did you mean {meant}?" if meant else f"it is {AUTO} or {NEVER}"
                raise InvalidInput(f"--chain {chain}: {hint}")
            if self.chains.count(chain) > 1:
                raise InvalidInput(
                    f"--chain {chain} is given twice; --repeats runs all of them again"
                )

    def _check_numbers(self, warm_up: int) -> None:
        """Refuse numbers that nothing can be run with."""
        fewest = warm_up + FEWEST
        for name, value, least, most in (
            ("--nodes", self.nodes, 1, MOST_NODES),
            ("--key-groups", self.key_groups, 1, 1000),
            ("--batches", self.batches, fewest, 1_000_000),
            ("--rows", self.rows, 1, 10_000_000),
            ("--repeats", self.repeats, 1, 1000),
            ("--max-migrations", self.max_migrations, 0, 1_000_000),
        ):
            if value is not None and not least <= value <= most:
                raise InvalidInput(f"{name} is {value}; it must be from {least} to {most:,}")

    def _check_store(self, store: str) -> None:
        """Refuse a store that cannot be opened now."""
        try:
            opened(store, Patience(attempts=1)).close()
        except StoreGone as wrong:
            raise InvalidInput(f"--store does not answer: {wrong.__cause__}") from None
