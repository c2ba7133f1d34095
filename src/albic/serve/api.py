"""The API: how a job stands, and what may be asked of its controller.

Functions here are plain ones, so each runs in a thread of the server's: whoever asks a controller
waits for its loop, and nobody else does.
"""

import hashlib
from collections.abc import Callable, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Header, HTTPException, Query, Response
from pydantic import TypeAdapter

from albic.control import Controller, RoundRecord
from albic.control.ports import Planner
from albic.model import AlbicError, InvalidInput, JobEnded, NotReady
from albic.serve import api_types
from albic.serve.api_types import Changes, Failure, PlanNow
from albic.serve.jobs import Job, JobPage, Jobs

#: The most rounds that are handed out at a time, and the largest number of one.
MOST_ROUNDS, LAST_ROUND = 500, 2**53
#: Who the journal names for what was asked here.
BY = "api"
PAGE: TypeAdapter[JobPage] = TypeAdapter(JobPage)

FAILURES: dict[int | str, dict[str, Any]] = {
    401: {"model": Failure, "description": "the token is missing or wrong"},
    403: {"model": Failure, "description": "another site's page asks"},
    404: {"model": Failure, "description": "there is no such job"},
    421: {"model": Failure, "description": "the host is not served here"},
    422: {"model": Failure, "description": "a value makes no sense"},
}
REFUSALS: dict[int | str, dict[str, Any]] = {
    **FAILURES,
    409: {"model": Failure, "description": "that cannot be done now"},
    410: {"model": Failure, "description": "the controller has ended"},
    503: {"model": Failure, "description": "the controller is busy; ask again"},
}


def api_router(jobs: Jobs, planners: Sequence[str]) -> APIRouter:
    """Return all routes; ``planners`` are the names that can be chosen."""
    router = APIRouter(prefix="/api", responses=FAILURES)
    _add_state(router, jobs)
    _add_details(router, jobs, planners)
    _add_orders(router, jobs)
    _add_executors(router, jobs)
    _add_answers(router, jobs)
    return router


def _add_state(router: APIRouter, jobs: Jobs) -> None:
    """Add how things stand."""

    @router.get("/jobs")
    def list_jobs() -> list[api_types.JobLine]:
        """List all jobs."""
        return [api_types.line_of(job) for job in jobs]

    @router.get(
        "/jobs/{job}/state",
        response_model=JobPage,
        responses={304: {"description": "nothing has changed", "model": None}},
    )
    def state(
        job: str,
        rounds: Annotated[int, Query(ge=0, le=MOST_ROUNDS)] = 50,
        if_none_match: Annotated[str | None, Header()] = None,
    ) -> Response:
        """Return all that a page shows of a job."""
        body = PAGE.dump_json(_found(jobs, job).page(rounds))
        tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
        if if_none_match == tag:
            return Response(status_code=304, headers={"ETag": tag})
        return Response(body, media_type="application/json", headers={"ETag": tag})

    @router.get("/jobs/{job}/rounds")
    def rounds(
        job: str,
        limit: Annotated[int, Query(ge=1, le=MOST_ROUNDS)] = 100,
        before: Annotated[int | None, Query(ge=0, le=LAST_ROUND)] = None,
    ) -> api_types.Rounds:
        """Return the newest rounds that are kept, or those before a position."""
        return api_types.Rounds(tuple(_found(jobs, job).rounds(limit, before)))

    @router.get("/jobs/{job}/snapshot")
    def snapshot(job: str) -> dict[str, Any]:
        """Return the newest measurement, as a snapshot file has it."""
        document = _found(jobs, job).snapshot()
        if document is None:
            raise HTTPException(404, "nothing was measured yet")
        return document


def _add_details(router: APIRouter, jobs: Jobs, planners: Sequence[str]) -> None:
    """Add what plans, settings and advice there are."""

    @router.get("/jobs/{job}/proposals")
    def proposals(job: str) -> api_types.Proposals:
        """Return the plan that waits for an answer, and the plan of the last round."""
        found = _found(jobs, job)
        waiting = None if found.controller is None else found.controller.waiting
        return api_types.Proposals(api_types.waiting_of(waiting), found.page(rounds=1).state.plan)

    @router.get("/jobs/{job}/settings")
    def settings(job: str) -> api_types.SettingsNow:
        """Return what can be changed at run time."""
        return api_types.SettingsNow(_found(jobs, job).status(), tuple(planners))

    @router.get("/jobs/{job}/advice")
    def advice(job: str) -> api_types.Findings:
        """Return what placement cannot mend, in words and numbers."""
        return api_types.Findings(_found(jobs, job).advice())


