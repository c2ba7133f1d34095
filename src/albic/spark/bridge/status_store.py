"""The books that Spark keeps of an application: its jobs, stages, tasks and shuffles."""

from collections.abc import Iterator, Sequence
from typing import Any

from pyspark.sql import SparkSession

from albic.spark.bridge.json_reading import JsonReader
from albic.spark.bridge.versions import version_of

#: A stage has no more tasks than this in any job we can steer.
MOST_TASKS = 100_000
#: Spelled out, for a bare boolean in a call to the JVM says nothing.
WITHOUT_DETAILS = WITHOUT_SUMMARIES = False


class Books:
    """Reads what ran in one classic Spark session."""

    def __init__(self, spark: SparkSession) -> None:
        gateway: Any = spark.sparkContext._gateway
        self._gateway = gateway
        self._jvm: Any = gateway.jvm
        self._context: Any = spark.sparkContext._jsc.sc()
        self._version = version_of(spark.version)
        self._status: Any = self._context.statusStore()
        self._tracked: Any = self._context.statusTracker()
        # Each dot in a package's name is a call of its own, so what is used often is kept.
        self._list: Any = self._jvm.java.util.ArrayList
        self._to_seq: Any = self._jvm.org.apache.spark.api.python.PythonUtils.toSeq
        self._any_status: Any = self._list()
        self._no_quantiles: Any = self._array(self._jvm.double, [])
        self._array_text: Any = self._jvm.java.util.Arrays.toString
        self._json = JsonReader(gateway)
        self._tracker: Any = self._private(self._context.dagScheduler(), "mapOutputTracker")

    def jobs(self, run_id: str, after: int) -> Iterator[Any]:
        """Yield the jobs of a query's run with an id above ``after``, newest first.

        Each is a call, so whoever has seen enough should stop asking.
        """
        for job in reversed(self._job_ids(run_id)):
            if job > after:
                yield self._json.read(self._status.job(job))

    def last_ended_job(self, run_id: str) -> int:
        """Return the newest job of a query's run that has ended, or -1."""
        # A batch has few jobs, and all before the running one have ended.
        for job in self.jobs(run_id, -1):
            if job["status"] != "RUNNING":
                return int(job["jobId"])
        return -1

    def _job_ids(self, run_id: str) -> list[int]:
        """Return all jobs of a run that Spark remembers, ascending.

        As one text: each number of an array would be a call, and Spark remembers a thousand jobs.
        """
        text: str = self._array_text(self._tracked.getJobIdsForGroup(run_id))
        return sorted(int(part) for part in text.strip("[]").split(",") if part)

    def stages(self, stage_id: int) -> list[Any]:
        """Return every attempt of a stage, without its tasks."""
        attempts = self._status.stageData(
            stage_id, WITHOUT_DETAILS, self._any_status, WITHOUT_SUMMARIES, self._no_quantiles
        )
        found: list[Any] = self._json.read(attempts)
        return found

    def tasks(self, stage_id: int, attempt: int, about: int = MOST_TASKS) -> list[Any]:
        """Return the tasks of one attempt of a stage; ``about`` so many of them are expected."""
        return self._json.read_tasks(self._status.taskList(stage_id, attempt, MOST_TASKS), about)

    def state_rdds(self, stage_id: int) -> frozenset[int]:
        """Return the RDDs of a stage that hold state: Spark names them after the store."""
        graph = self._json.read_private(self._status.operationGraphForStage(stage_id))
        clusters, found = [graph["rootCluster"]], set()
        while clusters:
            cluster = clusters.pop()
            found |= {n["id"] for n in cluster["_childNodes"] if "StateStore" in n["name"]}
            clusters.extend(cluster["_childClusters"])
        return frozenset(found)

    def shuffle_ids(self) -> list[int]:
        """Return the shuffles whose map output is known, ascending."""
        text: str = self._tracker.shuffleStatuses().keySet().mkString(",")
        return sorted(int(part) for part in text.split(",") if part)

    def first_map_task(self, shuffle_id: int) -> int | None:
        """Return the id of the task that wrote the first map output of a shuffle, if it is there.

        It tells which stage wrote the shuffle, whatever batch the query is in by now.
        """
        status = self._tracker.shuffleStatuses().get(shuffle_id)
        if status.isEmpty():
            return None
        outputs = status.get().mapStatuses()
        if not len(outputs) or outputs[0] is None:
            return None
        return int(outputs[0].mapId())

    def map_outputs(self, shuffle_id: int) -> list[Any]:
        """Return the map output of a shuffle, one entry a map task, or nothing if it is gone."""
        status = self._tracker.shuffleStatuses().get(shuffle_id)
        if status.isEmpty():
            return []
        found: list[Any] = self._json.read_private(status.get().mapStatuses())
        return found

    def _seq(self, values: Sequence[Any]) -> Any:  # noqa: ANN401  as above
        items = self._list()
        for value in values:
            items.add(value)
        return self._to_seq(items)

    def _array(self, kind: Any, values: Sequence[Any]) -> Any:  # noqa: ANN401  as above
        array = self._gateway.new_array(kind, len(values))
        for position, value in enumerate(values):
            array[position] = value
        return array

    def _private(self, owner: Any, name: str) -> Any:  # noqa: ANN401  as above
        kind = owner.getClass()
        while name not in {str(field.getName()) for field in kind.getDeclaredFields()}:
            kind = kind.getSuperclass()
        field = kind.getDeclaredField(name)
        field.setAccessible(True)
        return field.get(owner)
