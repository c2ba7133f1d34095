"""The list of real jobs."""

from collections.abc import Mapping

from albic.jobs.real import airplanes, articles, potc, rain_delays, routes
from albic.jobs.real.job import RealJob

REAL_JOBS: Mapping[str, RealJob] = {
    job.name: job for job in (articles.JOB, potc.JOB, airplanes.JOB, routes.JOB, rain_delays.JOB)
}
