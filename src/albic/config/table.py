"""The settings that there are: name, kind, default, unit and meaning of each.

Those of the loop and of scaling are taken from their dataclasses, where each is declared once.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields

from albic.control.rotation import KEPT_FILES, MOST_BYTES
from albic.control.settings import Pace, Settings
from albic.model import InvalidInput, Objective
from albic.model.setting_kinds import Amount, Flag, Kind, Word
from albic.planners import planner_names
from albic.scaling import POLICIES, Limits

AUTO, FIXED, NO_STANDBY = "auto", "fixed", "0"
LIMITS = "limits."
PREFIX = "ALBIC_"


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting; ``default`` is None where none is the default.

    As a keyword it may be an object that does the work itself, if it ``takes_objects``.
    """

    name: str
    kind: Kind
    default: object
    unit: str
    meaning: str
    takes_objects: bool = False

    @property
    def variable(self) -> str:
        """Return the environment variable of the same name."""
        return PREFIX + self.name.upper().replace(".", "_")


@dataclass(frozen=True, slots=True)
class Length:
    """How often something happens, as people write it."""

    def parsed(self, text: str) -> object:
        """Return the text."""
        return text

    def objection(self, value: object) -> str | None:
        """Return what it would have to be."""
        try:
            # Whatever else it is, is refused.
            Pace.of(value)  # type: ignore[arg-type]
        except (InvalidInput, TypeError):
            return 'write for example "20s", "500ms", "2m" or "5 batches"'
        return None


class PlannerName:
    """The name of a planner, ours or an installed package's."""

    def parsed(self, text: str) -> object:
        """Return the text."""
        return text

    def objection(self, value: object) -> str | None:
        """Return what it would have to be; packages are looked at only when they are asked for."""
        return Word(planner_names()).objection(value)


def _declared(kind: type, prefix: str = "") -> Iterator[Setting]:
    """Yield the settings that a dataclass declares."""
    for field in fields(kind):
        if told := field.metadata:
            yield Setting(
                f"{prefix}{field.name}", told["kind"], field.default, told["unit"], told["meaning"]
            )


TABLE: tuple[Setting, ...] = (
    Setting(
        "planner",
        PlannerName(),
        AUTO,
        "",
        "Who plans: a name, ours or a package's.",
        takes_objects=True,
    ),
    Setting(
        "period",
        Length(),
        "20s",
        "seconds or batches",
        "How often to plan: 20s, 500ms, 2m, 5 batches, or a number of seconds; paper: SPL.",
    ),
    Setting(
        "objective",
        Word((AUTO, *(each.value for each in Objective))),
        AUTO,
        "",
        "makespan for what a batch waits for, distance for the paper's load distance; auto is "
        "makespan for one query, whose stages run one after the other, and distance for several, "
        "whose stages run side by side.",
    ),
    *_declared(Settings),
    Setting(
        "warm",
        Flag(),
        default=True,
        unit="",
        meaning="Whether the new owner of large state loads it beside the batches before it takes "
        "over; without that, the batch after a move waits for it.",
    ),
    Setting(
        "standby",
        Word((AUTO, NO_STANDBY, "1")),
        NO_STANDBY,
        "copies",
        "Second copies of state for the case that an executor is lost: 0 keeps none, 1 one of "
        "every key group, auto one of those with 8 MiB or more.",
    ),
    Setting(
        "scaling",
        Word((FIXED, *POLICIES)),
        FIXED,
        "",
        "fixed keeps the executors there are; a policy adds and drains some, within the limits.",
        takes_objects=True,
    ),
    *_declared(Limits, LIMITS),
    Setting(
        "journal",
        Word(),
        None,
        "path",
        "A file for the records of all rounds; without it, one in the checkpoint of the first "
        "query, or none where that is out of reach.",
        takes_objects=True,
    ),
    Setting(
        "journal_max_bytes",
        Amount(least=0, whole=True),
        MOST_BYTES,
        "bytes",
        "The size at which a journal is put aside and a new one begun; 0 lets it grow for ever.",
    ),
    Setting(
        "journal_files",
        Amount(least=1, whole=True),
        KEPT_FILES,
        "files",
        "How many files of a journal are kept, the one that is written included.",
    ),
)
