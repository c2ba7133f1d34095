"""The first screen of a report: what holds, what holds with a note, what does not and why."""

from collections.abc import Callable, Iterable, Sequence

from albic.experiments.experiment import Claim
from albic.experiments.result import Judged, Result, Verdict
from albic.figures import Table

#: A statement with the name of its figure.
Told = tuple[str, Judged]
COLUMNS = ("figure", "claim", "paper", "measured", "seeds", "holds")
#: Whose statements stand in which table, in the order of the report.
PARTS: tuple[tuple[str, Callable[[Claim], bool]], ...] = (
    ("Statements of the paper", lambda claim: claim.of_paper),
    ("The same of HiGHS from scratch", lambda claim: claim.from_scratch),
    ("The same with costs that Spark has", lambda claim: claim.other_costs),
    ("Statements of ours", lambda claim: claim.ours),
)


def every(results: Sequence[Result], fits: Callable[[Claim], bool]) -> list[Told]:
    """Return every statement that fits, with the name of its figure."""
    return [
        (result.name, judged)
        for result in results
        for judged in result.judged()
        if fits(judged.claim)
    ]


def verdict(results: Sequence[Result]) -> str:
    """Return in a sentence or two how many statements hold."""
    papers, alone, costs, ours = (_counted(every(results, fits)) for _, fits in PARTS)
    told = f"{papers[0]} of {papers[1]} statements of the paper hold here"
    noted = len(_of(every(results, PARTS[0][1]), Verdict.NOTED))
    told += f", {noted} of them with a note" if noted else ""
    told += f"; of HiGHS from scratch {alone[0]} of {alone[1]} do" if alone[1] else ""
    told += f", with the costs of Spark {costs[0]} of {costs[1]}" if costs[1] else ""
    told += f", and {ours[0]} of {ours[1]} of ours." if ours[1] else "."
    if not any(result.quick for result in results):
        return told
    return f"{told} A quick run: few points and little time, so what needs long runs cannot hold."


def overview(results: Sequence[Result]) -> Table:
    """Return how many of the paper's statements there are of each kind, and in which figures."""
    papers = every(results, PARTS[0][1])
    rows = [
        (kind.value, str(len(some)), _places(some))
        for kind in Verdict
        if (some := _of(papers, kind))
    ]
    return Table(("the paper's statement", "how many", "where"), tuple(rows))


def explained(results: Sequence[Result]) -> list[tuple[str, list[str]]]:
    """Return what to know of everything that does not simply hold, under its kind.

    Statements with the same note are told together, so that all of it fits a screen.
    """
    papers = every(results, PARTS[0][1])
    noted = _of(papers, Verdict.NOTED)
    told = {Verdict.NOTED: [_shared(note, noted) for note in _notes(noted)]}
    for kind in (Verdict.FAILS, Verdict.FALSE):
        told[kind] = [
            f"{name}, {judged.claim.statement}: {judged.finding.remark}"
            for name, judged in _of(papers, kind)
        ]
    return [(kind.value, lines) for kind, lines in told.items() if lines]


def statements(results: Sequence[Result]) -> list[tuple[str, Table]]:
    """Return every statement with what was measured: the paper's, the solver's alone, ours."""
    tables = [(heading, Table(COLUMNS, _cells(every(results, fits)))) for heading, fits in PARTS]
    return [(heading, table) for heading, table in tables if table.rows]


def _cells(told: Iterable[Told]) -> tuple[tuple[str, ...], ...]:
    """Return a line for each statement."""
    return tuple(
        (
            name,
            judged.claim.statement,
            judged.claim.paper or "–",
            judged.finding.measured,
            judged.finding.seeds or "–",
            judged.finding.told(),
        )
        for name, judged in told
    )


def _counted(told: Sequence[Told]) -> tuple[int, int]:
    """Return how many statements hold, and of how many that were measured."""
    measured = [judged.finding for _, judged in told if not judged.finding.is_missing]
    return sum(finding.holds for finding in measured), len(measured)


def _of(told: Sequence[Told], kind: Verdict) -> list[Told]:
    """Return the statements of one kind."""
    return [(name, judged) for name, judged in told if judged.verdict is kind]


def _notes(told: Sequence[Told]) -> list[str]:
    """Return every note once."""
    return list(dict.fromkeys(judged.finding.note for _, judged in told))


def _shared(note: str, told: Sequence[Told]) -> str:
    """Return a note with the figures that it is for."""
    return f"{note} ({_places([each for each in told if each[1].finding.note == note])})"


def _places(told: Sequence[Told]) -> str:
    """Return figures with how many statements each has, where it has several."""
    counts: dict[str, int] = {}
    for name, _ in told:
        counts[name] = counts.get(name, 0) + 1
    return ", ".join(f"{name} {count}" if count > 1 else name for name, count in counts.items())
