"""Isolated nodes on one machine: a link, a processor share and network storage each.

Made of what Linux has: network namespaces, ``tc``, control groups, FUSE. Knows nothing of Spark.
This file loads nothing but the standard library, for the process that sweeps up starts from here.
"""

from albic.nodes.requirements import missing

__all__ = ["missing"]
