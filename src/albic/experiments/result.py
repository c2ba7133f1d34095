"""What an experiment gave: its rows, every claim judged, and where it was made."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from albic.experiments.experiment import Claim, Experiment, Finding, parameters
from albic.experiments.manifest import Beginning, commit, versions
from albic.experiments.rows import Rows
from albic.experiments.runner import Done
from albic.experiments.store import code_hash

FORMAT = "albic-figure/1"


class Verdict(StrEnum):
    """What became of a statement, in the order in which a summary tells it."""

    HOLDS = "holds"
    NOTED = "holds with a note"
    FAILS = "does not hold"
    FALSE = "false as stated"
    MISSING = "not measured"


@dataclass(frozen=True, slots=True)
class Judged:
    """A claim and what came out for it."""

    claim: Claim
    finding: Finding

    @property
    def verdict(self) -> Verdict:
        """Return what became of the claim."""
        if self.finding.is_missing:
            return Verdict.MISSING
        if self.finding.holds:
            return Verdict.NOTED if self.finding.note else Verdict.HOLDS
        return Verdict.FALSE if self.claim.lemma else Verdict.FAILS


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """An experiment with its rows in the order of its points."""

    experiment: Experiment[Any]
    quick: bool
    rows: Rows
    seconds: float
    begun: Beginning

    @property
    def name(self) -> str:
        """Return the experiment's name."""
        return self.experiment.name

    @property
    def command(self) -> str:
        """Return the command that makes this figure again."""
        guests = "".join(f" --planner {name}" for name in self.experiment.guests)
        trace = f" --trace {self.experiment.trace}" if self.experiment.trace else ""
        trace += f" --edits {self.experiment.edits}" if self.experiment.edits else ""
        return f"albic reproduce {self.name}{' --quick' if self.quick else ''}{guests}{trace}"

    def judged(self) -> tuple[Judged, ...]:
        """Return every claim with its finding."""
        return tuple(Judged(claim, claim.check(self.rows)) for claim in self.experiment.claims)

    def document(self) -> dict[str, object]:
        """Return everything there is to keep, as JSON has it."""
        experiment = self.experiment
        return {
            "format": FORMAT,
            "name": self.name,
            "figure": experiment.figure,
            "question": experiment.question,
            "notes": experiment.notes,
            "command": self.command,
            **asdict(self.begun),
            "seconds": self.seconds,
            "commit": commit(),
            "code": code_hash(),
            "versions": versions(),
            "parameters": parameters(experiment.chosen(quick=self.quick)),
            "claims": [
                {
                    "statement": judged.claim.statement,
                    "paper": judged.claim.paper,
                    "ours": judged.claim.ours,
                    "from_scratch": judged.claim.from_scratch,
                    "other_costs": judged.claim.other_costs,
                    "verdict": judged.verdict.value,
                    "measured": judged.finding.measured,
                    "holds": None if judged.finding.is_missing else judged.finding.holds,
                    "seeds": judged.finding.seeds,
                    "remark": judged.finding.remark,
                    "note": judged.finding.note,
                }
                for judged in self.judged()
            ],
            "rows": [_finite(row) for row in self.rows.rows],
        }


def result_of(
    experiment: Experiment[Any], done: Iterable[Done], begun: Beginning, *, quick: bool
) -> Result:
    """Return the result of all points; ``seconds`` is what they took, now or in an earlier run."""
    ordered = sorted(done, key=lambda each: each.position)
    rows = Rows.of(row for each in ordered for row in each.kept.rows)
    seconds = round(math.fsum(each.kept.seconds for each in ordered), 1)
    return Result(experiment, quick, rows, seconds, begun)


def _finite(row: Mapping[str, object]) -> dict[str, object]:
    """Return the row with None for what is no number, which JSON cannot hold."""
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in row.items()
    }
