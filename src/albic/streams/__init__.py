"""Operator networks as one Structured Streaming query.

::

    network = Network("delays", sources=[…], operators=[…], sinks=[…])
    print(network.describe())
    running = network.start("/data/checkpoint")
    albic.attach(running)
"""

from albic.extras import lacking as _lacking
from albic.model import InvalidInput as _InvalidInput

try:
    from albic.streams.counters import BatchCounters, GroupCounters, OperatorTotals
    from albic.streams.network import Network
    from albic.streams.parts import Operator, Processor, Rows, Sink, Source
    from albic.streams.running import RunningNetwork
    from albic.streams.state import State
except ModuleNotFoundError as missing:
    if missing.name == "pyspark.sql.streaming.stateful_processor":
        raise _InvalidInput(
            "albic.streams needs PySpark 4.0 or newer, for its operators keep their state with "
            "transformWithStateInPandas; albic.attach serves queries of older ones"
        ) from None
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
