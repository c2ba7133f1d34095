"""A journal becomes a trace of what the job was asked to do, or says why it cannot."""

import json
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from albic.cli import main
from albic.control.estimator import BANDWIDTH_BYTES_PER_S
from albic.control.journal import JsonLinesJournal, RoundRecord, Status
from albic.experiments.journal_trace import trace_of
from albic.model import (
    Allocation,
    Cluster,
    InvalidInput,
    Node,
    Operator,
    Period,
    Resource,
    Snapshot,
    Topology,
)
from albic.model.fields import Pairs
from albic.model.snapshot_file import snapshot_document
from albic.sim import PAPER_COSTS, load_trace
from albic.sim.physics import work_of

JOB = Topology((Operator("up", 2), Operator("down", 2)), ((0, 1),))
PERIOD_S = 10.0


def record(number, read, sent, busy, rows, topology=JOB):
    """Return a round: bytes/s that each key group read and sent to its partner, and its load."""
    usage = np.zeros((len(Resource), 4))
    usage[Resource.CPU] = busy
    usage[Resource.NETWORK] = 100 * np.array(read) / BANDWIDTH_BYTES_PER_S
    traffic = sp.csr_array((np.array(sent, dtype=float), ([0, 1], [2, 3])), shape=(4, 4))
    snapshot = Snapshot(
        period=Period(number * PERIOD_S, (number + 1) * PERIOD_S),
        topology=topology,
        cluster=Cluster((Node("a"), Node("b"))),
        allocation=Allocation(np.array([0, 0, 1, 1])),
        usage=usage,
        state_bytes=np.array([10, 20, 30, 40]) * (number + 1),
        traffic=traffic,
        background=np.zeros(2),
    )
    text = json.dumps(snapshot_document(snapshot))
    document = json.loads(text, object_pairs_hook=Pairs.of)
    return RoundRecord(number, 0.0, "time", Status.HELD, "no", rows=rows, snapshot=document)


FIRST = record(0, [600.0, 400, 300, 200], [300.0, 200], [4.0, 4, 1, 1], rows=150)
SECOND = record(1, [300.0, 700, 150, 350], [150.0, 350], [2.0, 6, 1, 1], rows=150)


def test_rows_of_batches_that_were_not_read_count_like_those_that_were():
    sampled = [replace(each, rows=50, batches=6, read=2) for each in (FIRST, SECOND)]
    whole = trace_of([FIRST, SECOND], nodes=2)
    np.testing.assert_allclose(trace_of(sampled, nodes=2).tuples_per_s, whole.tuples_per_s)


def test_shares_of_tuples_bytes_and_state_are_those_measured():
    trace = trace_of([FIRST, SECOND], nodes=2)
    assert trace.length == 2
    assert trace.step_s == PERIOD_S
    assert trace.state_bytes.tolist() == [[10, 20, 30, 40], [20, 40, 60, 80]]
    assert (trace.sender.tolist(), trace.receiver.tolist()) == ([0, 1], [2, 3])
    pace = trace.traffic_bytes_per_s[0, 0] / 300
    assert trace.traffic_bytes_per_s == pytest.approx(pace * np.array([[300, 200], [150, 350]]))
    # The whole input of the second operator came from the first, so none is from outside.
    assert trace.source_bytes_per_s[0] == pytest.approx(pace * np.array([600, 400, 0, 0]))
    # 300 rows in 30,000 bytes: a tuple a hundred bytes.
    assert trace.tuples_per_s[1] == pytest.approx(pace * np.array([3, 7, 1.5, 3.5]))
    # The first operator was busy 16 of 20 for two thirds of the tuples.
    assert trace.effort == pytest.approx([1.2, 0.6])


def test_partners_begin_apart_on_nodes_that_are_half_busy():
    trace = trace_of([FIRST], nodes=2)
    owner = trace.allocation.owner
    assert all(owner[up] != owner[down] for up, down in ((0, 2), (1, 3)))
    work = work_of(trace.begin().demand(0, owner), owner, PAPER_COSTS)
    assert work.seconds().sum() / 2 == pytest.approx(0.5)


def test_a_pair_that_falls_silent_stays_in_the_trace():
    silent = record(1, [600.0, 0, 300, 0], [300.0, 0], [4.0, 0, 1, 0], rows=90)
    trace = trace_of([FIRST, silent], nodes=2)
    assert trace.traffic_bytes_per_s[1, 0] > 0
    assert trace.traffic_bytes_per_s[1, 1] == 0


@pytest.mark.parametrize(
    ("records", "nodes", "told"),
    [
        pytest.param([], 2, "none of its 0 rounds", id="no rounds"),
        pytest.param([RoundRecord(1, 0, "t", Status.HELD, "")], 2, "none of its 1", id="no data"),
        pytest.param([FIRST], 0, "0 nodes", id="no nodes"),
        pytest.param([record(0, [0.0] * 4, [0.0, 0], [1.0] * 4, 0)], 2, "no rows", id="no rows"),
        pytest.param(
            [
                FIRST,
                record(1, [1.0] * 4, [1.0, 1], [1.0] * 4, 1, Topology((Operator("x", 4),), ())),
            ],
            2,
            "round 1 is of another job",
            id="two jobs",
        ),
    ],
)
def test_what_is_no_run_of_one_job_is_refused(records, nodes, told):
    with pytest.raises(InvalidInput, match=told):
        trace_of(records, nodes)


def test_the_command_line_writes_a_trace(tmp_path, capsys):
    journal = JsonLinesJournal(tmp_path / "run.jsonl")
    journal.add(FIRST)
    journal.add(SECOND)
    target = tmp_path / "run.npz"
    assert main(["journal", "trace", str(tmp_path / "run.jsonl"), str(target), "--nodes", "3"]) == 0
    assert "2 periods of 4 key groups" in capsys.readouterr().out
    assert len(load_trace(target).cluster.nodes) == 3


def test_a_journal_without_measurements_writes_nothing(tmp_path, capsys):
    path = tmp_path / "run.jsonl"
    path.write_text("")
    assert main(["journal", "trace", str(path), str(tmp_path / "run.npz")]) == 2
    assert "run.jsonl" in capsys.readouterr().err
    assert not (tmp_path / "run.npz").exists()
