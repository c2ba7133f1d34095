"""What ``albic config`` does: settings as a table, as JSON, and as a page."""

import os
import sys
from pathlib import Path

from albic.cli.shared.screen import screen, titled
from albic.config import Chosen, choices
from albic.config.applying import limits_of, loop_settings
from albic.config.page import page, value_text
from albic.config.sources import DEFAULT
from albic.model.files import document_text

FORMAT = "albic-config/1"


def show(config: Path | None, *, as_json: bool) -> None:
    """Print every setting as attach would find it here and now."""
    chosen = choices({}, config, os.environ)
    # Some make sense only together.
    loop_settings(chosen, queries=1)
    limits_of(chosen)
    if as_json:
        rows = [_row(each) for each in chosen.values()]
        sys.stdout.write(document_text({"format": FORMAT, "settings": rows}))
        return
    table = titled("settings", left=("name", "value", "from", "default", "unit", "meaning"))
    for each in chosen.values():
        table.add_row(
            each.setting.name,
            value_text(each.value),
            each.origin,
            value_text(each.setting.default),
            each.setting.unit,
            each.setting.meaning,
            style="" if each.origin == DEFAULT else "bold",
        )
    screen().print(table)


def print_page() -> None:
    """Print the page about all settings."""
    sys.stdout.write(page())


def _row(each: Chosen) -> dict[str, object]:
    """Return one setting for machines."""
    return {
        "name": each.setting.name,
        "variable": each.setting.variable,
        "value": each.value,
        "origin": each.origin,
        "default": each.setting.default,
        "unit": each.setting.unit,
        "meaning": each.setting.meaning,
    }
