"""What things cost in the simulator; every number has a source, listed in docs/simulator.md."""

import math
from dataclasses import dataclass, fields

from albic.model import InvalidInput


@dataclass(frozen=True, slots=True)
class CostModel:
    """Seconds of a reference node, which has the capacity 1.

    The defaults stand for the paper's cluster. It gives one of them, the pause of 2.5 s; the
    others are set so that Real Job 2 behaves as it is told there. ``bench/costs.py`` measures each
    of them on Spark.

    Parameters
    ----------
    process_s_per_tuple
        Work on one tuple of effort 1.
    serialise_s_per_byte, deserialise_s_per_byte
        Work on both ends of a stream for each byte that leaves its node. With the defaults and
        tuples of 500 bytes, Real Job 2 has half the load once all of its traffic is local, which
        is what the paper reports.
    merge_s_per_byte
        PoTC only: work to merge a byte of partial state into the other part.
    pause_s_per_byte
        Paper: α in α·|σ|, how long a key group stands still while it migrates. The paper's 2.5 s
        for a key group of 1 MB.
    start_up_s
        From asking for a node until it can own key groups. The paper gives none; a minute is what
        a virtual machine takes.
    """

    process_s_per_tuple: float = 2.5e-4
    serialise_s_per_byte: float = 1e-6
    deserialise_s_per_byte: float = 1e-6
    merge_s_per_byte: float = 1e-6
    pause_s_per_byte: float = 2.5e-6
    start_up_s: float = 60.0

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if not (math.isfinite(value) and value >= 0):
                raise InvalidInput(f"{each.name} is {value}; it must be a finite number, 0 or more")
        if self.process_s_per_tuple == 0:
            raise InvalidInput("process_s_per_tuple is 0; a tuple takes some time")


#: The paper's cluster.
PAPER_COSTS = CostModel()
#: What ``python -m bench.costs`` printed on two quiet cores; merging is as much as reading.
SPARK_COSTS = CostModel(
    process_s_per_tuple=1.4e-7,
    serialise_s_per_byte=3.9e-9,
    deserialise_s_per_byte=3.9e-9,
    merge_s_per_byte=3.9e-9,
    pause_s_per_byte=3.1e-6,
    start_up_s=1.7,
)
#: Loads that do not depend on where neighbours are, as in the paper's synthetic experiments.
COMPUTE_ONLY = CostModel(serialise_s_per_byte=0.0, deserialise_s_per_byte=0.0)
