"""How far a batch reaches: by the clock, by a number of rows, or by a span of event time."""

from datetime import UTC, date, datetime
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("pyspark", reason="the extra spark is not installed")

from pyspark.sql.streaming.datasource import ReadAllAvailable

from albic.jobs.datasets import prepared, synthetic
from albic.jobs.datasets.pace import ROWS_PER_BATCH, Pace
from albic.jobs.datasets.prepared import Prepared
from albic.jobs.datasets.recipe import Recipe
from albic.jobs.datasets.replay import LAST, PAYLOAD, ReplayReader, Rows, packed_schema
from albic.jobs.datasets.schemas import WEATHERS
from albic.model import InvalidInput
from albic.streams.packed_rows import unpacked
from albic.streams.packing import record_batches
from albic.streams.schemas import arrow_schema

DAYS, STATIONS = 10, 3
DAY_S = 86_400
LIMIT = ReadAllAvailable()


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    """Return ten days of three stations: three rows an instant."""
    recipe = Recipe(DAYS * STATIONS, STATIONS, 0.0, 0.0, date(2013, 1, 1), DAYS)
    folder = tmp_path_factory.mktemp("copy")
    return prepared.write(iter([synthetic.weather(recipe)]), folder, WEATHERS, "mark")


class Clock:
    """A clock that stands until it is told otherwise."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def row(offset: dict[str, object]) -> object:
    return offset["row"]


def test_rows_come_as_their_time_does(copy: Prepared) -> None:
    clock = Clock()
    reader = ReplayReader(copy, Pace(speed_up=DAY_S), 2, clock)
    start = reader.initialOffset()
    assert row(reader.latestOffset(start, LIMIT)) == 0
    clock.now_s += 0.5
    first = reader.latestOffset(start, LIMIT)
    assert row(first) == STATIONS, "the first instant is due, the second is half a day off"
    clock.now_s += 2.0
    assert row(reader.latestOffset(first, LIMIT)) == 3 * STATIONS
    clock.now_s += 99.0
    assert row(reader.latestOffset(first, LIMIT)) == DAYS * STATIONS


def test_a_restart_goes_on_at_the_same_speed_and_does_not_catch_up(copy: Prepared) -> None:
    clock = Clock()
    reader = ReplayReader(copy, Pace(speed_up=DAY_S), 2, clock)
    middle = {"row": 5 * STATIONS, "data": copy.fingerprint}
    assert row(reader.latestOffset(middle, LIMIT)) == 5 * STATIONS
    clock.now_s += 1.5
    assert row(reader.latestOffset(middle, LIMIT)) == 7 * STATIONS


def test_all_that_is_there_comes_without_the_clock(copy: Prepared) -> None:
    reader = ReplayReader(copy, Pace(speed_up=1.0), 2, Clock())
    reader.prepareForTriggerAvailableNow()
    assert row(reader.latestOffset(reader.initialOffset(), LIMIT)) == DAYS * STATIONS


@pytest.mark.parametrize(
    ("pace", "ends"),
    [
        pytest.param(Pace(rows=12), [12, 24, 30], id="rows"),
        # The first of January 2013 is day 15,706.
        pytest.param(Pace(span_s=4 * DAY_S), [6, 18, 30], id="span"),
        pytest.param(Pace(span_s=4 * DAY_S, rows=7), [6, 13, 18, 25, 30], id="the lesser"),
        pytest.param(Pace(), [30], id="as many as fit"),
    ],
)
def test_batches_end_where_they_should(copy: Prepared, pace: Pace, ends: list[int]) -> None:
    assert copy.rows < ROWS_PER_BATCH
    reader = ReplayReader(copy, pace, 2, Clock())
    offset, found = reader.initialOffset(), []
    while row(following := reader.latestOffset(offset, LIMIT)) != row(offset):
        found.append(row(following))
        offset = following
    assert found == ends
    assert following == reader.reportLatestOffset()


@pytest.mark.parametrize(("begin", "end"), [(0, 1), (0, 10), (3, 29), (29, 30), (7, 99)])
def test_a_part_of_a_copy_keeps_the_numbers_of_its_rows(copy: Prepared, begin, end) -> None:
    part = copy.part(begin, end)
    last = min(end, copy.rows)
    assert (part.begin, part.end, part.rows) == (begin, last, last - begin)
    assert part.last_us == copy.time_at_us(last - 1)
    assert part.row_at(0) == begin
    assert part.row_at(copy.last_us + 1) == last
    reader = ReplayReader(part, Pace(), 2, Clock())
    ends = reader.initialOffset(), reader.latestOffset(reader.initialOffset(), LIMIT)
    assert ends[1] == reader.reportLatestOffset()
    tasks = [reader.read(task) for task in reader.partitions(*ends)]
    assert [n for task in tasks for b in task for n in b["sequence"].to_pylist()] == list(
        range(begin, last)
    )


@pytest.mark.parametrize(("begin", "end"), [(0, 0), (5, 5), (30, 40), (-1, 3)])
def test_no_rows_are_no_part(copy: Prepared, begin, end) -> None:
    with pytest.raises(InvalidInput, match="no weather from row"):
        copy.part(begin, end)


@given(first=st.integers(0, 30), end=st.integers(0, 30), tasks=st.integers(1, 9))
def test_tasks_share_a_batch_without_gap_or_overlap(
    copy: Prepared, first: int, end: int, tasks: int
) -> None:
    first, end = sorted((first, end))
    reader = ReplayReader(copy, Pace(), tasks)
    offsets = ({"row": each, "data": copy.fingerprint} for each in (first, end))
    parts = [part for part in reader.partitions(*offsets) if isinstance(part, Rows)]
    assert len(parts) <= tasks
    rows = [number for part in parts for number in range(part.first, part.end)]
    assert rows == list(range(first, end))
    read = [n for part in parts for b in reader.read(part) for n in b["sequence"].to_pylist()]
    assert read == rows


def test_a_packed_replay_has_the_same_rows_and_marks_the_last(copy: Prepared) -> None:
    columns = ["station", "event_time", "sequence"]
    reader = ReplayReader(copy.part(2, 20), Pace(), 1, packed=columns)
    packed = pa.Table.from_batches(list(reader.read(Rows(5, 20))))
    assert packed.column_names == [PAYLOAD]
    schema = arrow_schema(packed_schema(copy, columns))
    found = unpacked(packed[PAYLOAD].to_pylist(), schema)
    assert found.column_names == [*columns, LAST]
    assert found["sequence"].to_pylist() == list(range(5, 20))
    assert found["last"].to_pylist() == [False] * 14 + [True]
    rows = pa.Table.from_batches(list(copy.read(5, 20)))
    assert found["station"].to_pylist() == rows["station"].to_pylist()


def test_a_packer_opens_what_a_packed_source_hands_over(copy: Prepared) -> None:
    columns = ["station", "event_time"]
    reader = ReplayReader(copy, Pace(), 1, packed=columns)
    schema = arrow_schema(packed_schema(copy, columns))
    opened = pa.Table.from_batches(
        list(record_batches(reader.read(Rows(0, copy.end)), schema)), schema
    )
    assert opened["station"].to_pylist() == [
        name for batch in copy.read(0, copy.end) for name in batch["station"].to_pylist()
    ]


def test_an_offset_of_other_data_is_refused(copy: Prepared) -> None:
    reader = ReplayReader(copy, Pace(), 1)
    with pytest.raises(InvalidInput, match="other data"):
        reader.latestOffset({"row": 0, "data": "another"}, LIMIT)


@pytest.mark.parametrize("wrong", [{"speed_up": 0}, {"rows": -1}, {"span_s": float("inf")}])
def test_a_pace_that_makes_no_sense_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InvalidInput, match="above 0"):
        Pace(**wrong)  # type: ignore[arg-type]


def test_a_copy_without_an_index_is_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no ordered copy"):
        prepared.opened(tmp_path)


def test_the_first_row_is_the_earliest(copy: Prepared) -> None:
    assert copy.time_at_us(0) == datetime(2013, 1, 1, tzinfo=UTC).timestamp() * 1e6
