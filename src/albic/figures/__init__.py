"""Charts and pages: what we print for people to look at."""

from albic.figures.chart import Chart, Kind, Series
from albic.figures.page import Page, Section, Table

__all__ = ["Chart", "Kind", "Page", "Section", "Series", "Table"]
