"""A network at work: one query, its sinks, and what its key groups count."""

import logging
from collections.abc import Mapping, Sequence

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.types import StructType

from albic.model import InvalidInput, Topology
from albic.streams.counters import BatchCounters, Counters, OperatorTotals, read_counters
from albic.streams.layout import Layout
from albic.streams.packed_rows import Kind
from albic.streams.packing import Unpacker
from albic.streams.parts import Sink
from albic.streams.schemas import arrow_schema

#: Batches that tell who in a chain does how much of its work.
LATEST = 16
#: Tells of calls from Java that failed, as the one does that works on a batch when it is stopped.
CALLS = logging.getLogger("py4j.clientserver")
PARTITIONS = "spark.sql.shuffle.partitions"
PROVIDER = "spark.sql.streaming.stateStore.providerClass"
ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


class RunningNetwork:
    """A started network; ``query`` is Spark's, to be waited for or stopped.

    ``albic.attach`` takes it as it is, and then speaks of its operators and key groups.
    """

    query: StreamingQuery

    def __init__(
        self,
        layout: Layout,
        topology: Topology,
        sinks: Sequence[Sink],
        outputs: Mapping[str, StructType],
    ) -> None:
        self.layout = layout
        self.topology = topology
        self._sinks = sinks
        self._outputs = outputs
        self._counters = Counters()

    def start(
        self, frame: DataFrame, name: str, checkpoint: str, trigger: Mapping[str, bool | str]
    ) -> None:
        """Start the query with as many partitions as the layout has."""
        spark = frame.sparkSession
        expect_rocksdb(spark)
        writer = frame.writeStream.foreachBatch(self._batch).queryName(name)
        writer = writer.outputMode("append").option("checkpointLocation", checkpoint)
        before = str(spark.conf.get(PARTITIONS))
        # A query takes its settings with it when it starts.
        spark.conf.set(PARTITIONS, str(self.layout.partitions))
        try:
            self.query = writer.trigger(**trigger).start()  # type: ignore[arg-type]
        finally:
            spark.conf.set(PARTITIONS, before)

    def batches(self) -> tuple[BatchCounters, ...]:
        """Return what each key group counted in the last batches, oldest first."""
        return self._counters.batches()

    def totals(self, operator: str) -> OperatorTotals:
        """Return what an operator counted since the first batch of the checkpoint."""
        if operator not in self.layout.operators:
            raise InvalidInput(f"there is no operator {operator!r}")
        return self._counters.totals(operator)

    def chain_work(self) -> Mapping[str, tuple[float, ...]]:
        """Return the share of its Python time that each operator of a chain took, by the chain."""
        spent_s = self._counters.python_s(LATEST)
        found = {}
        for operator in self.topology.operators:
            each = [spent_s.get(name, 0.0) for name in operator.chain]
            if sum(each) > 0:
                found[operator.name] = tuple(spent / sum(each) for spent in each)
        return found

    def stop(self) -> None:
        """Stop the query; its checkpoint stays. A batch under way comes again after a restart."""
        CALLS.addFilter(_untold)
        try:
            self.query.stop()
        finally:
            CALLS.removeFilter(_untold)

    def _batch(self, blocks: DataFrame, batch_id: int) -> None:
        """Run one batch, once, and give the sinks what is theirs."""
        if not self._sinks:
            self._counters.add(self._count(blocks, batch_id))
            return
        blocks.persist()
        try:
            counted = self._count(blocks, batch_id)
            for sink in self._sinks:
                sink.write(self._output(blocks, sink.operator), batch_id)
            # Last: a batch that is stopped before its sinks have it comes again.
            self._counters.add(counted)
        finally:
            blocks.unpersist()

    def _count(self, blocks: DataFrame, batch_id: int) -> BatchCounters:
        """Return what the key groups counted. This is the action that runs the stages."""
        last_stage = [
            number
            for number, place in enumerate(self.layout.places)
            if place.level == self.layout.depth
        ]
        sparks = fn.when(fn.col("operator").isin(last_stage), fn.spark_partition_id())
        rows = (
            blocks.where(fn.col("kind") == int(Kind.COUNTERS))
            .select("operator", "slot", "partition", sparks.otherwise(-1), "payload")
            .collect()
        )
        return read_counters(batch_id, self.layout.operators, (tuple(row) for row in rows))

    def _output(self, blocks: DataFrame, operator: str) -> DataFrame:
        """Return the rows that an operator put out."""
        schema = self._outputs[operator]
        number = self.layout.operators.index(operator)
        mine = blocks.where(
            (fn.col("kind") == int(Kind.OUTPUT)) & (fn.col("operator") == number)
        ).select("payload")
        # They are few and lie in memory by now; a task for each partition would cost more.
        slots = blocks.sparkSession.sparkContext.defaultParallelism
        return mine.coalesce(max(slots, 1)).mapInArrow(
            Unpacker(arrow_schema(schema)).__call__, schema
        )


def _untold(record: logging.LogRecord) -> bool:
    """Let nothing through: who stops a query knows that its batch did not end."""
    del record
    return False


def expect_rocksdb(spark: SparkSession) -> None:
    """Refuse a session whose state store cannot hold the state of Python operators."""
    if spark.conf.get(PROVIDER, "") != ROCKSDB:
        raise InvalidInput(
            f"operators keep their state in RocksDB; set {PROVIDER} to {ROCKSDB}, "
            f"as albic.local_cluster() does"
        )
