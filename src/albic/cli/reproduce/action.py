"""What ``albic reproduce`` does: runs experiments with bars, and writes the report."""

from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from albic.cli.shared.screen import counting, screen, titled
from albic.experiments.catalogue import ALL, chosen
from albic.experiments.experiment import Experiment, Finding
from albic.experiments.manifest import beginning
from albic.experiments.report import write_docs, write_report, write_result
from albic.experiments.result import Result, result_of
from albic.experiments.runner import Done, measured
from albic.experiments.store import Store, code_hash
from albic.experiments.summary import explained, verdict
from albic.experiments.user_inputs import Guests
from albic.model import InvalidInput

#: Where the points of a run are kept, inside its folder.
POINTS = "points"


def run(
    names: list[str],
    *,
    quick: bool,
    out: Path,
    docs: Path | None,
    at_once: int,
    guests: Guests,
) -> None:
    """Run the named experiments, and write figures and report into ``out``."""
    if not names:
        raise InvalidInput(f"name an experiment, or {ALL}; --list shows what there is")
    if at_once < 1:
        raise InvalidInput(f"--jobs is {at_once}; it must be 1 or more")
    experiments = [guests.joining(experiment) for experiment in chosen(names)]
    begun = beginning()
    _made(out)
    store = Store(out / POINTS, code_hash())
    console, results = screen(), []
    for experiment in experiments:
        done = _with_bar(experiment, store, quick=quick, at_once=at_once)
        result = result_of(experiment, done, begun, quick=quick)
        write_result(result, out)
        _tell(console, result, sum(each.found for each in done))
        results.append(result)
    write_report(results, out)
    if docs is not None:
        write_docs(results, docs)
    _sum_up(console, results)
    console.print(f"wrote {out / 'report.html'} and {out / 'report.md'}")


def _made(out: Path) -> None:
    """Make the folder for the results."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as wrong:
        cause = (wrong.strerror or "unknown error").lower()
        raise InvalidInput(f"the folder {str(out)!r} cannot be made: {cause}") from None


def _with_bar(
    experiment: Experiment[Any], store: Store, *, quick: bool, at_once: int
) -> list[Done]:
    """Return all points, with a progress bar."""
    with counting() as progress:
        task = progress.add_task(experiment.name, total=len(experiment.chosen(quick=quick)))
        done = []
        for each in measured(experiment, store, quick=quick, at_once=at_once):
            done.append(each)
            progress.update(task, advance=1, description=f"{experiment.name}: {each.point.name}")
    return done


def _tell(console: Console, result: Result, found: int) -> None:
    """Print the claims of one experiment."""
    kept = f", {found} points from an earlier run" if found else ""
    title = f"{result.name}, {result.seconds:.0f} s of work{kept}"
    table = titled(title, left=("claim", "paper", "measured", "seeds", "holds"))
    for judged in result.judged():
        claim, finding = judged.claim, judged.finding
        said = "ours" if claim.ours else claim.paper
        table.add_row(claim.statement, said, finding.measured, finding.seeds, _verdict(finding))
    console.print(table)


def _sum_up(console: Console, results: list[Result]) -> None:
    """Print what holds, and what to know of the rest; last, for there a terminal is read first."""
    for kind, lines in explained(results):
        console.print(f"{kind}:", style="bold")
        for line in lines:
            console.print(f"  {line}")
    console.print(verdict(results))


def _verdict(finding: Finding) -> Text:
    """Return whether a claim holds, in its colour; nothing where nothing was measured."""
    if finding.is_missing:
        return Text("")
    return Text("yes", style="green") if finding.holds else Text("NO", style="bold red")
