"""From a network to the DataFrame of its one query."""

from collections.abc import Sequence
from functools import reduce
from typing import Protocol

from pyspark.sql import DataFrame

from albic.streams.graph import schemas, sources_above
from albic.streams.layout import Layout
from albic.streams.packed_rows import WIRE, Outlet
from albic.streams.packing import Packer
from albic.streams.parts import Operator, Sink, Source
from albic.streams.schemas import arrow_schema
from albic.streams.stage import Stage
from albic.streams.work import InputPlan, OperatorPlan


class Parts(Protocol):
    """A network as far as its query is concerned."""

    @property
    def sources(self) -> Sequence[Source]: ...  # noqa: D102  the names say it
    @property
    def operators(self) -> Sequence[Operator]: ...  # noqa: D102
    @property
    def sinks(self) -> Sequence[Sink]: ...  # noqa: D102


def network_frame(parts: Parts, layout: Layout) -> DataFrame:
    """Return the blocks that come out of a network's last stage."""
    packed = [
        source.frame.mapInArrow(packer_of(parts, layout, number).__call__, WIRE)
        for number, source in enumerate(parts.sources)
    ]
    frame = reduce(DataFrame.unionAll, packed)
    for stage in stages_of(parts, layout):
        frame = frame.groupBy("label").transformWithStateInPandas(
            statefulProcessor=stage,
            outputStructType=WIRE,
            outputMode="Append",
            timeMode="None",
        )
    return frame


def packer_of(parts: Parts, layout: Layout, number: int) -> Packer:
    """Return what packs the rows of one source."""
    source = parts.sources[number]
    return Packer(
        number=number,
        sources=len(parts.sources),
        schema=arrow_schema(source.schema),
        event_time=source.event_time,
        delay_us=round(source.delay_s * 1e6),
        ends=source.ends,
        opens=source.packed is not None,
        outlets=_outlets(source.name, parts.operators),
        layout=layout,
    )


def stages_of(parts: Parts, layout: Layout) -> list[Stage]:
    """Return the stages of a network, from the first level down."""
    plans = _plans(parts, layout)
    return [
        Stage(
            level,
            layout,
            {n: plan for n, plan in enumerate(plans) if layout.places[n].level == level},
            tuple(source.name for source in parts.sources),
        )
        for level in range(1, layout.depth + 1)
    ]


def _plans(parts: Parts, layout: Layout) -> list[OperatorPlan]:
    """Return what workers have to know of each operator."""
    sources, operators = parts.sources, parts.operators
    arrow = {n: arrow_schema(schema) for n, schema in schemas(sources, operators).items()}
    times = {source.name: source.event_time for source in sources}
    times |= {operator.name: operator.event_time for operator in operators}
    above = sources_above(operators)
    kept = {sink.operator for sink in parts.sinks}
    fed = {operator.name: _outlets(operator.name, operators) for operator in operators}
    together = {number: chain for chain in layout.chains for number in chain}
    return [
        OperatorPlan(
            name=operator.name,
            process=operator.process,
            inputs=tuple(
                InputPlan(name, arrow[name], times[name]) for name in operator.input_names()
            ),
            schema=arrow[operator.name],
            outlets=tuple(o for o in fed[operator.name] if o.operator not in together[number]),
            chained=tuple(o for o in fed[operator.name] if o.operator in together[number]),
            clocks=tuple(
                clock
                for clock, source in enumerate(sources)
                if source.event_time is not None and source.name in above[operator.name]
            ),
            windowed=operator.windowed,
            kept=operator.name in kept,
        )
        for number, operator in enumerate(operators)
    ]


def _outlets(producer: str, operators: Sequence[Operator]) -> tuple[Outlet, ...]:
    """Return who takes in the rows of ``producer``, and by which key."""
    return tuple(
        Outlet(number, operator.input_names().index(producer), operator.key_columns(producer))
        for number, operator in enumerate(operators)
        if producer in operator.input_names()
    )
