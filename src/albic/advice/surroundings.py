"""Rules about settings of Spark that cost, or that work against a placement."""

from collections.abc import Iterator, Mapping
from statistics import median

from albic.advice.evidence import Evidence
from albic.advice.finding import PERCENT, SECONDS, TASKS, Finding
from albic.advice.words import amount

PROVIDER = "spark.sql.streaming.stateStore.providerClass"
HDFS_BACKED = "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider"
FILE_MANAGER = "spark.sql.streaming.checkpointFileManagerClass"
CHANGELOG = "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled"
SPECULATION = "spark.speculation"
WAIT = "spark.locality.wait"
#: Not a setting, but it decides what one costs: the kind of file system that holds the checkpoint.
CHECKPOINT_SCHEME = "checkpoint_scheme"

#: What a controller notes when it is attached, and what Spark takes where nobody set it; an empty
#: one is chosen by Spark itself.
NOTED: Mapping[str, str] = {
    PROVIDER: HDFS_BACKED,
    FILE_MANAGER: "",
    CHANGELOG: "false",
    SPECULATION: "false",
    WAIT: "3s",
}

QUICK_FILES = (
    "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
)
#: A task with state that spends more than this beside its rows has dear files; with the quick
#: manager and a local disk we measured 49 ms with one store and 71 ms with the other.
DEAR_TASK_S = 0.09
#: What the quick manager saved of each task then.
SAVED_S = 0.05

#: Plans that are compared before a wait of 0 s is spoken of, and how near it has to come to them.
PLANS, AS_WELL = 2, 1.05
IMPATIENT = (
    "state is small and loads quickly here: spark.locality.wait=0s alone would do about as well"
)
#: The share of key groups that may change their node by themselves from round to round.
MOST_WANDERING = 0.05


def setting(seen: Evidence, name: str) -> str:
    """Return a setting of Spark's; an empty text where it is not known."""
    return seen.settings.get(name, "")


def dear_checkpoint_files(seen: Evidence) -> Iterator[Finding]:
    """Yield the file manager that starts a process for each file on a local disk."""
    local = setting(seen, CHECKPOINT_SCHEME) == "file"
    if not local or FILE_MANAGER not in seen.settings or setting(seen, FILE_MANAGER) == QUICK_FILES:
        return
    if (spent_s := _dear_tasks_s(seen)) is None:
        return
    tasks = sum(seen.groups(cost.stage).size for cost in seen.task_costs)
    yield Finding(
        rule="checkpoint files",
        cost=spent_s,
        unit=SECONDS,
        win=min(tasks * SAVED_S / seen.slots, spent_s),
        remedy=f"set {FILE_MANAGER}={QUICK_FILES}",
        sentence=f"tasks spend {amount(spent_s, SECONDS)} of every batch beside their rows, and "
        f"the checkpoint is on a local disk, where Spark's own file manager starts a process for "
        f"each file",
        setting=FILE_MANAGER,
    )


def dear_state_snapshots(seen: Evidence) -> Iterator[Finding]:
    """Yield the state store that uploads a snapshot after each batch."""
    rocks = "RocksDB" in setting(seen, PROVIDER)
    if not rocks or setting(seen, CHANGELOG) != "false":
        return
    if (spent_s := _dear_tasks_s(seen)) is None:
        return
    yield Finding(
        rule="state snapshots",
        cost=spent_s,
        unit=SECONDS,
        win=None,
        remedy=f"set {CHANGELOG}=true",
        sentence=f"tasks spend {amount(spent_s, SECONDS)} of every batch beside their rows, and "
        f"RocksDB uploads a snapshot of each state after every batch instead of its changes",
        setting=CHANGELOG,
    )


def _dear_tasks_s(seen: Evidence) -> float | None:
    """Return what tasks spend beside their rows in a batch, if a task spends much."""
    if max((cost.fixed_s for cost in seen.task_costs), default=0.0) < DEAR_TASK_S:
        return None
    spent_s = sum(cost.fixed_s * seen.groups(cost.stage).size for cost in seen.task_costs)
    return spent_s / seen.slots


def speculation(seen: Evidence) -> Iterator[Finding]:
    """Yield speculation, which takes tasks from the executor that has their state."""
    if setting(seen, SPECULATION) != "true":
        return
    astray = _astray_pct(seen)
    yield Finding(
        rule="speculation",
        cost=astray,
        unit=TASKS,
        win=astray,
        remedy=f"set {SPECULATION}=false",
        sentence=f"{SPECULATION} is on: Spark starts slow tasks once more elsewhere, and the copy "
        f"has to load the state first; {astray:.1f} % of tasks ran away from their state of late",
        setting=SPECULATION,
    )


def restless_state(seen: Evidence) -> Iterator[Finding]:
    """Yield a locality wait that is over before the executor with the state is free."""
    if seen.judged or seen.wandering < MOST_WANDERING or setting(seen, SPECULATION) == "true":
        return
    wandering = 100 * seen.wandering
    yield Finding(
        rule="locality wait",
        cost=wandering,
        unit=TASKS,
        win=wandering,
        remedy=f"set {WAIT}.process to more than a stage takes, or let albic steer (without "
        f"dry_run it does so itself)",
        sentence=f"{wandering:.0f} % of key groups change their executor from round to round "
        f"though nobody moves them: tasks wait {setting(seen, WAIT) or 'too short a time'} for the "
        f"executor with their state, and then load it elsewhere",
        setting=WAIT,
    )


def needless_wait(seen: Evidence) -> Iterator[Finding]:
    """Yield that Spark would do about as well without a plan, if it did not wait."""
    last = seen.impatience[-PLANS:]
    if len(last) < PLANS or median(last) > AS_WELL:
        return
    lost = 100 * max(median(last) - 1, 0.0)
    yield Finding(
        rule="needless wait",
        cost=lost,
        unit=PERCENT,
        win=None,
        remedy=f"set {WAIT}=0s if you would rather run without a controller",
        sentence=f"{IMPATIENT} (batches {lost:.0f} % longer than with the last plans)",
        setting=WAIT,
    )


def _astray_pct(seen: Evidence) -> float:
    """Return the share of tasks that ran elsewhere than their state was, in percent."""
    if seen.judged:
        return 100 * (1 - seen.compliant / seen.judged)
    return 100 * seen.wandering
