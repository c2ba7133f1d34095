"""albic makes stateful Spark streaming jobs balance themselves.

::

    controller = albic.attach(query)
    …
    controller.stop()
"""

from typing import TYPE_CHECKING

from albic.extras import lacking as _lacking

if TYPE_CHECKING:
    from albic.wiring import attach, local_cluster

__version__ = "0.1.0"
__all__ = ["attach", "local_cluster"]


def __getattr__(name: str) -> object:
    """Load what needs Spark when it is asked for, so that planning works without it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from albic import wiring  # noqa: PLC0415  see above
    except ModuleNotFoundError as missing:
        raise _lacking(f"albic.{name}", missing) from None
    return getattr(wiring, name)
