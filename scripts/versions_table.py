"""Writes the table of versions in docs/operating.md out of what pytest said of each.

python scripts/versions_table.py 4.1.4=results/4.1.xml 4.2.1=results/4.2.xml
"""

import sys
from pathlib import Path
from xml.etree import ElementTree as ET

PAGE = Path("docs/operating.md")
BEGIN, END = "<!-- versions: begin -->", "<!-- versions: end -->"
PASSED = "passed"


def outcome(case: ET.Element) -> str:
    """Return how a test ended, in words of the table."""
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    skipped = case.find("skipped")
    return PASSED if skipped is None else skipped.get("message", "")


def outcomes(path: Path) -> dict[str, str]:
    """Return how each point of the contract ended for one version."""
    found: dict[str, str] = {}
    for case in ET.parse(path).iter("testcase"):  # noqa: S314  pytest's own
        for told in case.iter("property"):
            if told.get("name") == "contract":
                found[told.get("value", "")] = outcome(case)
    return found


def table(versions: dict[str, dict[str, str]]) -> str:
    """Return the table: one row for each point, one column for each version, and the reasons."""
    points = list(dict.fromkeys(point for found in versions.values() for point in found))
    reasons: list[str] = []

    def cell(told: str) -> str:
        if told in {PASSED, "failed", "not run"}:
            return told
        if told not in reasons:
            reasons.append(told)
        return f"no ({reasons.index(told) + 1})"

    lines = [f"| | {' | '.join(versions)} |", "|---" * (len(versions) + 1) + "|"]
    for point in points:
        cells = (cell(found.get(point, "not run")) for found in versions.values())
        lines.append(f"| {point} | {' | '.join(cells)} |")
    told = [f"{number}. {reason}." for number, reason in enumerate(reasons, 1)]
    return "\n".join([*lines, "", *told])


def main(arguments: list[str]) -> None:
    """Write the table between its marks."""
    versions = {
        version: outcomes(Path(path))
        for version, path in (argument.split("=", 1) for argument in arguments)
    }
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n{table(versions)}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
