"""Journals as they grow: what a page, a terminal or a collector of metrics shows of a job."""

from albic.live.journal_follower import JournalFollower, MemoryFollower, Source
from albic.live.state import JobState, JournalState

__all__ = ["JobState", "JournalFollower", "JournalState", "MemoryFollower", "Source"]
