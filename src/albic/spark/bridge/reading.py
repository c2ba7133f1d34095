"""Objects of the JVM as JSON: one answer instead of a call for each field."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

#: The longest text that comes back in one call. py4j writes an answer above 8 KB in two packets,
#: and the second waits 40 ms for the acknowledgement of the first.
PIECE = 4_000
#: Properties of Spark's classes that nobody here reads, and that make most of the text.
UNREAD: Mapping[str, Sequence[str]] = {
    "scheduler.CompressedMapStatus": ("loc", "_checksumVal"),
    "status.api.v1.TaskData": (
        *("executorLogs", "accumulatorUpdates", "errorMessage", "index", "attempt", "host"),
        *("resultFetchStart", "speculative", "schedulerDelay", "gettingResultTime"),
    ),
    "status.api.v1.TaskMetrics": (
        *("inputMetrics", "outputMetrics", "shuffleWriteMetrics", "executorDeserializeTime"),
        *("executorDeserializeCpuTime", "resultSize", "jvmGcTime", "resultSerializationTime"),
        *("memoryBytesSpilled", "diskBytesSpilled", "peakExecutionMemory"),
    ),
    "status.api.v1.ShuffleReadMetrics": (
        *("shufflePushReadMetrics", "remoteBlocksFetched", "localBlocksFetched"),
        *("remoteBytesReadToDisk", "remoteReqsDuration"),
    ),
    "status.api.v1.StageData": ("details", "accumulatorUpdates", "executorSummary"),
    "status.api.v1.ExecutorSummary": ("executorLogs", "attributes", "peakMemoryMetrics"),
    "ui.scope.RDDOperationNode": ("callsite", "outputDeterministicLevel"),
}


class JsonReader:
    """Turns what Spark answers into plain values."""

    def __init__(self, gateway: Any) -> None:  # noqa: ANN401  JVM objects have no type here
        self._gateway = gateway
        self._writer = gateway.jvm.java.io.StringWriter
        self._by_getter = self._mapper()
        self._by_field = self._mapper()
        annotation = gateway.jvm.com.fasterxml.jackson.annotation
        self._by_field.setVisibility(
            annotation.PropertyAccessor.FIELD, annotation.JsonAutoDetect.Visibility.ANY
        )

    def read(self, value: Any) -> Any:  # noqa: ANN401  as above
        """Return what an object shows, in one call; for a long text that would be slow."""
        return json.loads(self._by_getter.writeValueAsString(value))

    def read_long(self, value: Any) -> Any:  # noqa: ANN401  as above
        """Return what an object shows, piece by piece."""
        return self._pieces(self._by_getter, value)

    def read_private(self, value: Any) -> Any:  # noqa: ANN401  as above
        """Return what an object shows and what it hides, piece by piece."""
        return self._pieces(self._by_field, value)

    def _pieces(self, mapper: Any, value: Any) -> Any:  # noqa: ANN401  as above
        writer = self._writer()
        mapper.writeValue(writer, value)
        text = writer.getBuffer()
        length = text.length()
        starts = range(0, length, PIECE)
        return json.loads("".join(text.substring(i, min(i + PIECE, length)) for i in starts))

    def _mapper(self) -> Any:  # noqa: ANN401  as above
        jvm = self._gateway.jvm
        jackson = jvm.com.fasterxml.jackson
        mapper = jackson.databind.ObjectMapper()
        module = getattr(jackson.module.scala, "DefaultScalaModule$")
        mapper.registerModule(getattr(module, "MODULE$"))
        leave_out = jackson.annotation.JsonIgnoreProperties.Value.forIgnoredProperties
        for name, properties in UNREAD.items():
            kind = jvm.java.lang.Class.forName(f"org.apache.spark.{name}")
            names = self._gateway.new_array(jvm.java.lang.String, len(properties))
            for position, unread in enumerate(properties):
                names[position] = unread
            mapper.configOverride(kind).setIgnorals(leave_out(names))
        return mapper
