"""Results for people: a page, Markdown, and pictures."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from albic.experiments.manifest import commit, versions
from albic.experiments.result import Judged, Result
from albic.experiments.store import code_hash
from albic.figures import Page, Section, Table
from albic.figures.plots import save
from albic.model import InvalidInput
from albic.model.files import blaming, save_document, save_text

#: The report is written between these lines of a page of the documentation, and nowhere else.
BEGIN, END = "<!-- written by albic reproduce -->", "<!-- until here -->"
COLUMNS = ("figure", "claim", "paper", "measured", "holds")


def write_result(result: Result, out: Path) -> None:
    """Write a figure's JSON and its pictures."""
    path = out / f"{result.name}.json"
    with blaming(path):
        save_document(path, result.document())
    save(result.experiment.charts(result.rows), out / result.name)


def write_report(results: Sequence[Result], out: Path) -> None:
    """Write ``report.html`` and ``report.md``."""
    pages = {
        "report.html": page(results).html(),
        "report.md": f"# The paper's evaluation, run again\n\n{markdown(results, '')}",
    }
    for name, text in pages.items():
        with blaming(out / name):
            save_text(out / name, text)


def write_docs(results: Sequence[Result], docs: Path) -> None:
    """Put the report into ``experiments.md`` of the documentation, and its figures beside it."""
    path = docs / "experiments.md"
    with blaming(path):
        try:
            text = path.read_text(encoding="utf-8")
        except OSError:
            raise InvalidInput("cannot be read; it is the page to write into") from None
        before, found, rest = text.partition(BEGIN)
        _, closed, after = rest.partition(END)
        if not (found and closed):
            raise InvalidInput(f"has no lines {BEGIN} and {END} to write between")
        for result in results:
            save(result.experiment.charts(result.rows), docs / "figures" / result.name)
            (docs / "figures" / f"{result.name}.png").unlink()
        body = markdown(results, "figures/")
        save_text(path, f"{before}{BEGIN}\n\n{body}\n{END}{after}")


def page(results: Sequence[Result]) -> Page:
    """Return the whole report as a page."""
    claims = Section("Claims", tables=(Table(COLUMNS, tuple(_cells(results))),))
    return Page(
        "The paper's evaluation, run again",
        verdict(results),
        (claims, *(_section(result) for result in results)),
        footer=_made(results),
    )


def markdown(results: Sequence[Result], figures: str) -> str:
    """Return the whole report as Markdown; ``figures`` is where pictures are, from the page."""
    lines = [verdict(results), "", _made(results), ""]
    lines += _markdown_table(Table(COLUMNS, tuple(_cells(results))))
    for result in results:
        experiment = result.experiment
        lines += ["", f"## {result.name}", ""]
        lines += [f"{experiment.figure}. {experiment.question}", "", experiment.notes, ""]
        lines += [f"`{result.command}`, {result.seconds:.0f} s of work.", ""]
        lines += [f"![{experiment.question}]({figures}{result.name}.svg)"]
        for table in experiment.tables(result.rows):
            lines += ["", *_markdown_table(table)]
        lines += _remarks(result.judged())
    return "\n".join(lines) + "\n"


def verdict(results: Sequence[Result]) -> str:
    """Return in a sentence or two how many claims hold."""
    every = [
        judged for result in results for judged in result.judged() if not judged.finding.is_missing
    ]
    papers = [judged for judged in every if not judged.claim.ours]
    ours = [judged for judged in every if judged.claim.ours]
    held = (sum(judged.finding.holds for judged in some) for some in (papers, ours))
    told = f"{next(held)} of {len(papers)} statements of the paper hold here"
    told += f", and {next(held)} of {len(ours)} of ours." if ours else "."
    quick = any(result.quick for result in results)
    return (
        f"{told} A quick run: few points and little time, so what needs long runs cannot hold."
        if quick
        else told
    )


def _made(results: Sequence[Result]) -> str:
    """Return where and when the run was made."""
    if not results:
        return ""
    begun = results[0].begun
    machine = begun.machine
    return (
        f"Commit {commit()}, {begun.when}, on {machine.cores} cores "
        f"({machine.processor}) with a load of {machine.load_before:g} before; "
        + ", ".join(f"{name} {number}" for name, number in versions().items())
        + f". {sum(result.seconds for result in results) / 60:.0f} minutes of work in all, by code "
        f"{code_hash()[:8]}; points that it measured in earlier runs count."
    )


def _cells(results: Iterable[Result]) -> Iterable[tuple[str, ...]]:
    """Yield a line for each claim."""
    for result in results:
        for judged in result.judged():
            claim, finding = judged.claim, judged.finding
            said = "ours" if claim.ours else claim.paper
            yield (
                result.name,
                claim.statement,
                said,
                finding.measured,
                finding.told(),
            )


def _section(result: Result) -> Section:
    """Return one figure of the page."""
    experiment = result.experiment
    text = f"{experiment.figure}. {experiment.question}\n{experiment.notes}\n{result.command}"
    return Section(
        result.name, text, experiment.charts(result.rows), experiment.tables(result.rows)
    )


def _remarks(judged: Sequence[Judged]) -> list[str]:
    """Return a paragraph on what does not hold."""
    missed = [each for each in judged if not each.finding.holds and not each.finding.is_missing]
    if not missed:
        return []
    told = [f"- {each.claim.statement}: {each.finding.remark}" for each in missed]
    return ["", "Does not hold here:", "", *told]


def _markdown_table(table: Table) -> list[str]:
    """Return a table."""
    lines = [table.columns, ("---",) * len(table.columns), *table.rows]
    return [f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines]
