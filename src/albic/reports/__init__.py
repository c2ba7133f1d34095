"""Runs of a job as pages for people: reads records, changes nothing."""

from albic.reports.comparison import comparison_page, headline, picture
from albic.reports.run_records import RunRecords, faster

__all__ = ["RunRecords", "comparison_page", "faster", "headline", "picture"]
