"""When executors came and went, in Spark's own words."""

from albic.control.node_presence import Stay
from albic.spark.attaching import bridge_of_process


def executor_stays() -> tuple[Stay, ...]:
    """Return the time of every executor that the session has or had, the first one first."""
    every = [
        Stay(
            node=str(told["id"]),
            from_s=told["addTime"] / 1e3,
            until_s=told["removeTime"] / 1e3 if told.get("removeTime") else None,
            failed_tasks=int(told["failedTasks"]),
        )
        for told in bridge_of_process().executors_ever()
    ]
    return tuple(sorted(every, key=lambda stay: stay.from_s))
