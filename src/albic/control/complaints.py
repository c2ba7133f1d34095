"""Errors, each told once: a controller that fails ten times a second must not fill a log."""

import logging

log = logging.getLogger(__name__)


class Complaints:
    """Remembers what was told already."""

    def __init__(self) -> None:
        self._told: set[str] = set()

    def tell(self, wrong: Exception, doing: str) -> str:
        """Log an error in a line, where it came from for those who debug; return the line."""
        # Errors of a JVM bring their whole stack along.
        said = f"{type(wrong).__name__}: {wrong}".partition("\n")[0]
        if said in self._told:
            log.debug("%s failed again: %s", doing, said)
        else:
            self._told.add(said)
            log.warning("%s failed: %s; the job goes on", doing, said)
            log.debug("this is where it failed", exc_info=wrong)
        return said
