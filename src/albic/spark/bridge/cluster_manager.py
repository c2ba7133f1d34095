"""What the cluster manager is asked for: more executors, fewer, and none on this one any more."""

from typing import Any

from pyspark.sql import SparkSession


class ClusterManager:
    """Speaks to the cluster manager of one session, be it standalone, YARN or Kubernetes."""

    def __init__(self, spark: SparkSession) -> None:
        gateway: Any = spark.sparkContext._gateway
        self._jvm: Any = gateway.jvm
        self._context: Any = spark.sparkContext._jsc.sc()

    def executor_ids(self) -> frozenset[str]:
        """Return the executors that are registered, those that get no tasks any more included."""
        text: str = self._context.getExecutorIds().mkString(",")
        return frozenset(part for part in text.split(",") if part)

    def request(self, total: int) -> bool:
        """Ask for ``total`` executors in all; True means that the wish was heard."""
        nowhere = self._jvm.org.apache.spark.api.python.PythonUtils.toScalaMap(
            self._jvm.java.util.HashMap()
        )
        return bool(self._context.requestTotalExecutors(total, 0, nowhere))

    def retire(self, executor_id: str) -> bool:
        """Give an executor no more tasks; those that it has come to their end.

        Spark calls that decommissioning. Unless ``spark.decommission.enabled`` is set, the executor
        itself stays, and with it what other tasks still have to fetch from it.
        """
        info = self._jvm.org.apache.spark.scheduler.ExecutorDecommissionInfo(
            "albic needs it no more", self._jvm.scala.Option.empty()
        )
        # Where the executor ends by itself, the cluster manager must not replace it.
        adjust_target = str(self._context.conf().get("spark.decommission.enabled", "")) == "true"
        by_itself = False
        return bool(
            self._context.schedulerBackend().decommissionExecutor(
                executor_id, info, adjust_target, by_itself
            )
        )

    def end(self, executor_id: str) -> bool:
        """End one executor; True means that the wish was heard."""
        return bool(self._context.killExecutor(executor_id))

    def active_jobs(self) -> frozenset[int]:
        """Return the jobs that are running."""
        return frozenset(int(job) for job in self._context.statusTracker().getActiveJobIds())
