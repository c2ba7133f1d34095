"""Spark's sources below a DataFrame: which they are, and whether state lies between."""

from collections.abc import Iterator
from typing import Any

from pyspark.sql import DataFrame

#: What Spark calls the steps of a plan that keep state.
STATEFUL = (
    "Aggregate",
    "Deduplicate",
    "DeduplicateWithinWatermark",
    "Distinct",
    "FlatMapGroupsInPandasWithState",
    "FlatMapGroupsWithState",
    "GlobalLimit",
    "TransformWithState",
    "TransformWithStateInPySpark",
)


def spark_sources(frame: DataFrame) -> list[str]:
    """Return the formats of Spark's streaming sources that feed a frame, in Spark's order."""
    return [
        str(step.sourceName()).lower()
        for step in _steps(_plan(frame))
        if _kind(step).startswith("StreamingRelation")
    ]


def keeps_state(frame: DataFrame) -> str | None:
    """Return the step of a streaming frame that keeps state of its own, if there is one."""
    for step in _steps(_plan(frame)):
        if not step.isStreaming():
            continue
        kind = _kind(step)
        both = kind == "Join" and step.left().isStreaming() and step.right().isStreaming()
        if both or kind in STATEFUL:
            return kind
    return None


def _plan(frame: DataFrame) -> Any:  # noqa: ANN401  Java's, as all that follows
    return frame._jdf.queryExecution().analyzed()


def _kind(step: Any) -> str:  # noqa: ANN401
    return str(step.getClass().getSimpleName())


def _steps(plan: Any) -> Iterator[Any]:  # noqa: ANN401
    """Yield the steps of a plan, each before what feeds it."""
    yield plan
    children = plan.children()
    for number in range(children.size()):
        yield from _steps(children.apply(number))
