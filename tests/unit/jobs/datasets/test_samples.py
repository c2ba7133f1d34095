"""The real files, where ALBIC_SAMPLE_DATA says they lie: counts as their publishers give them."""

import os
from datetime import date
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from albic.jobs.datasets.isd import StationList
from albic.jobs.datasets.reading import reading_of
from albic.jobs.datasets.schemas import WEATHERS
from albic.jobs.datasets.survey import Survey, surveyed

SAMPLES = os.environ.get("ALBIC_SAMPLE_DATA", "")

pytestmark = [
    pytest.mark.timeout(180),
    pytest.mark.skipif(not SAMPLES, reason="ALBIC_SAMPLE_DATA does not say where sample files lie"),
]


def sample(name: str) -> Path:
    path = Path(SAMPLES) / name
    if not path.exists():
        pytest.skip(f"{name} is not among the sample files")
    return path


def checked(name: str) -> Survey:
    return surveyed(reading_of(sample(name)))


@pytest.mark.parametrize(
    ("name", "form", "rows"),
    [
        ("airline/superset_flight_data_2015-01-01_04.csv.gz", "flights-2015", 55_105),
        ("airline/h2o_allyears2k_headers.zip", "data-expo", 43_978),
        ("airline/platys_flights_2008_4_1.csv.gz", "data-expo", 10_000),
        (
            "airline/bts_flights_on_time_performance_2019_01.10k-sample.csv.gz",
            "bts-transtats",
            4_999,
        ),
        ("airline/bts_prezip_header_and_row_2015-10.txt", "bts-prezip", 1),
        ("weather/gsod_op/724050-13743-2015.op.gz", "gsod-op", 365),
        ("weather/isd-history_2015-01.csv.gz", "isd-history", 29_301),
        ("wiki/wikiticker-2015-09-12-sampled.json.gz", "wikiticker", 39_244),
        ("wiki/snap_enwiki-20080103_sample.txt", "snap-enwiki", 2),
    ],
)
def test_every_record_of_a_real_file_is_read(name: str, form: str, rows: int) -> None:
    found = checked(name)
    assert dict(found.formats) == {form: rows}
    assert not found.tally.skipped


def test_the_flights_of_2015() -> None:
    found = checked("airline/superset_flight_data_2015-01-01_04.csv.gz")
    assert (len(found.keys["tail_number"].counts), found.missing["tail_number"]) == (4_099, 62)
    assert (len(found.keys["origin"].counts), len(found.keys["carrier"].counts)) == (312, 14)
    assert found.missing["arrival_delay_min"] == 1_354
    assert found.missing["departure_delay_min"] == 1_195


def test_the_flights_of_two_decades() -> None:
    reading = reading_of(sample("airline/h2o_allyears2k_headers.zip"))
    table = pa.concat_tables(reading.tables())
    # NA 15,992, UNKNOW 179 and 114 more in EBCDIC, 000000 124, 0 66, empty 32.
    assert table["tail_number"].null_count == 15_992 + 179 + 114 + 124 + 66 + 32
    known = table["tail_number"].drop_null()
    assert pc.all(pc.string_is_ascii(known)).as_py()
    assert pc.sum(table["cancelled"]).as_py() == 1_086
    assert pc.sum(table["diverted"]).as_py() == 109


@pytest.fixture(scope="module")
def washington() -> pa.Table:
    reading = reading_of(
        sample("weather/gsod_op"), WEATHERS, sample("weather/isd-history_2015-01.csv.gz")
    )
    return pa.concat_tables(reading.tables())


def test_the_weather_of_washington_knows_its_airport(washington: pa.Table) -> None:
    assert washington["airport"].unique().to_pylist() == ["DCA"]
    from_2015 = [row for row in washington.to_pylist() if row["day"].year == 2015][:4]
    assert [row["precipitation_in"] for row in from_2015] == [0.0, 0.0, 0.0, 0.53]


def test_stations_of_known_airports() -> None:
    tables = reading_of(sample("weather/isd-history_2015-01.csv.gz")).tables()
    stations = StationList(pa.concat_tables(tables))

    day = date(2014, 7, 1)
    assert stations.at("KORD", day) == "72530094846"
    assert stations.at("KDCA", day) == "72405013743"
    assert stations.at("KMDD", day) == "72232403071"


def test_the_edits_of_a_day() -> None:
    found = checked("wiki/wikiticker-2015-09-12-sampled.json.gz")
    assert (len(found.keys["wiki"].counts), len(found.keys["user"].counts)) == (51, 10_531)
    assert found.keys["wiki"].counts["en.wikipedia"] == 11_549
    assert found.missing["country"] == 35_445
    assert found.in_order
