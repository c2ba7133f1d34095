"""Operator networks as one Structured Streaming query.

::

    network = Network("delays", sources=[…], operators=[…], sinks=[…])
    print(network.describe())
    running = network.start("/data/checkpoint")
    albic.attach(running)
"""

from albic.extras import lacking as _lacking

try:
    from albic.streams.counters import BatchCounters, GroupCounters, OperatorTotals
    from albic.streams.network import Network
    from albic.streams.parts import Operator, Processor, Rows, Sink, Source
    from albic.streams.running import RunningNetwork
    from albic.streams.state import State
except ModuleNotFoundError as missing:
    raise _lacking("albic.streams", missing) from None

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
