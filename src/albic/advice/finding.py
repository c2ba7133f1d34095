"""One piece of advice."""

from dataclasses import dataclass

#: What a cost or a win is counted in.
SECONDS, PERCENT = "s a batch", "% of a batch"
BYTES_PER_S, TASK_TIME, TASKS, MEMORY = "bytes/s", "% of task time", "% of tasks", "% of memory"


@dataclass(frozen=True, slots=True)
class Finding:
    """What placement cannot fix: where, what it costs, what to do and what that should win.

    Parameters
    ----------
    rule
        Which rule found it; ``docs/advice.md`` tells of each.
    cost, win
        As measured, and as it should come out, both in ``unit``; a win that nobody can tell
        beforehand is None.
    operator, key_group, executor
        What it is about, as far as it is about one; a key group by its number in the operator.
    setting
        The setting of Spark's that has to be changed, if it is one.
    """

    rule: str
    cost: float
    unit: str
    win: float | None
    remedy: str
    sentence: str
    operator: str | None = None
    key_group: int | None = None
    executor: str | None = None
    setting: str | None = None
