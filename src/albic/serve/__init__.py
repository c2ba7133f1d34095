"""The live page, its API and its metrics: one small server beside a job or beside its journals."""

from albic.extras import lacking as _lacking

try:
    from albic.serve.address import Serving
    from albic.serve.jobs import Job, Jobs, job_of_controller, jobs_of_journals
    from albic.serve.server import PageServer
except ModuleNotFoundError as missing:
    raise _lacking("albic.serve", missing) from None

__all__ = [
    "Job",
    "Jobs",
    "PageServer",
    "Serving",
    "job_of_controller",
    "jobs_of_journals",
]
