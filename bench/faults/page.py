"""Results of faults as a table: one row a fault, both modes side by side."""

import statistics
from collections.abc import Sequence
from pathlib import Path

from bench.faults.fault import ALBIC, PLAIN
from bench.faults.running import Outcome

BEGIN, END = "<!-- table: make faults -->", "<!-- end of table -->"
HEAD = (
    "| fault | times | rows wrong | plain Spark | albic | stall, plain | stall, albic "
    "| the journal says |\n"
    "|---|---|---|---|---|---|---|---|\n"
)


def table(outcomes: Sequence[Outcome]) -> str:
    """Return all outcomes as a table in Markdown; stalls are medians in seconds."""
    names = list(dict.fromkeys(outcome.fault for outcome in outcomes))
    return HEAD + "".join(_row(name, outcomes) for name in names)


def _row(name: str, outcomes: Sequence[Outcome]) -> str:
    mine = [outcome for outcome in outcomes if outcome.fault == name]
    both = {mode: [each for each in mine if each.mode == mode] for mode in (PLAIN, ALBIC)}
    told = next((each.told for each in reversed(both[ALBIC]) if each.told), "")
    cells = (
        name,
        len(mine),
        sum(each.wrong for each in mine),
        _ways(both[PLAIN]),
        _ways(both[ALBIC]),
        _stall(both[PLAIN]),
        _stall(both[ALBIC]),
        (told or "").replace("|", "/")[:120],
    )
    return f"| {' | '.join(str(cell) for cell in cells)} |\n"


def _ways(outcomes: Sequence[Outcome]) -> str:
    return ", ".join(dict.fromkeys(outcome.query for outcome in outcomes)) or "–"


def _stall(outcomes: Sequence[Outcome]) -> str:
    if not outcomes:
        return "–"
    return f"{statistics.median(outcome.stall_s for outcome in outcomes):.1f} s"


def complaints(outcomes: Sequence[Outcome]) -> list[str]:
    """Return everything that is not as it should be, in a sentence each."""
    found = []
    for each in outcomes:
        who = f"{each.fault} ({each.job}, {each.mode}, seed {each.seed})"
        if each.wrong:
            found.append(f"{who}: {each.missing} rows are missing, {each.extra} too many")
        if each.left:
            found.append(f"{who}: left behind {', '.join(each.left)}")
        if each.stopped:
            found.append(f"{who}: a rule was broken: {each.stopped}")
    return found


def write(page: Path, outcomes: Sequence[Outcome]) -> None:
    """Put the table into a page, between its marks."""
    text = page.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{BEGIN}\n{table(outcomes)}{END}{after}", encoding="utf-8")
