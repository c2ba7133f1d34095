"""Networks without Spark: the same workers, fed by hand, with their state in a dictionary.

What Spark promises is done here in the plainest way: rows meet by label, each label keeps its state
from batch to batch, and the blocks of a stage arrive in any order.
"""

import random
from collections import defaultdict

import pandas as pd
import pyarrow as pa

from albic.streams import Network
from albic.streams.counters import BatchCounters, Counters, read_counters
from albic.streams.graph import schemas
from albic.streams.packed_rows import Kind, unpacked
from albic.streams.query import packer_of, stages_of
from albic.streams.schemas import arrow_schema


class Store:
    """The state store of a stage: values by name, those of one label at a time."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, int], tuple[bytes]] = {}
        self.label = -1
        self.writes = 0

    def getValueState(self, name, schema):  # noqa: N802, ARG002  Spark's name
        return Slot(self, name)


class Slot:
    """A value state."""

    def __init__(self, store: Store, name: str) -> None:
        self.store = store
        self.name = name

    def get(self):
        return self.store.kept.get((self.name, self.store.label))

    def update(self, value) -> None:
        self.store.writes += 1
        self.store.kept[self.name, self.store.label] = value


class Hand:
    """Runs a network batch by batch."""

    def __init__(self, network: Network, seed: int = 0, chain: str = "auto") -> None:
        self.network = network
        self.random = random.Random(seed)  # noqa: S311  not a secret
        self.layout = network.layout(chain)
        self.slots = [Store() for _ in self.layout.used]
        self.counters = Counters()
        self.out = {
            name: arrow_schema(schema)
            for name, schema in schemas(network.sources, network.operators).items()
        }
        self.restart()

    def restart(self) -> None:
        """Begin with new workers and the old state."""
        self.stages = stages_of(self.network, self.layout)
        for stage, slot in zip(self.stages, self.slots, strict=True):
            stage.init(slot)

    def batch(self, tasks_of: dict[str, list[pd.DataFrame]]) -> dict[str, pd.DataFrame]:
        """Run one batch; return what each operator with a sink puts out."""
        blocks = []
        for number, source in enumerate(self.network.sources):
            pack = packer_of(self.network, self.layout, number).packed
            for task, frame in enumerate(tasks_of.get(source.name, [])):
                table = pa.Table.from_pandas(frame, self.out[source.name], preserve_index=False)
                for packed in pack(iter(table.to_batches(max_chunksize=7)), task):
                    blocks += packed.to_pylist()
        for stage, slot in zip(self.stages, self.slots, strict=True):
            met = defaultdict(list)
            for block in blocks:
                met[block["label"]].append(block)
            blocks = []
            for label, rows in met.items():
                self.random.shuffle(rows)
                slot.label = label
                for frame in stage.handleInputRows((label,), iter([pd.DataFrame(rows)]), None):
                    blocks += frame.to_dict("records")
        self._count(blocks)
        return {sink.operator: self._output(blocks, sink.operator) for sink in self.network.sinks}

    def last(self) -> BatchCounters:
        return self.counters.batches()[-1]

    def _count(self, blocks) -> None:
        rows = [
            (b["operator"], b["slot"], b["partition"], -1, b["payload"])
            for b in blocks
            if b["kind"] == Kind.COUNTERS
        ]
        number = len(self.counters.batches())
        self.counters.add(read_counters(number, self.layout.operators, rows))

    def _output(self, blocks, name) -> pd.DataFrame:
        number = self.layout.operators.index(name)
        mine = [b for b in blocks if b["kind"] == Kind.OUTPUT and b["operator"] == number]
        mine.sort(key=lambda block: block["ordinal"])
        return unpacked((b["payload"] for b in mine), self.out[name]).to_pandas()
