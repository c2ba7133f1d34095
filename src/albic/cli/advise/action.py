"""What ``albic advise`` does: findings from a journal, as a table and in sentences."""

import sys
from dataclasses import asdict
from pathlib import Path

from albic.advice import Finding
from albic.advice.finding import BYTES_PER_S, SECONDS
from albic.cli.shared.screen import bytes_text, count_text, screen, seconds_text, titled
from albic.control.advice_evidence import advice
from albic.control.journal import read_journal
from albic.model import InvalidInput
from albic.model.files import blaming, document_text

FORMAT = "albic-advice/1"


def run(file: Path, *, as_json: bool) -> None:
    """Print what the newest rounds of a journal give reason to say."""
    records = read_journal(file)
    with blaming(file):
        if not any(record.snapshot for record in records):
            raise InvalidInput(
                f"none of its {len(records)} rounds holds a snapshot, so there is nothing to "
                f"advise on; wait for a round that has measured the job"
            )
        found = advice(records)
    if as_json:
        rows = [asdict(finding) for finding in found]
        sys.stdout.write(document_text({"format": FORMAT, "findings": rows}))
        return
    console = screen()
    if not found:
        console.print("nothing: all that the last rounds show is a matter of placement")
        return
    table = titled(
        count_text(len(found), "finding"), left=("rule", "where"), right=("costs", "should win")
    )
    for finding in found:
        win = "" if finding.win is None else measure(finding.win, finding.unit)
        table.add_row(finding.rule, where(finding), measure(finding.cost, finding.unit), win)
    console.print(table)
    for finding in found:
        console.print(f"{finding.rule}: {finding.sentence}.")
        console.print(f"  What to do: {finding.remedy}.")


def where(finding: Finding) -> str:
    """Return what a finding is about, as far as it is about one thing."""
    if finding.key_group is not None:
        return f"{finding.operator}, key group {finding.key_group}"
    if finding.executor is not None:
        return f"executor {finding.executor}"
    return finding.operator or finding.setting or ""


def measure(value: float, unit: str) -> str:
    """Return an amount with its unit."""
    if unit == SECONDS:
        return f"{seconds_text(value)} a batch"
    if unit == BYTES_PER_S:
        return f"{bytes_text(value)}/s"
    return f"{value:.1f} {unit}"
