"""Operator networks as one Structured Streaming query.

::

    network = Network("delays", sources=[…], operators=[…], sinks=[…])
    print(network.describe())
    running = network.start("/data/checkpoint")
    albic.attach(running)

What operators are made of needs no Spark; a network is loaded when it is asked for.
"""

import typing

from albic.extras import lacking as _lacking
from albic.model import InvalidInput as _InvalidInput

try:
    from albic.streams.counters import BatchCounters, GroupCounters, OperatorTotals
    from albic.streams.parts import Operator, Processor, Rows, Sink, Source
    from albic.streams.state import State
except ModuleNotFoundError as missing:
    raise _lacking("albic.streams", missing) from None

if typing.TYPE_CHECKING:
    from albic.streams.network import Network
    from albic.streams.running_network import RunningNetwork

__all__ = [
    "BatchCounters",
    "GroupCounters",
    "Network",
    "Operator",
    "OperatorTotals",
    "Processor",
    "Rows",
    "RunningNetwork",
    "Sink",
    "Source",
    "State",
]


def __getattr__(name: str) -> object:
    """Return what needs Spark."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from albic.streams import network  # noqa: PLC0415  see above
    except ModuleNotFoundError as missing:
        if missing.name == "pyspark.sql.streaming.stateful_processor":
            raise _InvalidInput(
                "albic.streams needs PySpark 4.0 or newer, for its operators keep their state with "
                "transformWithStateInPandas; albic.attach serves queries of older ones"
            ) from None
        raise _lacking(f"{__name__}.{name}", missing) from None
    return getattr(network, name)
