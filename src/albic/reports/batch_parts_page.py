"""What batches consist of, for people: a sentence and a table for each planner."""

import statistics
from collections.abc import Sequence

from albic.figures import Section, Table
from albic.reports.batch_parts import Part, shares
from albic.reports.batch_series import LAST
from albic.reports.repeats import Repeats


def shares_line(one: Repeats) -> str:
    """Return what the batches of a planner are made of, as a sentence."""
    made = shares(one.makeup())
    return (
        f"{one.name}: {made.work:.0%} of a batch is work, {made.wait:.0%} waiting for rows from "
        f"other nodes, {made.fixed:.0%} fixed cost."
    )


def makeup_section(planners: Sequence[Repeats]) -> tuple[Section, ...]:
    """Return what batches consist of, if that was measured."""
    measured = [each for each in planners if each.empty]
    if not measured:
        return ()
    rows = statistics.median(record.rows for each in measured for record in each.empty)
    lines = " ".join(shares_line(each) for each in measured)
    text = (
        f"{lines} Fixed is what the same batch takes with {rows:.0f} rows on the same nodes: "
        f"starting tasks and Python, committing state, Spark's own books. Waiting is what Spark's "
        f"tasks say they stood still for blocks from other nodes, on the node that waited longest. "
        f"The rest is work. The mean of the last {LAST} batches of each run, in seconds."
    )
    return (
        Section(
            "What a batch consists of",
            text,
            tables=tuple(makeup_table(each.name, each.makeup()) for each in measured),
        ),
    )


def makeup_table(name: str, parts: Sequence[Part]) -> Table:
    """Return the parts of a batch, and their sum."""
    columns = ("wall_s", "work_s", "wait_s", "fixed_s")
    rows = [(part.name, *(f"{getattr(part, each):.2f}" for each in columns)) for part in parts]
    sums = [f"{sum(getattr(part, each) for part in parts):.2f}" for each in columns]
    head = (f"{name}: part of a batch", "s", "work", "waiting", "fixed")
    return Table(head, (*rows, ("all", *sums)))
