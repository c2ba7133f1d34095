"""Results for people: a page, Markdown, and pictures."""

from collections.abc import Sequence
from pathlib import Path

from albic.experiments.manifest import commit, versions
from albic.experiments.result import Judged, Result
from albic.experiments.store import code_hash
from albic.experiments.summary import explained, overview, statements, verdict
from albic.figures import Page, Section, Table
from albic.figures.plots import save
from albic.model import InvalidInput
from albic.model.files import blaming, save_document, save_text

#: The report is written between these lines of a page of the documentation, and nowhere else.
BEGIN, END = "<!-- written by albic reproduce -->", "<!-- until here -->"


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
    """Return the whole report as a page: the summary, then figures, then every statement."""
    why = "\n".join(
        "\n".join([f"{kind[:1].upper()}{kind[1:]}:", *(f"- {line}" for line in lines), ""])
        for kind, lines in explained(results)
    )
    return Page(
        "The paper's evaluation, run again",
        verdict(results),
        (
            Section("Summary", why, tables=(overview(results),)),
            *(_section(result) for result in results),
            *(Section(heading, tables=(table,)) for heading, table in statements(results)),
        ),
        footer=_made(results),
    )


def markdown(results: Sequence[Result], figures: str) -> str:
    """Return the whole report as Markdown; ``figures`` is where pictures are, from the page."""
    lines = ["## Summary", "", verdict(results), "", *_markdown_table(overview(results))]
    for kind, told in explained(results):
        lines += ["", f"**{kind[:1].upper()}{kind[1:]}**", "", *(f"- {line}" for line in told)]
    lines += ["", _made(results)]
    for result in results:
        experiment = result.experiment
        lines += ["", f"## {result.name}", ""]
        lines += [f"{experiment.figure}. {experiment.question}", "", experiment.notes, ""]
        lines += [f"`{result.command}`, {result.seconds:.0f} s of work.", ""]
        lines += [f"![{experiment.question}]({figures}{result.name}.svg)"]
        for table in experiment.tables(result.rows):
            lines += ["", *_markdown_table(table)]
        lines += _remarks(result.judged())
    for heading, table in statements(results):
        lines += ["", f"## {heading}", "", *_markdown_table(table)]
    return "\n".join(lines) + "\n"


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
