"""A newcomer gets its first state only when its Python worker is warm."""

from albic.control import read_journal
from albic.control.journal import Status
from albic.spark.statistics import StatisticsReader
from tests.spark.conftest import numbers
from tests.spark.exactness import attach_dice, wait_until
from tests.spark.examples_over_files import account_balances

WARM_UP = "albic-warm-up-"


def warm_up_ends(bridge) -> dict[str, float]:
    """Return when the last warm-up task of each executor ended, out of Spark's books."""
    ends: dict[str, float] = {}
    for job in bridge._json.read(bridge._status.jobsList(bridge._list())):
        if not (job.get("jobGroup") or "").startswith(WARM_UP):
            continue
        for stage_id in job["stageIds"]:
            for task in bridge.tasks(stage_id, 0):
                assert task["status"] == "SUCCESS"
                ended_s = (task["launchTime"] + task["duration"]) / 1e3
                ends[task["executorId"]] = max(ends.get(task["executorId"], 0.0), ended_s)
    return ends


def test_the_warm_up_ends_before_the_first_task_with_state_begins(
    spark, bridge, cluster, watch, tmp_path
) -> None:
    payments = numbers(spark).selectExpr("key AS account", "value AS payment", "1L AS amount")
    watched = watch(account_balances.balances(payments), "paid")
    old = {executor.id for executor in watched.executors.live()}
    journal = tmp_path / "journal.jsonl"
    controller = attach_dice([watched.query], journal, seed=1)
    host = cluster.add_node()
    try:
        cluster.wait_for_executors(len(old) + 1)
        (newcomer,) = bridge.executor_ids() - old

        def moved() -> bool:
            return journal.exists() and any(
                move.target == newcomer
                for record in read_journal(journal)
                if record.status is Status.APPLIED
                for move in record.moves
            )

        wait_until(moved, "nothing moved to the newcomer")
        reader, began_s = StatisticsReader(bridge, watched.shape), []

        def worked() -> bool:
            began_s.extend(
                task.started_s
                for sample in reader.read(bridge.last_batch(watched.query))
                for stage in sample.stages
                for task in stage.tasks
                if task.executor_id == newcomer
            )
            return bool(began_s)

        wait_until(worked, "the newcomer got no state")
        assert controller.stop()
        ends_s = warm_up_ends(bridge)
        assert newcomer in ends_s, "nobody warmed the newcomer up"
        assert ends_s[newcomer] <= min(began_s)
    finally:
        controller.stop()
        watched.query.stop()
        cluster.remove_node(host)
