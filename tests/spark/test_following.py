"""A job whose load swings runs to its end, and what it took is on record."""

from pathlib import Path

import albic
from albic.cli.run.swing_run import Course, followed
from albic.control.node_presence import node_steps
from albic.jobs.drifting import Drift, drifting
from albic.jobs.swinging import Swing
from albic.scaling import Limits
from tests.spark.conftest import PARTITIONS

JOB = Drift(
    key_groups=PARTITIONS, events=80, wait_ms=2, sources=2, swing=Swing(low=2, rise=1, high=2)
)


def test_a_batch_has_as_many_rows_as_its_part_of_the_swing(spark, watch) -> None:
    watched = watch(drifting(spark, JOB), "swinging", "complete")
    watched.batches(5)
    watched.query.stop()
    counted = spark.table("swinging").agg({"events": "sum"}).first()[0]
    sums = [sum(JOB.rows(batch) for batch in range(count)) for count in range(200)]
    assert counted in sums, "every batch has all of its rows and no others"
    assert counted >= sums[5]


def test_a_swing_is_steered_and_recorded(cluster, tmp_path: Path) -> None:
    course = Course(JOB, interval_s=0.5, batches=10)
    told: list[int] = []
    run = followed(
        "test",
        cluster,
        course,
        tmp_path,
        lambda query, journal: albic.attach(
            query,
            period="2 batches",
            scaling="utilisation",
            limits=Limits(min_nodes=2, max_nodes=2),
            cluster=cluster,
            journal=journal,
        ),
        lambda record: told.append(record.batch),
    )
    assert told == [record.batch for record in run.batches]
    assert told[-1] == 9
    assert run.rows == tuple(JOB.rows(batch) for batch in range(10))
    assert set(node_steps(run.stays, *run.span_s)[1]) == {2}
    assert run.rounds
    assert not run.decisions, "two is the least and the most"
    assert not [each.error for each in run.rounds if each.error]
