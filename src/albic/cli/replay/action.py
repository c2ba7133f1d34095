"""What ``albic replay`` does: recorded rounds planned again, beside what was done then."""

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.table import Table

from albic.cli.shared.planning import Named
from albic.cli.shared.screen import count_text, percent_text, points_text, screen, titled, tracked
from albic.control.journal import RoundRecord, Status, read_journal
from albic.control.replay import Changes, Replay, Totals, replay, replayable, totals
from albic.model.files import blaming, document_text

FORMAT = "albic-replay/1"


@dataclass(frozen=True, slots=True)
class _Round:
    """A recorded round as the progress bar calls it."""

    record: RoundRecord

    @property
    def name(self) -> str:
        return f"round {self.record.number}"


def run(file: Path, planner: Named, changes: Changes, *, as_json: bool) -> None:
    """Plan every round of a journal again and print both answers."""
    records = read_journal(file)
    with blaming(file):
        rounds = [_Round(record) for record in replayable(records, changes)]
        replays = [
            replay(each.record, planner.planner, changes)
            for each in tracked(rounds, f"{planner.name} plans")
        ]
    if as_json:
        sys.stdout.write(document_text(document(planner.name, replays)))
        return
    console = screen()
    console.print(table(planner.name, replays))
    console.print(conclusion(planner.name, replays))
    if left_out := len(records) - len(replays):
        console.print(f"{count_text(left_out, 'round')} without a plan left out")


def table(name: str, replays: Sequence[Replay]) -> Table:
    """Return a line a round, and one for all of them."""
    goal = replays[0].objective
    talks = any(each.request.snapshot.traffic.nnz for each in replays)
    answers = ["\nrecorded", f"\n{name}"]
    made = titled(
        f"{count_text(len(replays), 'round')} planned again by {name}",
        left=["\nround"],
        right=[f"{goal}\nmeasured", *answers, "moves\nrecorded", f"\n{name}"]
        + (["together\nmeasured", *answers] if talks else []),
    )
    made.add_column(f"{name}'s\nplan")

    def row(of: Replay | Totals) -> list[str]:
        standings = (of.measured, of.recorded, of.replayed)
        cells = [points_text(standing.of(goal)) for standing in standings]
        cells += [str(of.recorded_moves), str(of.replayed_moves)]
        return cells + [percent_text(each.collocation) for each in standings if talks]

    for each in replays:
        verdict = "refused" if each.status is Status.FAILED else each.status.value
        made.add_row(str(each.record.number), *row(each), verdict)
    made.add_section()
    made.add_row("all", *row(totals(replays)), style="bold")
    return made


def conclusion(name: str, replays: Sequence[Replay]) -> str:
    """Return what the columns mean, and the outcome."""
    goal, both = replays[0].objective, totals(replays)
    was, now = both.recorded.of(goal), both.replayed.of(goal)
    gap = (now - was) / was if was > 0 else 0.0
    change = f", {abs(gap):.1%} {'less' if gap < 0 else 'more'}" if abs(gap) >= 0.001 else ""
    told = (
        f"{goal} in points of load; all: its mean, and the sum of the moves. "
        f"Each round starts from what was measured then.\n"
        f"{name}: {points_text(now)} against {points_text(was)} as recorded{change}, with "
        f"{count_text(both.replayed_moves, 'move')} against {both.recorded_moves}"
    )
    if refused := [each for each in replays if each.status is Status.FAILED]:
        told += (
            f"\n{count_text(len(refused), 'plan')} would have been refused; "
            f"in round {refused[0].record.number}: {refused[0].reason}"
        )
    return told


def document(name: str, replays: Sequence[Replay]) -> dict[str, object]:
    """Return all rounds for machines."""
    return {
        "format": FORMAT,
        "planner": name,
        "objective": replays[0].objective.value,
        "rounds": [
            {"number": each.record.number, "at_s": each.record.at_s}
            | _answers(each)
            | {
                "status": {"recorded": each.record.status.value, "replayed": each.status.value},
                "reason": {"recorded": each.record.reason, "replayed": each.reason},
                "wall_s": each.plan.wall_s,
            }
            for each in replays
        ],
        "totals": _answers(totals(replays)),
    }


def _answers(of: Replay | Totals) -> dict[str, object]:
    """Return what was measured, recorded and planned again."""
    return {
        "measured": asdict(of.measured),
        "recorded": asdict(of.recorded) | {"moves": of.recorded_moves},
        "replayed": asdict(of.replayed) | {"moves": of.replayed_moves},
    }
