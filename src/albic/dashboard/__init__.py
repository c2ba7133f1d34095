"""Runs of a job as pages for people: reads records, changes nothing."""

from albic.dashboard.comparison import comparison_page, headline, picture
from albic.dashboard.runs import RunRecords, faster

__all__ = ["RunRecords", "comparison_page", "faster", "headline", "picture"]
