"""Objects of the JVM as JSON: one answer instead of a call for each field."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

#: The longest text that comes back in one call. py4j writes an answer above 8 KB in two packets,
#: and the second waits 40 ms for the acknowledgement of the first.
PIECE = 8_000
#: A task takes less than this as a row.
ROW = 120
#: Properties of Spark's classes that nobody here reads, and that make most of the text.
UNREAD: Mapping[str, Sequence[str]] = {
    "scheduler.CompressedMapStatus": ("loc", "_checksumVal"),
    "status.api.v1.ExecutorSummary": ("executorLogs", "attributes", "peakMemoryMetrics"),
    "ui.scope.RDDOperationNode": ("callsite", "outputDeterministicLevel"),
}
#: Of these classes only a few properties are read.
READ: Mapping[str, Sequence[str]] = {
    "status.api.v1.JobData": (
        *("jobId", "jobGroup", "description", "status", "stageIds"),
        *("submissionTime", "completionTime"),
    ),
    "status.api.v1.StageData": (
        *("status", "attemptId", "numTasks", "rddIds", "submissionTime", "completionTime"),
    ),
}
#: The same for those that come a thousand at a time: as rows, without the names.
ROWS: Mapping[str, Sequence[str]] = {
    "status.api.v1.TaskData": (
        *("taskId", "partitionId", "launchTime", "duration", "executorId", "status"),
        *("taskLocality", "taskMetrics"),
    ),
    "status.api.v1.TaskMetrics": ("executorRunTime", "executorCpuTime", "shuffleReadMetrics"),
    "status.api.v1.ShuffleReadMetrics": (
        *("localBytesRead", "remoteBytesRead", "recordsRead", "fetchWaitTime"),
    ),
}
TASK, METRICS, SHUFFLE = ROWS


class JsonReader:
    """Turns what Spark answers into plain values."""

    def __init__(self, gateway: Any) -> None:  # noqa: ANN401  JVM objects have no type here
        self._gateway = gateway
        self._writer = gateway.jvm.java.io.StringWriter
        self._text = gateway.jvm.org.apache.commons.lang3.ArrayUtils.toString
        self._columns: dict[str, tuple[str, ...]] = {}
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

    def read_tasks(self, value: Any, tasks: int) -> list[Any]:  # noqa: ANN401  as above
        """Return about so many tasks with the properties that are read.

        One without metrics has None for them.
        """
        rows = self.read(value) if tasks * ROW < PIECE else self.read_long(value)
        return [self._task(row) for row in rows]

    def read_private(self, value: Any) -> Any:  # noqa: ANN401  as above
        """Return what an object shows and what it hides, piece by piece."""
        return self._pieces(self._by_field, value)

    def _task(self, row: Sequence[Any]) -> dict[str, Any]:
        """Return one task with the names of its columns."""
        task = self._named(TASK, row)
        if task["taskMetrics"] is not None:
            metrics = task["taskMetrics"] = self._named(METRICS, task["taskMetrics"])
            metrics["shuffleReadMetrics"] = self._named(SHUFFLE, metrics["shuffleReadMetrics"])
        return task

    def _named(self, kind: str, row: Sequence[Any]) -> dict[str, Any]:
        return dict(zip(self._columns[kind], row, strict=True))

    def _pieces(self, mapper: Any, value: Any) -> Any:  # noqa: ANN401  as above
        writer = self._writer()
        mapper.writeValue(writer, value)
        text = writer.getBuffer()
        length = text.length()
        starts = range(0, length, PIECE)
        return json.loads("".join(text.substring(i, min(i + PIECE, length)) for i in starts))

    def _mapper(self) -> Any:  # noqa: ANN401  as above
        jackson = self._gateway.jvm.com.fasterxml.jackson
        mapper = jackson.databind.ObjectMapper()
        module = getattr(jackson.module.scala, "DefaultScalaModule$")
        mapper.registerModule(getattr(module, "MODULE$"))
        for name, unread in UNREAD.items():
            self._leave_out(mapper, name, unread)
        for name, read in {**READ, **ROWS}.items():
            fields = self._fields(name)
            self._leave_out(mapper, name, [field for field in fields if field not in read])
            self._columns[name] = tuple(field for field in fields if field in read)
        rows = jackson.annotation.JsonFormat.Value.forShape(
            jackson.annotation.JsonFormat.Shape.ARRAY
        )
        for name in ROWS:
            mapper.configOverride(self._class(name)).setFormat(rows)
        return mapper

    def _leave_out(self, mapper: Any, name: str, unread: Sequence[str]) -> None:  # noqa: ANN401
        jvm = self._gateway.jvm
        names = self._gateway.new_array(jvm.java.lang.String, len(unread))
        for position, each in enumerate(unread):
            names[position] = each
        leave_out = jvm.com.fasterxml.jackson.annotation.JsonIgnoreProperties.Value
        mapper.configOverride(self._class(name)).setIgnorals(leave_out.forIgnoredProperties(names))

    def _fields(self, name: str) -> list[str]:
        """Return the properties of one of Spark's classes, in the order of their declaration."""
        told: str = self._text(self._class(name).getDeclaredFields())
        return [field.rsplit(".", 1)[1] for field in told.strip("{}").split(",")]

    def _class(self, name: str) -> Any:  # noqa: ANN401  as above
        return self._gateway.jvm.java.lang.Class.forName(f"org.apache.spark.{name}")
