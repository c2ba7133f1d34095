"""Records of rounds become evidence: the newest of the last controller, and nothing stale."""

from dataclasses import replace

import numpy as np
import pytest

from albic.advice import TaskCost
from albic.advice.surroundings import SPECULATION
from albic.control import JsonLinesJournal, Settings, read_journal
from albic.control.advice_evidence import RECENT, advice, evidence
from albic.control.journal import RoundRecord, Status
from albic.control.ports import Effect
from albic.control.samples import GroupSample, NodeSample, Observation, RawBatch
from albic.control.task_costs import task_costs
from albic.model import InvalidInput, Operator, Throughput, Topology
from albic.model.snapshot_file import snapshot_document
from tests.unit.control.fakes import World, controller
from tests.worlds import world

HELD, PROPOSED = Status.HELD, Status.PROPOSED


def record(number: int, drawing: str = "a: 5 5 | b: 5 5", **more) -> RoundRecord:
    document = snapshot_document(world(drawing).snapshot)
    given = {"objective": "makespan", "snapshot": document, "status": HELD, **more}
    return RoundRecord(number, float(number), "period", reason="", **given)


def test_nothing_measured_is_nothing_advised() -> None:
    assert evidence([]) is None
    assert advice([RoundRecord(1, 0.0, "period", Status.NOT_READY, "no batch")]) == ()


def test_the_newest_measurement_counts() -> None:
    uneven = record(1, "a: 5 5 | b: 90")
    assert [finding.rule for finding in advice([uneven])] == ["oversized key group"]
    assert advice([uneven, record(2, "a: 5 5 5 5 | b: 5 5 5 5")]) == ()


def test_what_ended_long_ago_is_forgotten() -> None:
    waiting = record(1, busy_s=10.0, wait_s=9.0, judged=10, compliant=0)
    later = [record(number, busy_s=1.0) for number in range(2, RECENT + 2)]
    seen = evidence([waiting, *later])
    assert (seen.wait_s, seen.busy_s, seen.judged) == (0.0, RECENT, 0)


def test_a_controller_before_this_one_does_not_count() -> None:
    before = record(1, wait_s=9.0, spark={SPECULATION: "true"})
    seen = evidence([before, record(2), record(1, wait_s=1.0, spark={SPECULATION: "false"})])
    assert seen.wait_s == 1.0
    assert seen.settings == {SPECULATION: "false"}


def test_the_time_of_a_batch_is_known_where_stages_follow_each_other() -> None:
    assert evidence([record(1, batch_s=2.0), record(2)]).batch_s == 2.0
    assert evidence([record(1, batch_s=2.0, objective="distance")]).batch_s is None


def test_state_that_changes_places_by_itself_wanders() -> None:
    there, back = record(1, "a: 5 5 | b: 5 5"), record(2, "a: 5 | b: 5 5 5")
    assert evidence([there, back]).wandering == 0.25
    assert evidence([there, replace(back, status=Status.APPLIED)]).wandering == 0.0
    assert evidence([there]).wandering == 0.0


def test_a_snapshot_that_is_none_is_refused() -> None:
    with pytest.raises(InvalidInput):
        advice([record(1, snapshot={"format": "none"})])


def test_a_round_writes_down_what_advice_needs(tmp_path) -> None:
    journal = JsonLinesJournal(tmp_path / "journal.jsonl")
    job = World("a: 5 5 | b: 90", kept=Throughput(batch_s=2.0, interval_s=1.0, beside_s=0.5))
    cost = TaskCost(stage=0, task_s=0.2, fixed_s=0.15)
    job.effect_now = Effect(batches=1, batch_s=2.0, busy_s=4.0, wait_s=1.0, task_costs=(cost,))
    steering = controller(job, Settings(), journal=journal, spark={SPECULATION: "true"})
    steering.run_round("period")
    (back,) = read_journal(journal.path)
    assert (back.interval_s, back.beside_s, back.busy_s, back.wait_s) == (1.0, 0.5, 4.0, 1.0)
    assert back.task_costs == (cost,)
    assert back.spark == {SPECULATION: "true"}
    told = {finding.rule for finding in steering.advice()}
    assert told == {"trigger interval", "oversized key group", "short of network", "speculation"}


def test_a_journal_from_before_advice_reads_as_ever(tmp_path) -> None:
    path = tmp_path / "old.jsonl"
    path.write_text(
        '{"format": "albic-journal/1", "number": 1, "at_s": 1.0, "trigger": "period", '
        '"status": "held", "reason": "", "moves": []}\n'
    )
    (old,) = read_journal(path)
    assert (old.task_costs, old.spark, old.impatience) == ((), None, None)


@pytest.mark.parametrize("wrong", ['"spark": {"a": 1}', '"spark": []', '"task_costs": [{}]'])
def test_nonsense_in_the_new_fields_is_named(tmp_path, wrong: str) -> None:
    path = tmp_path / "wrong.jsonl"
    path.write_text(
        '{"format": "albic-journal/1", "number": 1, "at_s": 1.0, "trigger": "period", '
        f'"status": "held", "reason": "", "moves": [], {wrong}}}\n'
    )
    with pytest.raises(InvalidInput, match="line 1"):
        read_journal(path)


def batch(rows: list[int], fixed_s: float, *, loaded: bool = False) -> RawBatch:
    """Return a batch whose tasks take a millisecond a row, and what is fixed."""
    groups = tuple(
        GroupSample(at, "a", fixed_s + many / 1e3, rows=many, loaded=loaded)
        for at, many in enumerate(rows)
    )
    return RawBatch(0.0, 1.0, groups, {})


def observed(*batches: RawBatch) -> Observation:
    many = len(batches[0].groups)
    return Observation(
        topology=Topology((Operator("o", many),)),
        nodes=(NodeSample("a"),),
        owner=("a",) * many,
        state_bytes=np.zeros(many, dtype=np.int64),
        batches=batches,
        earlier=batches,
    )


def test_what_rows_do_not_cause_is_fixed() -> None:
    (cost,) = task_costs(observed(batch([10, 20, 40, 80], 0.1)))
    assert cost.fixed_s == pytest.approx(0.1)
    assert cost.task_s == pytest.approx(0.13)


@pytest.mark.parametrize(
    "seen",
    [
        pytest.param(observed(batch([50, 50, 51, 52], 0.1)), id="rows are alike"),
        pytest.param(observed(batch([10, 80], 0.1)), id="two tasks"),
        pytest.param(observed(batch([10, 20, 40, 80], 0.1, loaded=True)), id="all were loaded"),
    ],
)
def test_where_tasks_do_not_tell_nothing_is_told(seen: Observation) -> None:
    assert task_costs(seen) == ()
