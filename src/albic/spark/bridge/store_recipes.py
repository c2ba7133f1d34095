"""How the stores of a query are opened: what Spark's own tasks know, read from the last batch."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from py4j.java_gateway import is_instance_of  # type: ignore[import-untyped]
from pyspark.sql.streaming.query import StreamingQuery

from albic.spark.bridge.plans import is_stateful
from albic.spark.bridge.query_reports import Reports

#: The RDD that opens a store to write it, and so knows how; every operator but the join has one.
OPENING, DEFAULT = "StateStoreRDD", "default"
#: Spelled out, for a bare boolean in a call to the JVM says nothing.
INITIALISED = True
#: Versions of a join's state in which each of its stores is a store of its own.
SEPARATE_STORES = (1, 2)


@dataclass(frozen=True, slots=True)
class Recipe:
    """How the stores of one name of a stateful operator are opened: what Spark makes a provider of.

    Objects of the JVM, in Spark's order.
    """

    known: tuple[Any, ...]


class Recipes(Reports):
    """Reads recipes from the plans of a session's queries."""

    def of(self, query: StreamingQuery) -> Mapping[tuple[int, str], Recipe]:
        """Return how the stores of each operator and name are opened, as far as that shows."""
        found: dict[tuple[int, str], Recipe] = {}
        for node in _nodes(self._execution(query).lastExecution().executedPlan()):
            if not is_stateful(self._gateway, node, self._version):
                continue
            if not is_instance_of(self._gateway, node, self._version.join):
                found |= self._of_node(node)
            elif self._version.join_schemas:
                found |= self._of_join(node)
        return found

    def _of_node(self, node: Any) -> Mapping[tuple[int, str], Recipe]:  # noqa: ANN401  JVM objects
        """Return the recipe of a node; building its lineage runs nothing."""
        return {
            (int(self._private(rdd, "operatorId")), DEFAULT): Recipe(
                tuple(self._private(rdd, name) for name in self._version.opening)
            )
            for rdd in _ancestors(node.execute())
            if str(rdd.getClass().getSimpleName()) == OPENING
            and self._numbered(self._private(rdd, "storeConf"))
        }

    def _of_join(self, node: Any) -> Mapping[tuple[int, str], Recipe]:  # noqa: ANN401  as above
        """Return the recipes of a join: it opens its stores itself, two for each side."""
        settings = self._private_ending(node, "storeConf")
        version = int(node.stateFormatVersion())
        if version not in SEPARATE_STORES or not self._numbered(settings):
            return {}
        hadoop = self._private_ending(node, "hadoopConfBcast")
        manager = self._module(self._version.join_manager)
        state = self._jvm.org.apache.spark.sql.execution.streaming.state
        nothing = self._jvm.scala.Option.empty()
        operator_id = int(node.stateInfo().get().operatorId())
        found: dict[tuple[int, str], Recipe] = {}
        for side, input_plan, keys in (
            ("LeftSide", node.left(), node.leftKeys()),
            ("RightSide", node.right(), node.rightKeys()),
        ):
            which = self._module(f"{self._version.join_helper}${side}")
            stores = manager.getSchemaForStateStores(which, input_plan.output(), keys, version)
            names = stores.keys().toSeq()
            for name in (str(names.apply(at)) for at in range(names.size())):
                schemas = stores.apply(name)
                encoder = state.NoPrefixKeyStateEncoderSpec(schemas._1())
                found[operator_id, name] = Recipe(
                    (schemas._1(), schemas._2(), encoder, False, settings, hadoop, False, nothing)
                )
        return found

    def _numbered(self, settings: Any) -> bool:  # noqa: ANN401  as above
        """Return whether versions are called by their number alone, as in checkpoint format 1."""
        return not (self._version.checkpoint_ids and settings.enableStateStoreCheckpointIds())

    def _private_ending(self, owner: Any, name: str) -> Any:  # noqa: ANN401  as above
        """Return a field whose name Scala has made longer, for other classes use it too."""
        fields = (str(field.getName()) for field in owner.getClass().getDeclaredFields())
        found = next((each for each in fields if each.endswith(f"$${name}") or each == name), None)
        if found is None:
            raise LookupError(name)
        return self._private(owner, found)

    def _module(self, name: str) -> Any:  # noqa: ANN401  as above
        """Return the one instance of a Scala object."""
        loader = self._jvm.java.lang.Thread.currentThread().getContextClassLoader()
        made = self._jvm.java.lang.Class.forName(f"{name}$", INITIALISED, loader)
        return made.getField("MODULE$").get(None)


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
