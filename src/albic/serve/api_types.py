"""What the API takes and gives, beside what the state of a job already is."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from albic.advice import Finding
from albic.control import ControllerStatus
from albic.control.journal import RoundRecord
from albic.control.proposals import Proposal
from albic.live.round_text import Move, Tale, tale_of
from albic.live.state import LastPlan
from albic.serve.jobs import Job

#: The most moves of a proposal that are listed.
MOST_MOVES = 200
#: The most key groups that a period may be given to move.
MOST_MIGRATIONS = 1_000_000
#: The most operators or executors that can be kept out of plans from here.
MOST_NAMES = 500
Name = Annotated[str, Field(min_length=1, max_length=200)]


class Failure(BaseModel):
    """Why something was not done, in a sentence."""

    error: str


class PlanNow(BaseModel):
    """Plan now; a proposal unless told to act."""

    model_config = ConfigDict(extra="forbid", strict=True)
    act: bool = False


class Changes(BaseModel):
    """Settings to go on with; what is left out stays."""

    model_config = ConfigDict(extra="forbid", strict=True)
    period: Annotated[
        str | None, Field(max_length=40, description='such as "20s" or "5 batches"')
    ] = None
    max_migrations: Annotated[int | None, Field(ge=0, le=MOST_MIGRATIONS)] = None
    planner: Annotated[str | None, Field(min_length=1, max_length=100)] = None
    approve: bool | None = None
    exclude_operators: Annotated[
        list[Name] | None, Field(max_length=MOST_NAMES, description="all that are kept out")
    ] = None
    exclude_executors: Annotated[
        list[Name] | None, Field(max_length=MOST_NAMES, description="all that receive nothing")
    ] = None


@dataclass(frozen=True, slots=True)
class JobLine:
    """A job in the list of all: enough to see whether it needs a look."""

    id: str
    name: str
    live: bool
    paused: bool
    waiting: bool
    missing: bool
    records: int
    distance_pct: float | None
    batch_s: float | None
    failed: int
    last_record_s: float | None


@dataclass(frozen=True, slots=True)
class Rounds:
    """Rounds, newest first."""

    rounds: tuple[Tale, ...]


@dataclass(frozen=True, slots=True)
class Waiting:
    """A plan that waits for an answer, with what it wins."""

    id: str
    made_s: float
    lapses_s: float
    planner: str
    reason: str
    objective: str
    scaling: str
    add: int
    drain: tuple[str, ...]
    moves: tuple[Move, ...]
    more_moves: int


@dataclass(frozen=True, slots=True)
class Proposals:
    """The plan that waits, if one does, and the plan of the last round."""

    waiting: Waiting | None
    last: LastPlan | None


@dataclass(frozen=True, slots=True)
class SettingsNow:
    """What can be changed at run time; ``controller`` is None where nothing can."""

    controller: ControllerStatus | None
    planners: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Findings:
    """What placement cannot mend."""

    advice: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a request, as the journal has it."""

    record: Tale


def line_of(job: Job) -> JobLine:
    """Return a job for the list."""
    page = job.page(rounds=1)
    state, status = page.state, page.controller
    recent = [value for value in state.courses.batch_s[-5:] if value is not None]
    return JobLine(
        id=job.id,
        name=job.name,
        live=status is not None and status.running,
        paused=state.health.paused if status is None else status.paused,
        waiting=status is not None and status.proposal is not None,
        missing=page.reading.missing,
        records=state.records,
        distance_pct=None if state.executors is None else state.executors.distance_pct,
        batch_s=recent[-1] if recent else None,
        failed=state.health.failed,
        last_record_s=state.health.last_record_s,
    )


def waiting_of(proposal: Proposal | None) -> Waiting | None:
    """Return a plan that waits, by name."""
    if proposal is None:
        return None
    snapshot, plan = proposal.request.snapshot, proposal.plan
    operator_of, offsets = snapshot.topology.operator_of(), snapshot.topology.offsets()
    nodes, operators = snapshot.cluster.nodes, snapshot.topology.operators
    return Waiting(
        id=proposal.id,
        made_s=proposal.made_s,
        lapses_s=proposal.lapses_s,
        planner=plan.planner,
        reason=plan.reason,
        objective=plan.objective.value,
        scaling=proposal.decision.reason,
        add=proposal.decision.add,
        drain=proposal.decision.drain,
        moves=tuple(
            Move(
                operator=operators[operator_of[move.key_group]].name,
                partition=int(move.key_group - offsets[operator_of[move.key_group]]),
                source=nodes[move.source].id,
                target=nodes[move.target].id,
                state_bytes=int(snapshot.state_bytes[move.key_group]),
            )
            for move in plan.moves[:MOST_MOVES]
        ),
        more_moves=max(len(plan.moves) - MOST_MOVES, 0),
    )


def done(record: RoundRecord) -> Done:
    """Return what came of a request."""
    return Done(tale_of(record))
