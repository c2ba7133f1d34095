"""A running session: where its state is, who is there, how long tasks wait."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from albic.spark.bridge.call_chains import chained
from albic.spark.bridge.cluster_manager import ClusterManager
from albic.spark.bridge.compiling import compiled
from albic.spark.bridge.files import Files
from albic.spark.bridge.followers import Followers
from albic.spark.bridge.plans import PlanNode, plan_node, stream_kinds
from albic.spark.bridge.query_reports import Reports
from albic.spark.bridge.stores import StoreId, StoreNames

#: How long Spark may take to enter finished tasks into its books.
BUS_PATIENCE_MS = 5_000
LOCALITY_WAIT = "spark.locality.wait"
SHORT_TRACEBACKS = "spark.sql.execution.pyspark.udf.simplifiedTraceback.enabled"
#: Spelled out, for a bare boolean in a call to the JVM says nothing.
ACTIVE_ONLY = True


class Bridge(Reports):
    """Speaks to the JVM of one classic Spark session."""

    def __init__(self, spark: SparkSession) -> None:
        super().__init__(spark)
        self._spark = spark
        self._session: Any = spark._jsparkSession
        self._provider_id = StoreNames(self._jvm)
        self._executor_ids = chained(self._gateway, self._context, "getExecutorIds", "toString")
        #: The files of checkpoints.
        self.files = Files(self._gateway, self._session.sessionState().newHadoopConf())
        manager = self._session.sessionState().streamingQueryManager()
        self._coordinator: Any = manager.stateStoreCoordinator()
        self._waiting: Any = None

    # Where state is

    def point(self, stores: Iterable[StoreId], host: str, executor_id: str) -> None:
        """Name the executor that should own ``stores`` from the next task set on."""
        nothing = self._seq([])
        for store in stores:
            self._coordinator.reportActiveInstance(
                self._provider_id(store), host, executor_id, nothing
            )

    def location(self, store: StoreId) -> str | None:
        """Return the id of the executor that Spark believes to own ``store``."""
        found = self._coordinator.getLocation(self._provider_id(store))
        if found.isEmpty():
            return None
        # executor_<host>_<id>; hosts may hold underscores, ids do not.
        return str(found.get()).rsplit("_", 1)[1]

    def forget_stores(self, run_id: str) -> None:
        """Let the coordinator forget where the stores of one run are."""
        self._coordinator.deactivateInstances(self._jvm.java.util.UUID.fromString(run_id))

    # Executors

    def executor_ids(self) -> frozenset[str]:
        """Return the executors that the scheduler can use now; the fastest way to see a loss."""
        # As Scala shows a list: List(0, 1).
        text: str = self._executor_ids()
        return frozenset(part for part in text[text.index("(") + 1 : -1].split(", ") if part)

    def executors(self) -> list[Any]:
        """Return what Spark knows of its live executors; the driver is among them."""
        found: list[Any] = self._json.read_long(self._status.executorList(ACTIVE_ONLY))
        return found

    def executors_ever(self) -> list[Any]:
        """Return what Spark knows of executors that are there or were, the driver left out."""
        found: list[Any] = self._json.read(self._status.executorList(not ACTIVE_ONLY))
        return [executor for executor in found if executor["id"] != "driver"]

    def executor_memory_bytes(self) -> int:
        """Return the heap of an executor."""
        return int(self._context.executorMemory()) * 2**20

    def followers(self) -> Followers:
        """Return the way to our own code on executors."""
        return Followers(self._spark)

    def manager(self) -> ClusterManager:
        """Return the way to this session's cluster manager."""
        return ClusterManager(self._spark)

    def kill_executor(self, executor_id: str) -> bool:
        """Ask the cluster manager to end one executor."""
        return bool(self._context.killExecutor(executor_id))

    def run_located(
        self,
        places: Sequence[tuple[str, str]],
        work: Callable[[Iterator[Any]], Iterator[Any]] | None,
        group: str,
    ) -> None:
        """Run ``work`` over pandas frames, one task for each (host, executor id), as job ``group``.

        Without work the tasks do nothing, and start no Python.
        Returns when the tasks have ended and Spark's books show it. The Python workers are those
        of transformWithState: Spark keeps workers apart by their environment, and all other
        Python functions have short tracebacks in theirs.
        """
        session = self._spark.newSession()
        session.conf.set(SHORT_TRACEBACKS, "false")
        rows = [
            self._jvm.scala.Tuple2(
                self._jvm.org.apache.spark.sql.RowFactory.create(
                    self._array(self._jvm.java.lang.Object, [executor_id])
                ),
                self._seq([f"executor_{host}_{executor_id}"]),
            )
            for host, executor_id in places
        ]
        tag = self._jvm.scala.reflect.ClassTag.apply(
            self._jvm.java.lang.Class.forName("org.apache.spark.sql.Row")
        )
        rdd = self._context.makeRDD(self._seq(rows), tag)
        schema = self._jvm.org.apache.spark.sql.types.StructType.fromDDL("executor_id string")
        frame = DataFrame(session._jsparkSession.createDataFrame(rdd, schema), session)
        context = self._spark.sparkContext
        context.setJobGroup(group, "albic")
        try:
            working = frame if work is None else frame.mapInPandas(work, "executor_id string")
            working.collect()
        finally:
            self._context.setLocalProperty("spark.jobGroup.id", None)
        self._context.listenerBus().waitUntilEmpty(BUS_PATIENCE_MS)

    # How long tasks wait for their place

    def locality_wait(self, level: str) -> str | None:
        """Return how long a task waits at a ``level``, or None if the application is silent."""
        name, conf = f"{LOCALITY_WAIT}.{level}", self._context.conf()
        return str(conf.get(name)) if conf.contains(name) else None

    def set_locality_wait(self, level: str, wait: str | None) -> None:
        """Set how long tasks of new task sets wait at a ``level``; None is Spark's default."""
        name, conf = f"{LOCALITY_WAIT}.{level}", self._context.conf()
        if wait is None:
            conf.remove(name)
        else:
            conf.set(name, wait)

    def release_waiting_tasks(self) -> int:
        """Let the tasks of running task sets go anywhere at once; return how many sets wait.

        A task set reads its waits once. Writing zeros into that array is what waiting would end
        with, and each write is atomic.
        """
        queue = self._context.taskScheduler().rootPool().getSortedTaskSetQueue()
        released = 0
        for position in range(queue.size()):
            waits = queue.apply(position).localityWaits()
            for level in range(len(waits)):
                waits[level] = 0
            released += 1
        return released

    def place_waiting_tasks(self, lost: Iterable[str]) -> int:
        """Ask Spark anew where tasks that wait for ``lost`` executors go; return how many do.

        Name the new owners of their state before.
        """
        if self._waiting is None:
            made = compiled(self._jvm, "Waiting.java").loader.loadClass("albic.Waiting")
            (self._waiting,) = (m for m in made.getMethods() if str(m.getName()) == "placeAnew")
        listed = self._jvm.java.util.ArrayList()
        for executor_id in lost:
            listed.add(executor_id)
        given = [self._context.taskScheduler(), self._context.dagScheduler(), listed]
        return int(self._waiting.invoke(None, self._array(self._jvm.java.lang.Object, given)))

    # Settings and plans

    def master(self) -> str:
        """Return the address of the cluster manager."""
        return str(self._spark.sparkContext.master)

    def rechecks_joins(self) -> bool:
        """Return whether this version may take the state of a join for another's once it moves."""
        return self._version.rechecks_joins

    def setting(self, name: str, default: str) -> str:
        """Return a setting of the session, or of the application beneath it."""
        found = self._spark.conf.get(name, None)
        return str(self._context.conf().get(name, default)) if found is None else str(found)

    def checkpoint(self, query: StreamingQuery) -> str:
        """Return the address of a query's checkpoint."""
        return str(self._execution(query).resolvedCheckpointRoot())

    def plan(self, query: StreamingQuery) -> PlanNode | None:
        """Return the physical plan of the query's last batch, or None before the first."""
        last = self._execution(query).lastExecution()
        return (
            None if last is None else plan_node(self._gateway, last.executedPlan(), self._version)
        )

    def stream_kinds(self, query: StreamingQuery) -> frozenset[str]:
        """Return what a query does to streams, in Spark's words; known before its first batch."""
        return stream_kinds(self._execution(query).analyzedPlan())
