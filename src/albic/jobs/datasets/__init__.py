"""Real data in their original formats, normalised, ordered by time and replayed as streams.

What needs Spark is loaded when it is asked for; reading and checking files works without it.
"""

import typing

from albic.extras import lacking as _lacking

if typing.TYPE_CHECKING:
    from albic.jobs.datasets.pace import Pace
    from albic.jobs.datasets.sources import edits, flights, weather

__all__ = ["Pace", "edits", "flights", "weather"]


def __getattr__(name: str) -> object:
    """Return what is loaded late."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from albic.jobs.datasets import sources  # noqa: PLC0415
    except ModuleNotFoundError as missing:
        raise _lacking(f"{__name__}.{name}", missing) from None
    return getattr(sources, name)
