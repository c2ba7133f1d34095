"""What ``albic journal trace`` does: a recorded run as a trace for the simulator."""

from pathlib import Path

from albic.cli.shared.screen import count_text, screen
from albic.control.journal import read_journal
from albic.experiments.journal_trace import trace_of
from albic.model.files import blaming
from albic.sim import save_trace


def write(file: Path, trace: Path, nodes: int) -> None:
    """Write what the job of a journal was asked to do, laid on so many nodes."""
    records = read_journal(file)
    with blaming(file):
        found = trace_of(records, nodes)
    save_trace(trace, found)
    groups = count_text(found.topology.key_groups, "key group")
    screen().print(f"wrote {trace}: {count_text(found.length, 'period')} of {groups}")
