"""Code of ours on executors: stores are loaded and kept up to date before they are taken over.

The Java source beside this file is compiled by the compiler that Spark has for its generated code,
and reaches executors as any jar does that an application adds. What it does there stands in it.
"""

import threading
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from albic.spark.bridge.compiling import compiled
from albic.spark.bridge.query_reports import Reports
from albic.spark.bridge.store_recipes import Recipe, Recipes
from albic.spark.bridge.stores import StoreId, StoreNames

FOLLOW, KEEP, LEAVE, CLOSE = "follow", "keep", "leave", "close"


@dataclass(frozen=True, slots=True)
class Order:
    """What an executor is asked to do with a store.

    To ``follow`` it is to have a copy for a move, by a recipe; to ``keep`` it is to have one in
    case the owner is lost. Both begin with ``version`` and end after ``patience_s``. What is said
    of the copy bears the ``ticket``: there may have been another of the same store. A copy is
    called under the run of its ``bell``; one that is kept hears that only when the bell is rung as
    well. To ``leave`` ends the copy with that ticket, or any if that is 0, and to ``close`` is for
    whoever owned the store and does not any more.
    """

    store: StoreId
    recipe: Recipe | None = None
    version: int = 0
    patience_s: float = 0.0
    ticket: int = 0
    task: str = FOLLOW
    bell: StoreId | None = None


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
        self._recipes = Recipes(spark)
        self._function: Any = None
        self._compiling = threading.Lock()

    def recipes(self, query: StreamingQuery) -> Mapping[tuple[int, str], Recipe]:
        """Return how the stores of each operator and name are opened, as far as that shows."""
        return self._recipes.of(query)

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
            return self._array(anything, [order.task, name, executor_id, order.ticket or None])
        opening = self._array(anything, order.recipe.known)
        told = [order.task, name, executor_id, opening, order.version]
        bell = None if order.bell is None else self._names(order.bell)
        return self._array(anything, [*told, round(order.patience_s * 1e3), order.ticket, bell])

    def _compiled(self) -> Any:  # noqa: ANN401  as above
        """Return what runs on executors, after they were told where its classes are."""
        made = compiled(self._jvm, "Follower.java")
        # Executors fetch it from there, late ones too; it goes with the application.
        jar = Path(self._spark.sparkContext._temp_dir) / "albic-follower.jar"
        with zipfile.ZipFile(jar, "w") as packed:
            for name, code in made.classes.items():
                packed.writestr(f"{name.replace('.', '/')}.class", code)
        self._context.addJar(str(jar))
        constructor = made.loader.loadClass("albic.Follower").getConstructors()[0]
        return constructor.newInstance(self._gateway.new_array(self._jvm.java.lang.Object, 0))


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