def _add_orders(router: APIRouter, jobs: Jobs) -> None:
    """Add what asks something of a controller; each takes the token."""

    @router.post("/jobs/{job}/pause", responses=REFUSALS)
    def pause(job: str) -> api_types.Done:
        """Plan and move nothing until resumed, but for what lies on a lost executor."""
        return _done(_steered(jobs, job).pause(by=BY))

    @router.post("/jobs/{job}/resume", responses=REFUSALS)
    def resume(job: str) -> api_types.Done:
        """Plan again."""
        return _done(_steered(jobs, job).resume(by=BY))

    @router.post("/jobs/{job}/stop", responses=REFUSALS)
    def stop(job: str) -> api_types.Done:
        """Drop the moves that are not made yet, and plan nothing until resumed."""
        return _done(_steered(jobs, job).stop_moves(by=BY))

    @router.post("/jobs/{job}/plan", responses=REFUSALS)
    def plan_now(job: str, asked: PlanNow | None = None) -> api_types.Done:
        """Plan now; the plan waits for an answer unless it was told to act."""
        act = asked is not None and asked.act
        return _done(_steered(jobs, job).propose(act=act, by=BY))

    @router.patch("/jobs/{job}/settings", responses=REFUSALS)
    def change(job: str, asked: Changes) -> api_types.Done:
        """Go on with another period, budget or planner, with approval or without."""
        # A name only: nobody hands over a planner's code from outside.
        planner: str | Planner | None = asked.planner
        record = _steered(jobs, job).change(
            period=asked.period,
            max_migrations=asked.max_migrations,
            planner=planner,
            approve=asked.approve,
            exclude_operators=asked.exclude_operators,
            exclude_executors=asked.exclude_executors,
            by=BY,
        )
        return _done(record)


def _add_executors(router: APIRouter, jobs: Jobs) -> None:
    """Add what empties single executors; each takes the token."""

    @router.post("/jobs/{job}/executors/{executor}/drain", responses=REFUSALS)
    def drain(job: str, executor: str) -> api_types.Done:
        """Empty an executor, and keep it empty until it is released."""
        controller = _steered(jobs, job)
        return _answered(lambda: controller.drain(executor, by=BY))

    @router.post("/jobs/{job}/executors/{executor}/release", responses=REFUSALS)
    def release(job: str, executor: str) -> api_types.Done:
        """Let an executor that was drained have key groups again."""
        controller = _steered(jobs, job)
        return _answered(lambda: controller.release(executor, by=BY))


def _add_answers(router: APIRouter, jobs: Jobs) -> None:
    """Add what answers a plan that waits; each takes the token."""

    @router.post("/jobs/{job}/proposals/{proposal}/accept", responses=REFUSALS)
    def accept(job: str, proposal: str) -> api_types.Done:
        """Carry out the plan that waits."""
        controller = _steered(jobs, job)
        return _answered(lambda: controller.accept(proposal, by=BY))

    @router.post("/jobs/{job}/proposals/{proposal}/reject", responses=REFUSALS)
    def reject(job: str, proposal: str) -> api_types.Done:
        """Drop the plan that waits."""
        controller = _steered(jobs, job)
        return _answered(lambda: controller.reject(proposal, by=BY))


def status_of(wrong: AlbicError) -> int:
    """Return the status of an answer that is one of albic's errors."""
    if isinstance(wrong, JobEnded):
        return 410
    if isinstance(wrong, NotReady):
        return 503
    return 422 if isinstance(wrong, InvalidInput) else 409


def _found(jobs: Jobs, id_: str) -> Job:
    """Return the job of that id, or say that there is none."""
    job = jobs.get(id_)
    if job is None:
        raise HTTPException(404, "there is no such job; /api/jobs lists them")
    return job


def _steered(jobs: Jobs, id_: str) -> Controller:
    """Return the controller of a job, or say that it is not here."""
    job = _found(jobs, id_)
    if job.controller is None:
        raise HTTPException(
            409, "only its journal is here, not its controller; attach with serve= to change things"
        )
    if not job.controller.running:
        raise HTTPException(410, "the controller has ended; attach to the query again")
    return job.controller


def _answered(ask: Callable[[], RoundRecord]) -> api_types.Done:
    """Return what came of a request about a thing that has a name; it may not be there now."""
    try:
        return _done(ask())
    except InvalidInput as wrong:
        raise HTTPException(409, str(wrong)) from None


def _done(record: RoundRecord) -> api_types.Done:
    return api_types.done(record)
