"""The scenes of the Spark bench, and the ways to run them: plain, with even counts, with albic."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from albic.control import RoundRecord
from albic.control.batches import BatchRecord
from albic.control.journal import Status
from albic.jobs.chained import Chain
from albic.jobs.drifting import Drift

NODES = 4
#: Names of the ways to run a scene. Plain Spark comes with its own wait for a busy executor, and
#: with none, which lets any idle executor take a task and load its state.
PLAIN, IMPATIENT, EVEN, ALBIC = "plain, wait 3 s", "plain, wait 0 s", "even counts", "albic"
WAYS = (PLAIN, IMPATIENT, EVEN, ALBIC)
#: Batches that every way has to find its placement, where the scene is about where it ends.
SETTLING = 6
#: Settings that all benches on Spark need: every batch is told, also that of a long run.
SETTINGS = {"spark.sql.streaming.numRecentProgressUpdates": "1000"}


@dataclass(frozen=True, slots=True)
class Place:
    """What the nodes of a scene are like, and whether storage is beyond their links.

    ``cpu`` has one share of a core for each node, oldest first.
    """

    cpu: tuple[float, ...]
    network: str
    far_storage: bool = False


@dataclass(frozen=True, slots=True)
class Scene:
    """What happens: the job, the nodes at the start, and the batches that count.

    After ``opening`` batches the controller comes, where there is one. Until then state is dealt
    out, with a ``shift`` from operator to operator, unless that is None and Spark deals; and links
    have no limit. ``joining`` nodes are asked for after ``before`` batches, and ``after`` is
    counted from the batch in which they are there. The first ``settling`` of those batches do not
    count. Without a ``place``, nodes are as the cluster made them. ``part_moved`` of all key groups
    may move in a period.
    """

    name: str
    job: Drift | Chain
    before: int
    after: int
    settling: int = 0
    nodes: int = NODES
    joining: int = 0
    opening: int = 1
    shift: int | None = None
    planner: str = "auto"
    period: str = "20s"
    place: Place | None = None
    part_moved: float = 0.5

    @property
    def max_migrations(self) -> int:
        """Return how many key groups may move in a period."""
        return int(self.part_moved * self.key_groups)

    @property
    def load(self) -> Drift:
        """Return what comes, and when it changes."""
        return self.job.load if isinstance(self.job, Chain) else self.job

    @property
    def operators(self) -> int:
        """Return how many operators there are in a row, each of which is a stage."""
        return self.job.operators if isinstance(self.job, Chain) else 1

    @property
    def key_groups(self) -> int:
        """Return the key groups of all operators."""
        return self.load.key_groups * self.operators


@dataclass(frozen=True, slots=True)
class Run:
    """One way through a scene; batches count from ``counts_from`` on.

    ``controller_s`` is how long the controller's thread worked, ``state_bytes`` what a new owner of
    each key group would have had to load at the end. ``speed`` is the processor of each node, as a
    share of the usual one's; 1 where it does not say.
    """

    way: str
    batches: tuple[BatchRecord, ...]
    counts_from: int = 0
    rounds: tuple[RoundRecord, ...] = ()
    controller_s: float = 0.0
    seconds: float = 0.0
    state_bytes: tuple[int, ...] = ()
    speed: Mapping[str, float] = field(default_factory=dict)

    @property
    def counted(self) -> tuple[BatchRecord, ...]:
        """Return the batches that count."""
        return tuple(record for record in self.batches if record.batch >= self.counts_from)

    @property
    def compliance(self) -> float | None:
        """Return the share of tasks that ran where they should."""
        judged = sum(each.judged for each in self.rounds)
        return sum(each.compliant for each in self.rounds) / judged if judged else None

    @property
    def moves(self) -> int:
        """Return how many key groups were told to move."""
        return sum(len(each.moves) for each in self.rounds if each.status is Status.APPLIED)


def scenes(*, quick: bool) -> tuple[Scene, ...]:
    """Return the three scenes; quick ones are too short for their goals."""
    changing, still = Drift(first_phase=4), Drift(first_phase=10_000)
    return (
        Scene("drift", changing, before=4, after=12 if quick else 24),
        Scene(
            "late nodes",
            still,
            before=4,
            after=9 if quick else 16,
            settling=SETTLING,
            nodes=NODES // 2,
            joining=NODES // 2,
        ),
        Scene(
            "tiny first batch", tiny(still), before=2, after=9 if quick else 18, settling=SETTLING
        ),
    )


def tiny(job: Drift) -> Drift:
    """Return ``job`` with a first batch that costs nothing, from a source of one partition."""
    return Drift(first_phase=job.first_phase, sources=1, free=1)
