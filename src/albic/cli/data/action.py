"""What ``albic data`` does: datasets as tables, a file's inventory, generated files."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console

from albic.cli.shared.screen import bytes_text, count_text, percent_text, screen, titled, waiting
from albic.jobs.datasets.catalogue import datasets
from albic.jobs.datasets.data_folder import home
from albic.jobs.datasets.formats import FORMATS, Format
from albic.jobs.datasets.generating import RECIPES, generate
from albic.jobs.datasets.reading import reading_of
from albic.jobs.datasets.recipe import Recipe
from albic.jobs.datasets.survey import TOP_KEYS, KeySurvey, Survey, surveyed
from albic.jobs.datasets.writing import WRITERS
from albic.model import InvalidInput


def show_list(*, as_json: bool) -> None:
    """Print every dataset: what it is, whether it is here, where it comes from."""
    found = datasets()
    if as_json:
        rows = [
            {
                "name": each.name,
                "kind": each.kind,
                "about": each.about,
                "from": each.origin,
                "path": None if each.path is None else str(each.path),
                "bytes": each.size_bytes,
                "rows": each.rows,
            }
            for each in found
        ]
        print(json.dumps(rows, indent=2))
        return
    table = titled(
        "datasets", left=("name", "kind", "here", "what", "from"), right=("rows", "size")
    )
    for each in found:
        size = each.size_bytes
        table.add_row(
            each.name,
            each.kind,
            "no" if each.path is None else "yes",
            each.about,
            each.origin,
            "" if each.rows is None else f"{each.rows:,}",
            "" if size is None else bytes_text(size),
        )
    console = screen()
    console.print(table)
    console.print(
        "a file that you have: albic data check FILE; one that you lack: albic data synth"
    )


def show_path(name: str | None) -> None:
    """Print where a dataset lies, or where albic keeps what it makes."""
    if name is None:
        print(home())
        return
    found = {each.name: each for each in datasets()}
    if name not in found:
        raise InvalidInput(f"there is no dataset {name!r}; known are {', '.join(found)}")
    if (path := found[name].path) is None:
        raise InvalidInput(f"{name!r} is not on this machine; get it from {found[name].origin}")
    print(path)


def check(path: Path, stations: Path | None, *, as_json: bool) -> None:
    """Print what a file or folder holds."""
    reading = reading_of(path, None, stations)
    sizes = sum(each.stat().st_size for each in reading.files)
    with _bar(f"reading {path.name}", sizes, len(reading.files)) as watch:
        found = surveyed(reading, watch)
    if not found.formats:
        raise InvalidInput(f"{str(path)!r} holds no record that can be read{_why(found)}")
    if as_json:
        print(json.dumps(_document(path, found), indent=2))
    else:
        _tables(path, found)


def synth(name: str, path: Path, wishes: dict[str, Any]) -> None:
    """Write a generated file and say what it is."""
    form = _writable(name)
    recipe, _ = RECIPES[form.kind.name]
    chosen: Recipe = replace(
        recipe, **{key: value for key, value in wishes.items() if value is not None}
    )
    with waiting(f"writing {path.name}"):
        generate(form, chosen, path)
    print(
        f"{path}: {count_text(chosen.rows, 'row')} as {form.name}, "
        f"{bytes_text(path.stat().st_size)}, "
        f"{count_text(chosen.keys, 'key')}, Zipf {chosen.exponent:g}, drift {chosen.drift:g}, "
        f"seed {chosen.seed}"
    )


def _writable(name: str) -> Format:
    """Return the format called ``name``, if it can be written."""
    if name not in WRITERS:
        raise InvalidInput(f"{name!r} cannot be written; choose one of {', '.join(WRITERS)}")
    return FORMATS[name]


def _document(path: Path, found: Survey) -> dict[str, object]:
    """Return a survey for machines."""
    return {
        "file": str(path),
        "formats": dict(found.formats),
        "kinds": sorted(found.kinds),
        "rows": found.tally.rows,
        "first": _moment(found.first_us),
        "last": _moment(found.last_us),
        "in_time_order": found.in_order,
        "skipped": dict(found.tally.skipped),
        "mended": dict(found.tally.mended),
        "missing": {name: count for name, count in found.missing.items() if count},
        "keys": {
            name: {
                "distinct": len(keys.counts),
                "zipf_exponent": round(keys.exponent, 4),
                "drift": None if keys.drift is None else round(keys.drift, 4),
                "top": [[key, count] for key, count in _top(keys)],
            }
            for name, keys in found.keys.items()
        },
    }


def _tables(path: Path, found: Survey) -> None:
    """Print a survey for people."""
    console = screen()
    formats = ", ".join(f"{FORMATS[name].about} ({name})" for name in found.formats)
    console.print(f"{path}: {formats}")
    console.print(_summary(found))
    keys = titled(
        "keys",
        left=("column", "busiest"),
        right=("different", "Zipf exponent", "drift of the top 20"),
    )
    for name, survey in found.keys.items():
        busiest = ", ".join(f"{key} {count:,}" for key, count in _top(survey))
        moved = "" if survey.drift is None else percent_text(survey.drift)
        keys.add_row(name, busiest, f"{len(survey.counts):,}", f"{survey.exponent:.3f}", moved)
    console.print(keys)
    for title, counts in (
        ("records left out", found.tally.skipped),
        ("values mended", found.tally.mended),
        ("values missing", found.missing),
    ):
        _counted(console, title, {name: count for name, count in counts.items() if count}, found)


def _summary(found: Survey) -> str:
    """Return rows and time in a line."""
    text = count_text(found.tally.rows, "row")
    if found.first_us is not None:
        order = "in" if found.in_order else "not in"
        text += (
            f", {_moment(found.first_us)} to {_moment(found.last_us)}, {order} the order of time"
        )
    left_out = found.tally.skipped.total()
    return text + f"; {count_text(left_out, 'record')} left out"


def _counted(console: Console, title: str, counts: dict[str, int], found: Survey) -> None:
    """Print counts with their share of the rows, if there are any."""
    if not counts:
        return
    table = titled(title, left=("what",), right=("count", "of rows"))
    for name, count in sorted(counts.items(), key=lambda item: -item[1]):
        table.add_row(name, f"{count:,}", percent_text(count / max(found.tally.rows, 1)))
    console.print(table)


def _top(keys: KeySurvey) -> list[tuple[str, int]]:
    """Return the busiest keys; among equals by name."""
    return sorted(keys.counts.items(), key=lambda item: (-item[1], item[0]))[:TOP_KEYS]


def _moment(time_us: int | None) -> str | None:
    """Return an instant as people write it."""
    if time_us is None:
        return None
    return datetime.fromtimestamp(time_us // 1_000_000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _why(found: Survey) -> str:
    """Return what was wrong with all records."""
    reasons = ", ".join(f"{count:,} × {why}" for why, count in found.tally.skipped.items())
    return f": {reasons}" if reasons else "; it is empty but for its header"


@contextmanager
def _bar(doing: str, size_bytes: int, files: int) -> Iterator[Callable[[int], None]]:
    """Show how much is read; with several files only that something is."""
    with waiting(doing, size_bytes if files == 1 else None) as advance:
        yield advance
