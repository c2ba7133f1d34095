"""Packages that are installed for the length of a test."""

from collections.abc import Mapping
from pathlib import Path


def installed(
    folder: Path, name: str, modules: Mapping[str, str], planners: Mapping[str, str]
) -> None:
    """Lay ``modules`` into ``folder`` as an installer would, with what names their planners."""
    folder.mkdir(exist_ok=True)
    for file, code in modules.items():
        (folder / file).write_text(code, encoding="utf-8")
    info = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    head = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
    (info / "METADATA").write_text(head, encoding="utf-8")
    lines = [f"{planner} = {place}" for planner, place in planners.items()]
    text = "\n".join(["[albic.planners]", *lines, ""])
    (info / "entry_points.txt").write_text(text, encoding="utf-8")
