"""From the queries that a user hands over to a runtime that can serve them."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from albic.model import InvalidInput
from albic.spark.bridge import Bridge
from albic.spark.checkpoint import local_folder
from albic.spark.operators import Named
from albic.spark.query_copies import NO_COPIES, CopyRules
from albic.spark.runtime import SparkRuntime
from albic.spark.support import facts, require_classic, require_supported, require_tested

Query = StreamingQuery
#: How long attaching waits for a first batch; afterwards it goes on without.
FIRST_BATCH_S = 20.0
JOURNAL = "albic-journal.jsonl"


def queries_of(
    given: Any,  # noqa: ANN401  whatever a user hands over
) -> tuple[list[StreamingQuery], dict[str, Named]]:
    """Return the queries in ``given``, one or a list of them, and those that name operators."""
    listed = list(given) if isinstance(given, Iterable) else [given]
    if not listed:
        raise InvalidInput("attach needs at least one query")
    queries = [getattr(each, "query", each) for each in listed]
    for query in queries:
        require_classic(query)
    if len({query.runId for query in queries}) < len(queries):
        raise InvalidInput("a query is listed twice; name each once")
    pairs = zip(queries, listed, strict=True)
    return queries, {str(q.runId): each for q, each in pairs if each is not q}


def bridge_of_process() -> Bridge:
    """Return a bridge to the session of this thread, or to the one that runs in this process."""
    spark = SparkSession.getActiveSession() or SparkSession.builder.getOrCreate()
    require_tested(spark.version)
    return Bridge(spark)


def runtime_of(
    bridge: Bridge,
    queries: Sequence[StreamingQuery],
    named: Mapping[str, Named],
    *,
    per_batch: int,
    steers: bool,
    copies: CopyRules = NO_COPIES,
) -> SparkRuntime:
    """Return the runtime of ``queries``, or refuse with the reason and the remedy."""
    for query in queries:
        require_supported(facts(bridge, query))
    runtime = SparkRuntime(
        bridge, queries, named, per_batch=per_batch, steers=steers, copies=copies
    )
    runtime.begin(FIRST_BATCH_S)
    return runtime


def journal_path(bridge: Bridge, query: StreamingQuery) -> Path | None:
    """Return where a query's journal goes: into its checkpoint, if that is on this machine."""
    folder = local_folder(bridge.checkpoint(query))
    return None if folder is None or not folder.is_dir() else folder / JOURNAL
