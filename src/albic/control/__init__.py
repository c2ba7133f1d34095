"""The loop: measure, decide, check, act and write down, over ports that Spark or a test answers."""

from albic.control.journal import JsonLinesJournal, MemoryJournal, RoundRecord, read_journal
from albic.control.loop import Controller
from albic.control.ports import Parts
from albic.control.settings import Pace, Settings
from albic.control.status import ControllerStatus

__all__ = [
    "Controller",
    "ControllerStatus",
    "JsonLinesJournal",
    "MemoryJournal",
    "Pace",
    "Parts",
    "RoundRecord",
    "Settings",
    "read_journal",
]
