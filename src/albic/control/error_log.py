"""Errors, each told once: a controller that fails ten times a second must not fill a log."""

import logging

log = logging.getLogger(__name__)


class Complaints:
    """Remembers what was told already."""

    def __init__(self) -> None:
        self._told: set[str] = set()

    def knows(self, wrong: BaseException) -> bool:
        """Return whether an error was told already."""
        return _line(wrong) in self._told

    def tell(self, wrong: BaseException, doing: str) -> str:
        """Log an error in a line, where it came from for those who debug; return the line."""
        said = _line(wrong)
        if said in self._told:
            log.debug("%s failed again: %s", doing, said)
        else:
            self._told.add(said)
            log.warning("%s failed: %s; the job goes on", doing, said)
            log.debug("this is where it failed", exc_info=wrong)
        return said


def _line(wrong: BaseException) -> str:
    # Errors of a JVM bring their whole stack along.
    return f"{type(wrong).__name__}: {wrong}".partition("\n")[0]
