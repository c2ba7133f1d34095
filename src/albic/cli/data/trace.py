"""What ``albic data trace`` does: a real job is counted over its data, for the simulator."""

from pathlib import Path

from albic.cli.shared.screen import count_text, screen, waiting
from albic.jobs.real.tracing import Tracing, period_count, traced
from albic.sim import save_trace


def write(wishes: Tracing, path: Path) -> None:
    """Write the trace of a job to ``path`` and say whose rows it is made of."""
    with waiting(f"counting {wishes.job}", period_count(wishes)) as advance:
        trace = traced(wishes, advance)
    save_trace(path, trace)
    periods, groups = (
        count_text(number, word)
        for number, word in ((trace.length, "period"), (trace.topology.key_groups, "key group"))
    )
    screen().print(f"wrote {path}: {periods} of {groups}, from {trace.about}", soft_wrap=True)
