"""The error tree; a name tells the caller what to do.

::

    AlbicError
    ├── InvalidInput      a file, option or value of the user's is wrong: mend it
    ├── JobEnded          a job ended before it had done what was asked: look at its own error
    ├── NotReady          measurements do not cover the job yet: try again next period
    ├── PlanRejected      the judge found a plan faulty: keep the present allocation
    ├── ProcessorFailed   a user's code raised inside an operator: mend that code
    └── StoreGone         a database does not answer any more: bring it back, start again
"""

from collections.abc import Sequence


class AlbicError(Exception):
    """Root of everything albic raises on purpose."""


class InvalidInput(AlbicError):
    """Something the user gave is wrong; the message names the field and the remedy."""


class JobEnded(AlbicError):
    """A job ended before it had done what was asked; the message has the job's own reason."""


class NotReady(AlbicError):
    """Measurements do not cover the job yet; try again next period."""


class PlanRejected(AlbicError):
    """The judge found a plan faulty; the present allocation stays."""

    def __init__(self, findings: Sequence[object]) -> None:
        super().__init__("; ".join(str(finding) for finding in findings))
        self.findings = tuple(findings)


class ProcessorFailed(AlbicError):
    """The user's code raised inside an operator; the message names operator and key group."""


class StoreGone(AlbicError):
    """A database does not answer any more; nothing of the batch was written."""


class Interrupted(AlbicError):
    """Somebody pressed Ctrl-C in the midst of something; it says what became of the work."""
