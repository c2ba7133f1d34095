"""What is generated and written is read back as it was, and ordered whatever the memory."""

import gzip
import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from albic.jobs.datasets import pieces, prepared, synthetic
from albic.jobs.datasets.formats import FORMATS, WIKITICKER
from albic.jobs.datasets.generating import RECIPES
from albic.jobs.datasets.ordering import is_ordered, ordered
from albic.jobs.datasets.recipe import EDIT_RECIPE, Recipe
from albic.jobs.datasets.schemas import EDIT, FLIGHTS
from albic.jobs.datasets.writing import WRITERS, save
from tests.unit.jobs.datasets.helpers import table_of

# Hypothesis writes and reads some hundred files.
pytestmark = pytest.mark.timeout(180)

#: Columns that a format cannot hold.
LOST = {
    "wikiticker": {"article_id", "revision_id", "user_id", "words"},
    "snap-enwiki": {
        *("wiki", "namespace", "new", "robot", "unpatrolled", "added", "deleted", "delta"),
        *("country", "region", "city", "event_time"),
    },
}

RECIPE = st.builds(
    Recipe,
    rows=st.integers(1, 25),
    keys=st.integers(1, 40),
    exponent=st.floats(0, 3),
    drift=st.floats(0, 1),
    start=st.dates(date(1990, 1, 1), date(2080, 1, 1)),
    days=st.integers(1, 400),
    seed=st.integers(0, 2**32),
)


@pytest.mark.parametrize("name", list(WRITERS))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=10)
@given(recipe=RECIPE)
def test_what_is_written_is_read_back(tmp_path: Path, name: str, recipe: Recipe) -> None:
    form = FORMATS[name]
    made = RECIPES[form.kind.name][1](recipe)
    save(made, form, tmp_path / "file.gz")
    read = table_of(tmp_path / "file.gz")
    kept = [column for column in made.column_names if column not in LOST.get(name, set())]
    assert read.select(kept).to_pylist() == made.select(kept).to_pylist()


WORD = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp", "Zs"]), min_size=1, max_size=9
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15)
@given(
    words=st.lists(st.tuples(WORD, WORD), min_size=1, max_size=8),
    form=st.sampled_from(["wikiticker", "snap-enwiki"]),
)
def test_any_word_survives_as_a_page_or_user(
    tmp_path: Path, words: list[tuple[str, str]], form: str
) -> None:
    # Underscores are blanks in one of the formats, and the mark of an address says "anonymous".
    pairs = [(page.replace("_", "-"), "u" + user.replace("_", "-")) for page, user in words]
    made = synthetic.edits(Recipe(len(pairs), 5, 1.0, 0.0, date(2015, 9, 12), 1))
    columns = {name: made[name] for name in made.column_names}
    columns["page"] = pa.array([page for page, _ in pairs])
    columns["user"] = pa.array([user for _, user in pairs])
    columns["anonymous"] = pa.array([False] * len(pairs))
    columns["user_id"] = pa.array(range(len(pairs)), pa.int64())
    save(pa.table(columns, schema=EDIT), FORMATS[form], tmp_path / "file")
    read = table_of(tmp_path / "file")
    assert list(zip(read["page"].to_pylist(), read["user"].to_pylist(), strict=True)) == pairs


def shuffled(rows: int, seed: int) -> list[pa.Table]:
    """Return flights in tables of odd sizes, out of order."""
    table = synthetic.flights(Recipe(rows, 9, 0.5, 0.1, date(2013, 1, 1), 3))
    rng = random.Random(seed)  # noqa: S311  an order, not a secret
    positions = list(range(rows))
    rng.shuffle(positions)
    mixed = table.take(positions)
    cuts = sorted({0, rows, *(rng.randrange(rows) for _ in range(5))})
    return [mixed.slice(a, b - a) for a, b in pairwise(cuts)]


@pytest.mark.parametrize("run_rows", [1, 10, 64, 150, 10_000])
@pytest.mark.parametrize("merge_rows", [1, 7, 1000])
def test_the_order_does_not_depend_on_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_rows: int, merge_rows: int
) -> None:
    monkeypatch.setattr("albic.jobs.datasets.ordering.MERGE_ROWS", merge_rows)
    tables = shuffled(300, seed=5)
    expected = sorted(
        (row for table in tables for row in table.to_pylist()), key=lambda row: row["event_time"]
    )
    found = pa.concat_tables(ordered(iter(tables), tmp_path, run_rows))
    assert is_ordered(found)
    assert found.to_pylist() == expected, "rows of one instant keep their order"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15)
@given(
    cuts=st.lists(st.integers(0, 400), min_size=2, max_size=6),
    piece=st.sampled_from([50, 128, 999]),
)
def test_a_range_of_rows_is_always_the_same_rows(
    tmp_path_factory: pytest.TempPathFactory, cuts: list[int], piece: int
) -> None:
    folder = tmp_path_factory.mktemp("copy")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(prepared, "PIECE_ROWS", piece)
        for module in (prepared, pieces):
            patched.setattr(module, "GROUP_ROWS", 16)
        copy = prepared.write(ordered(iter(shuffled(333, 1)), folder), folder, FLIGHTS, "mark")
        every = pa.Table.from_batches(copy.read(0, 333))
        assert every["sequence"].to_pylist() == list(range(333))
        again = prepared.opened(folder)
        for first, end in pairwise(sorted(cuts)):
            rows = [row for batch in again.read(first, end) for row in batch.to_pylist()]
            assert rows == every.slice(first, end - first).to_pylist()
        times = every["event_time"].cast(pa.int64()).to_pylist()
        for row in (0, 1, 100, 332):
            assert again.row_at(times[row]) == times.index(times[row])
            assert again.time_at_us(row) == times[row]
        assert again.row_at(times[-1] + 1) == 333
        assert again.row_at(0) == 0
        assert again.time_at_us(999) == times[-1]


def test_two_who_write_the_same_file_at_once_both_succeed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    form, path = WIKITICKER, tmp_path / "edits.json.gz"
    table, lines = synthetic.edits(replace(EDIT_RECIPE, rows=5)), WRITERS[form.name]

    def with_another_in_between(rows: pa.Table) -> Iterator[str]:
        yield from lines(rows)
        monkeypatch.setitem(WRITERS, form.name, lines)
        save(rows, form, path)

    monkeypatch.setitem(WRITERS, form.name, with_another_in_between)
    save(table, form, path)
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    assert len(gzip.decompress(path.read_bytes()).splitlines()) == 5
