"""State as releases wrote it that noted watermarks and counters in the state itself."""

import json

import pyarrow as pa

from albic.streams.stage import ABOUT, STATE, Stage
from albic.streams.state import SCHEMA, told_by


def older_stage() -> type[Stage]:
    """Return a stage that keeps one value a key group; made here, so that it travels by value."""

    class Within:
        """What is noted about a key group, in the first row of its state."""

        def __init__(self, stored) -> None:
            self.stored = stored

        def get(self):
            content = self.stored.get()
            return None if content is None else (told_by(content[0])[0].encoded(),)

        def update(self, value) -> None:
            told = json.loads(value[0])
            # These were not noted.
            del told["state_bytes"], told["tables"]
            content = self.stored.get()
            rows = [] if content is None else pa.ipc.open_stream(content[0]).read_all().to_pylist()
            first = {"name": "", "kind": "json", "value": json.dumps(told).encode()}
            table = pa.Table.from_pylist([first, *rows[1:]], SCHEMA)
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, SCHEMA) as writer:
                writer.write_table(table)
            self.stored.update((sink.getvalue().to_pybytes(),))

    class Handle:
        """Opens the states alone."""

        def __init__(self, handle) -> None:
            self.handle = handle
            self.states = {}

        def getValueState(self, name, schema):  # noqa: N802  Spark's name
            if name.startswith(ABOUT):
                return Within(self.states[name.replace(ABOUT, STATE)])
            self.states[name] = self.handle.getValueState(name, schema)
            return self.states[name]

    class OlderStage(Stage):
        def init(self, handle) -> None:
            super().init(Handle(handle))

    return OlderStage
