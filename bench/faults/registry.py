"""All faults there are, in one list."""

import os

from albic.nodes import missing
from bench.faults import in_the_controller, of_the_driver, on_the_cluster, on_the_storage
from bench.faults.fault import MOUNTS, NODES, Fault

FAULTS: tuple[Fault, ...] = (
    *on_the_cluster.FAULTS,
    *on_the_storage.FAULTS,
    *of_the_driver.FAULTS,
    *in_the_controller.FAULTS,
)


def lacking(fault: Fault) -> str | None:
    """Return why a fault cannot strike on this machine, or None if it can."""
    if fault.needs == NODES:
        return missing()
    if fault.needs == MOUNTS and os.geteuid() != 0:
        return "to mount a file system takes root"
    return None
