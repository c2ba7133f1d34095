"""The paper's real jobs, each as a network of operators and as plain Spark SQL."""

from albic.jobs.real.job import Inputs, RealJob
from albic.jobs.real.results import expected, results
from albic.jobs.real.table import REAL_JOBS

__all__ = ["REAL_JOBS", "Inputs", "RealJob", "expected", "results"]
