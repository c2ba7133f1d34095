"""The scenes of the bench on isolated nodes, each with what albic promises for it.

Nobody waits here: an event costs the processor of the node that has its key group. Sizes are such
that a batch of plain Spark takes two to three seconds on nodes with 40 % of a core.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from albic.jobs.chained import LOAD, Chain
from albic.jobs.drifting import Drift
from bench.scenes import NODES, Place, Scene

#: What each node has of a core. Two cores are enough for four of them, the driver and the storage.
CORE = 0.4
EQUAL = (CORE,) * NODES
SLOW, FAST, UNLIMITED = "100mbit", "1gbit", "unlimited"
#: All key groups may move twice in a period: what a move has to win limits them, not a number.
ALL = 2.0
#: Beyond any run: nothing changes.
NEVER = 10_000
#: Batches until state lies where it was dealt to and links have their limit.
OPENING = 3
#: Batches until the first that counts, and those that count where hot keys change.
BEFORE, CHANGING = 6, 16
#: Batches to find a placement, and those that count, where nothing changes.
SETTLING, STILL = 5, 7
#: Batches that newcomers have to get warm and every way to find its placement.
JOINING = 7

#: One small state a key group, and work. Dealt out to four nodes, the busiest has half as much
#: again as its share in each of the first phases: as in the middle one of many draws.
COUNTING = Drift(
    key_groups=16,
    events=960,
    wait_ms=0,
    work=1_400,
    skew=0.8,
    first_phase=BEFORE,
    phase=8,
    seed=28,
)
#: Batches without work that write the state, until a first snapshot of it has been stored. A job
#: that has run for long has that behind it.
FILLING = 18
#: About 20 MB of state a key group: 2,500 keys of 8 KiB, of which a batch writes a part.
KEEPING = replace(
    COUNTING,
    events=480,
    work=2_200,
    keys=2_500,
    note_bytes=8_192,
    filled=True,
    free=FILLING,
    first_phase=FILLING + BEFORE - OPENING,
    phase=12,
)
#: Pairs that send 40 MB a batch, all alike.
PAIRS = Chain(replace(LOAD, sources=NODES))
#: Three operators with work and hot keys that change. As above, the busiest of four nodes has half
#: as much again as its share; fewer key groups need less skew for that.
TRIPLES = Chain(
    replace(LOAD, sources=NODES, events=10_000, skew=0.7, first_phase=BEFORE, phase=7),
    kib=2,
    operators=3,
    work=100,
)

PLAIN_AS_IT_COMES, BEST = "plain as it comes", "the best plain setting"


@dataclass(frozen=True, slots=True)
class Promise:
    """How long a batch of albic takes at most, as a share of ``against``; ``of`` is a column."""

    most: float
    against: str = PLAIN_AS_IT_COMES
    of: str = "batch s"


@dataclass(frozen=True, slots=True)
class Act:
    """A scene, what it is about, and what is promised.

    ``learns`` asks for the speeds of nodes, ``local`` for no bytes between nodes.
    """

    scene: Scene
    about: str
    promises: tuple[Promise, ...]
    learns: bool = False
    local: bool = False

    @property
    def against_best(self) -> bool:
        """Return whether something is promised beside the best plain setting."""
        return any(promise.against == BEST for promise in self.promises)


def acts(*, quick: bool) -> dict[str, Act]:
    """Return the scenes by the names of the command line; quick ones are too short for goals."""
    return {**_changing(quick=quick), **_pairs(quick=quick), **_others(quick=quick)}


def rehearsals(chosen: Iterable[Scene]) -> tuple[Scene, ...]:
    """Return a scene for each kind of job among ``chosen``, for batches that nobody measures."""
    jobs: dict[str, Drift | Chain] = {
        "state": replace(KEEPING, free=1),
        "counts": COUNTING,
        "pairs": PAIRS,
        "triples": TRIPLES,
    }
    wanted = {_kind(scene.job) for scene in chosen}
    place = Place(EQUAL, UNLIMITED)
    return tuple(
        Scene(f"rehearsal, {name}", job, before=2, after=5, place=place)
        for name, job in jobs.items()
        if _kind(job) in wanted
    )


def _kind(job: Drift | Chain) -> tuple[object, ...]:
    """Return what makes a job warm up on its own: its operators and what they keep."""
    if isinstance(job, Chain):
        return Chain, job.operators
    return Drift, bool(job.note_bytes)


def bare() -> tuple[Scene, ...]:
    """Return the jobs with next to no rows and no work: what a batch costs whoever owns what."""
    nothing = {"wait_ms": 0, "work": 0, "first_phase": NEVER}
    jobs: dict[str, Drift | Chain] = {
        "counts": replace(COUNTING, events=COUNTING.key_groups, **nothing),
        "pairs": Chain(replace(PAIRS.load, events=PAIRS.key_groups)),
        "triples": Chain(replace(TRIPLES.load, events=TRIPLES.key_groups), operators=3),
    }
    place = Place(EQUAL, UNLIMITED)
    return tuple(
        Scene(f"bare {name}", job, before=2, after=6, shift=0, opening=OPENING, place=place)
        for name, job in jobs.items()
    )


def _changing(*, quick: bool) -> dict[str, Act]:
    """Return the scenes of one operator whose hot keys change."""
    counted = CHANGING - 5 if quick else CHANGING
    drift = Scene(
        "hot keys change",
        COUNTING,
        before=BEFORE,
        after=counted + COUNTING.phase,
        opening=OPENING,
        shift=0,
        place=Place(EQUAL, FAST),
        part_moved=ALL,
    )
    state = replace(
        drift,
        name="20 MB a key group, network storage",
        job=KEEPING,
        before=KEEPING.first_phase,
        after=counted + 8,
        opening=FILLING,
        place=Place(EQUAL, SLOW, far_storage=True),
    )
    return {
        "drift": Act(
            drift,
            "hot keys change; four equal nodes, small state, local disk",
            (Promise(0.80), Promise(1.00, BEST)),
        ),
        "state": Act(
            state,
            "the same with 20 MB of state a key group, on storage beyond links of 100 Mbit/s",
            (Promise(0.85, BEST), Promise(0.85, BEST, "p95 s")),
        ),
        "state-disk": Act(
            replace(
                state, name="20 MB a key group, local disk", after=14, place=Place(EQUAL, SLOW)
            ),
            "the same state on the local disk",
            (Promise(1.00, BEST),),
        ),
    }


def _pairs(*, quick: bool) -> dict[str, Act]:
    """Return the scenes of operators that talk to each other."""
    torn = Scene(
        "torn pairs, 100 Mbit/s",
        PAIRS,
        before=OPENING + 1,
        after=SETTLING + (STILL - 3 if quick else STILL),
        settling=SETTLING,
        opening=OPENING,
        shift=1,
        planner="joint",
        period="2 batches",
        place=Place(EQUAL, SLOW),
        part_moved=ALL,
    )
    fast = replace(torn, name="torn pairs, 1 Gbit/s", place=Place(EQUAL, FAST))
    free = replace(torn, name="torn pairs, loopback", place=Place(EQUAL, UNLIMITED))
    calm = replace(torn, name="nothing to win", shift=0)
    chain = replace(
        torn,
        name="three operators, hot keys change",
        job=TRIPLES,
        before=BEFORE,
        after=CHANGING - 5 if quick else CHANGING - 2,
        settling=0,
        shift=0,
    )
    return {
        "torn": Act(
            torn,
            "two operators with one-to-one traffic of 40 MB a batch, every pair on two nodes at "
            "the start; links of 100 Mbit/s",
            (Promise(0.72),),
            local=True,
        ),
        "torn-1g": Act(fast, "the same at 1 Gbit/s", (Promise(1.00),)),
        "torn-loopback": Act(free, "the same without a limit", (Promise(1.00),)),
        "chain": Act(
            chain,
            "three operators in a row with one-to-one traffic and work in each, hot keys "
            "change, every row of a key on one node at the start; 100 Mbit/s",
            (Promise(0.85, BEST),),
        ),
        "calm": Act(
            calm, "two operators, even load, every pair on one node already", (Promise(1.01),)
        ),
    }


def _others(*, quick: bool) -> dict[str, Act]:
    """Return the scenes about nodes that differ; nodes are young after the last of them."""
    counted = STILL - 3 if quick else STILL
    # A node with half the processor, or half of the nodes, make a batch twice as long.
    still = replace(COUNTING, first_phase=NEVER, work=COUNTING.work * 2 // 3)
    half = Scene(
        "one node has half",
        replace(still, skew=0.0),
        before=OPENING + 1,
        after=SETTLING + counted,
        settling=SETTLING,
        opening=OPENING,
        shift=0,
        place=Place((*EQUAL[:-1], CORE / 2), FAST),
        part_moved=ALL,
    )
    late = Scene(
        "two of four join late",
        still,
        before=OPENING + 1,
        after=JOINING + counted,
        settling=JOINING,
        nodes=NODES // 2,
        joining=NODES // 2,
        opening=OPENING,
        shift=0,
        place=Place(EQUAL, FAST),
        part_moved=ALL,
    )
    return {
        "half": Act(
            half,
            "even load; one node has half the processor of the others",
            (Promise(0.75),),
            learns=True,
        ),
        "late": Act(
            late,
            f"two of four nodes join while the job runs; {JOINING} batches until it counts",
            (Promise(0.60),),
        ),
    }
