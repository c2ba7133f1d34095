"""Code of ours on executors: stores are loaded and kept up to date before they are taken over.

The Java source beside this file is compiled by the compiler that Spark has for its generated code,
and reaches executors as any jar does that an application adds. What it does there stands in it.
"""

import threading
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from albic.spark.bridge.plans import is_stateful
from albic.spark.bridge.reports import Reports
from albic.spark.bridge.stores import StoreId, StoreNames

#: The RDD that opens a store to write it, and so knows how; every operator but the join has one.
OPENING = "StateStoreRDD"
#: What it knows, in the order of ``Follower.java``.
KNOWN = (
    "keySchema",
    "valueSchema",
    "keyStateEncoderSpec",
    "useColumnFamilies",
    "storeConf",
    "hadoopConfBroadcast",
    "useMultipleValuesPerKey",
    "stateSchemaBroadcast",
)


@dataclass(frozen=True, slots=True)
class Recipe:
    """How the stores of one stateful operator are opened; objects of the JVM."""

    known: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Order:
    """What an executor is asked to do with a store: to follow it by a recipe, or to leave it.

    To follow is to begin with ``version`` and to give up after ``patience_s``. What is said of it
    later bears the order's ``ticket``: there may have been another copy of the same store.
    """

    store: StoreId
    recipe: Recipe | None = None
    version: int = 0
    patience_s: float = 0.0
    ticket: int = 0


@dataclass(frozen=True, slots=True)
class Copy:
    """What an executor says of a store that it follows.

    ``state`` is one of waiting, loading, following, handed over, used, left and failed, with the
    reason in ``why``. One that follows had all there was when it last looked, or lacks one
    version; one that is used had what the first task on it asked for. The load took
    ``load_s``, the last step from version to version ``step_s``.
    """

    operator_id: int
    partition: int
    name: str
    run_id: str
    ticket: int
    executor_id: str
    state: str
    version: int
    load_s: float
    step_s: float
    why: str


class Followers(Reports):
    """Gives orders to executors, and hears how their copies are doing."""

    def __init__(self, spark: SparkSession) -> None:
        super().__init__(spark)
        self._spark = spark
        self._names = StoreNames(self._jvm)
        self._function: Any = None
        self._compiling = threading.Lock()

    def recipes(self, query: StreamingQuery) -> Mapping[int, Recipe]:
        """Return how the stores of each stateful operator are opened, as far as that shows.

        Building the lineage of a stateful node runs nothing. The stores of a stream-stream join
        are opened elsewhere, and are not among them.
        """
        execution = self._execution(query).lastExecution()
        found: dict[int, Recipe] = {}
        for node in _nodes(execution.executedPlan()):
            if not is_stateful(self._gateway, node):
                continue
            for rdd in _ancestors(node.execute()):
                if str(rdd.getClass().getSimpleName()) == OPENING and _numbered(
                    self._private(rdd, "storeConf")
                ):
                    known = tuple(self._private(rdd, name) for name in KNOWN)
                    found[int(self._private(rdd, "operatorId"))] = Recipe(known)
        return found

    def give(self, orders: Mapping[tuple[str, str], Sequence[Order]], group: str) -> list[Copy]:
        """Give orders, one task for each (host, executor id); return what these executors say.

        Those without an order are only asked how their copies are doing. ``group`` names the job.
        """
        with self._compiling:
            self._function = self._function or self._compiled()
        anything = self._jvm.java.lang.Object
        rows = [
            self._jvm.scala.Tuple2(
                self._array(anything, [self._as_java(order, executor_id) for order in listed]),
                self._seq([f"executor_{host}_{executor_id}"]),
            )
            for (host, executor_id), listed in orders.items()
        ]
        tag = self._jvm.scala.reflect.ClassTag.apply(
            self._jvm.java.lang.Class.forName("java.lang.Object")
        )
        rdd = self._jvm.org.apache.spark.api.java.JavaRDD.fromRDD(
            self._context.makeRDD(self._seq(rows), tag), tag
        )
        self._spark.sparkContext.setJobGroup(group, "albic")
        try:
            answers = rdd.mapPartitions(self._function).glom().collect()
        finally:
            self._context.setLocalProperty("spark.jobGroup.id", None)
        return [_copy(text) for texts in answers for text in texts]

    def _as_java(self, order: Order, executor_id: str) -> Any:  # noqa: ANN401  JVM objects
        name, anything = self._names(order.store), self._jvm.java.lang.Object
        if order.recipe is None:
            return self._array(anything, ["leave", name, executor_id])
        patience_ms = round(order.patience_s * 1e3)
        told = ["follow", name, executor_id, *order.recipe.known, order.version, patience_ms]
        told.append(order.ticket)
        return self._array(anything, told)

    def _compiled(self) -> Any:  # noqa: ANN401  as above
        """Return what runs on executors, after they were told where its classes are."""
        source = files("albic.spark.bridge").joinpath("Follower.java").read_text(encoding="utf-8")
        compiler = self._jvm.org.codehaus.janino.SimpleCompiler()
        loader = self._jvm.java.lang.Thread.currentThread().getContextClassLoader()
        compiler.setParentClassLoader(loader)
        compiler.cook(source)
        classes = compiler.getBytecodes()
        # Executors fetch it from there, late ones too; it goes with the application.
        jar = Path(self._spark.sparkContext._temp_dir) / "albic-follower.jar"
        with zipfile.ZipFile(jar, "w") as packed:
            for name in classes:
                packed.writestr(f"{name.replace('.', '/')}.class", bytes(classes[name]))
        self._context.addJar(str(jar))
        made = compiler.getClassLoader().loadClass("albic.Follower").getConstructors()[0]
        return made.newInstance(self._gateway.new_array(self._jvm.java.lang.Object, 0))


def _numbered(settings: Any) -> bool:  # noqa: ANN401  as above
    """Return whether versions are called by their number alone, as in checkpoint format 1."""
    return not settings.enableStateStoreCheckpointIds()


def _nodes(node: Any) -> Iterator[Any]:  # noqa: ANN401  as above
    """Yield the nodes of a physical plan."""
    yield node
    children = node.children()
    for at in range(children.size()):
        yield from _nodes(children.apply(at))


def _ancestors(rdd: Any) -> Iterator[Any]:  # noqa: ANN401  as above
    """Yield an RDD and what it is made of, but nothing beyond a shuffle."""
    yield rdd
    dependencies = rdd.dependencies()
    for at in range(dependencies.size()):
        dependency = dependencies.apply(at)
        if str(dependency.getClass().getSimpleName()) != "ShuffleDependency":
            yield from _ancestors(dependency.rdd())


def _copy(text: str) -> Copy:
    """Return what an executor said in a line."""
    executor_id, operator_id, partition, name, run_id, *rest = text.split("\t")
    ticket, state, version, load_ms, step_ms, why = rest
    return Copy(
        int(operator_id),
        int(partition),
        name,
        run_id,
        int(ticket),
        executor_id,
        state,
        int(version),
        int(load_ms) / 1e3,
        int(step_ms) / 1e3,
        why,
    )
