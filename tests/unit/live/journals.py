"""Journals for the tests of what is live: of a few rounds, of many, and of wide jobs."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from albic.control.journal import JsonLinesJournal, MoveRecord, RoundRecord, Status
from albic.model.snapshot_file import snapshot_document
from tests.worlds import request, world


def record(number: int, drawing: str | None = "a: 30 20 10 | b: 5", **more) -> RoundRecord:
    """Return a round that measured what ``drawing`` shows."""
    given = {"status": Status.APPLIED, "reason": "even", "batches": 2, "batch_s": 0.5, **more}
    document = None if drawing is None else snapshot_document(world(drawing).snapshot)
    given.setdefault("distance_before", 20.0 + number % 7)
    given.setdefault("objective", "distance")
    given.setdefault("planner", "search")
    given.setdefault("nodes", 2)
    return RoundRecord(
        number=number,
        at_s=given.pop("at_s", 1_000_000.0 + 20 * number),
        trigger=given.pop("trigger", "period"),
        snapshot=given.pop("snapshot", document),
        **given,
    )


def wide(key_groups: int = 1000, nodes: int = 40) -> dict:
    """Return the snapshot of a job with many key groups that talk to each other."""
    rng = np.random.default_rng(1)
    half = key_groups // 2
    asked = request(
        rng.uniform(0.5, 4.0, key_groups).tolist(),
        rng.integers(0, nodes, key_groups).tolist(),
        nodes=nodes,
        operators=[half, key_groups - half],
        streams=[(0, 1)],
        traffic=[(at, half + at % (key_groups - half), 1000.0) for at in range(half)],
    )
    return snapshot_document(asked.snapshot)


def move(at: int = 0) -> MoveRecord:
    return MoveRecord("o0", at, "a", "b", 100)


def written(path: Path, *records: RoundRecord) -> Path:
    """Append records to a journal and return its path."""
    journal = JsonLinesJournal(path)
    for each in records:
        journal.add(each)
    return path


def story() -> list[RoundRecord]:
    """Return a run with a bit of everything."""
    return [
        record(
            1,
            None,
            status=Status.NOT_READY,
            reason="no batch",
            planner=None,
            objective=None,
            distance_before=None,
            nodes=None,
        ),
        record(
            2,
            moves=(move(0), move(1)),
            distance_before=25.0,
            distance_after=5.0,
            judged=8,
            compliant=7,
            mean_load_pct=32.5,
        ),
        record(
            3,
            distance_before=6.0,
            trigger="loss",
            moves=(move(2),),
            nodes=1,
            judged=8,
            compliant=8,
            local_bytes=300,
            remote_bytes=100,
        ),
        replace(
            record(
                4,
                None,
                status=Status.FAILED,
                reason="stays",
                planner=None,
                objective=None,
                distance_before=None,
                nodes=None,
            ),
            error="OSError: s3a://me:hunter2@bucket/x is full",
        ),
    ]
