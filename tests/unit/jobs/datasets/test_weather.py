"""Days of weather and the stations that measured them."""

from datetime import UTC, date, datetime
from pathlib import Path

import pyarrow as pa
import pytest

from albic.jobs.datasets.isd import StationList
from albic.jobs.datasets.reading import reading_of
from albic.jobs.datasets.schemas import WEATHERS
from tests.unit.jobs.datasets.helpers import file, loaded, table_of

OP_HEADER = (
    "STN--- WBAN   YEARMODA    TEMP       DEWP      SLP        STP       VISIB      WDSP     "
    "MXSPD   GUST    MAX     MIN   PRCP   SNDP   FRSHTT"
)
OP_DAY = (
    "724050 13743  20040102    45.8 24    35.9 24  1022.7 24  9999.9  0    9.5 24    4.1 24   "
    "11.1  999.9    55.0*   35.1   0.10G 999.9  010000"
)
CSV_HEADER = (
    '"STATION","DATE","LATITUDE","LONGITUDE","ELEVATION","NAME","TEMP","TEMP_ATTRIBUTES","DEWP",'
    '"DEWP_ATTRIBUTES","SLP","SLP_ATTRIBUTES","STP","STP_ATTRIBUTES","VISIB","VISIB_ATTRIBUTES",'
    '"WDSP","WDSP_ATTRIBUTES","MXSPD","GUST","MAX","MAX_ATTRIBUTES","MIN","MIN_ATTRIBUTES","PRCP",'
    '"PRCP_ATTRIBUTES","SNDP","FRSHTT"'
)
CSV_DAY = (
    '"06240099999","2023-01-01","52.3","4.7","-3.3","SCHIPHOL, NL","  53.9","24","  47.7","24",'
    '"9999.9"," 0","{stp}"," 4","  6.2","24"," 15.9","24"," 26.0"," 39.0","  59.0","*","  50.9",'
    '" "," 0.45","G","999.9","010000"'
)
ISD_HEADER = "USAF,WBAN,STATION NAME,CTRY,STATE,ICAO,LAT,LON,ELEV(M),BEGIN,END"


def test_a_line_of_fixed_width(tmp_path: Path) -> None:
    (row,), reading = loaded(file(tmp_path, f"{OP_HEADER}\n{OP_DAY}\n", "x.op"))
    assert row["event_time"] == datetime(2004, 1, 2, tzinfo=UTC)
    assert (row["station"], row["hours"], row["airport"]) == ("72405013743", 24, None)
    assert (row["temperature_f"], row["precipitation_in"]) == (45.8, 0.1)
    assert (row["precipitation_flag"], row["precipitation_doubtful"]) == ("G", False)
    assert (row["station_pressure_mb"], row["gust_kn"], row["snow_depth_in"]) == (None,) * 3
    assert (row["max_temperature_derived"], row["min_temperature_derived"]) == (True, False)
    assert (row["rain"], row["fog"], row["tornado"]) == (True, False, False)
    assert not reading.tally.skipped


@pytest.mark.parametrize(
    ("rain", "amount", "doubtful"),
    [("99.99 ", None, False), (" 0.00I", 0.0, True), (" 0.00H", 0.0, True), (" 0.00A", 0.0, False)],
)
def test_flags_of_rain(tmp_path: Path, rain: str, amount: float | None, doubtful: bool) -> None:  # noqa: FBT001
    day = OP_DAY.replace(" 0.10G", rain)
    (row,), _ = loaded(file(tmp_path, f"{OP_HEADER}\n{day}\n", "x.op"))
    assert (row["precipitation_in"], row["precipitation_doubtful"]) == (amount, doubtful)


@pytest.mark.parametrize(
    ("day", "reason"),
    [
        pytest.param(OP_DAY[:-9], "line is not 138 characters long", id="cut off"),
        pytest.param(OP_DAY.replace("20040102", "20040231"), "impossible date", id="31 February"),
        pytest.param(OP_DAY.replace("45.8", "4#.8"), "a measure that is no number", id="number"),
        pytest.param(
            OP_DAY.replace("010000", "01x000"), "events (FRSHTT) are not six digits", id="events"
        ),
        pytest.param(
            OP_DAY.replace("724050", "72 050"), "station is not of 11 characters", id="id"
        ),
    ],
)
def test_a_damaged_day_is_counted_and_skipped(tmp_path: Path, day: str, reason: str) -> None:
    rows, reading = loaded(file(tmp_path, f"{OP_HEADER}\n{OP_DAY}\n{day}\n", "x.op"))
    assert len(rows) == 1
    assert dict(reading.tally.skipped) == {reason: 1}


@pytest.mark.parametrize(
    ("written", "meant"), [("999.9", None), ("009.7", 1009.7), ("985.3", 985.3), ("9999.9", None)]
)
def test_a_line_of_ncei_and_its_pressure(tmp_path: Path, written: str, meant: float | None) -> None:
    (row,), _ = loaded(file(tmp_path, f"{CSV_HEADER}\n{CSV_DAY.format(stp=written)}\n"))
    assert row["station"] == "06240099999", "leading zeros stay"
    assert row["station_pressure_mb"] == meant
    assert (row["temperature_f"], row["precipitation_in"]) == (53.9, 0.45)
    assert row["day"] == date(2023, 1, 1)


def test_a_file_that_only_says_exception_is_of_no_format(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="none of the formats"):
        loaded(file(tmp_path, "Exception\n", "724050-13743-1970.op"))


STATIONS = f"""{ISD_HEADER}
722042,53978,WOOD COUNTY AIRPORT, MINEOLA,US,TX,KJDD,32.742,-095.496,0132.3,20060101,20150105
722324,03071,MIDLAND AIRPARK,US,TX,KMDD,32.0,-102.0,0854.4,20060101,20150105
722324,99999,MIDLAND AIRPARK,US,TX,KMDD,,,,20041123,20051231
007018,99999,WXPOD 7018,,,,00.000,000.000,-0999.0,20110309,20130730
702730,26451,ANCHORAGE,US,AK,PANC,61.2,-150.0,40.0,19730101,20150105
724050,13743,REAGAN NATIONAL,US,VA,KDCA,38.8,-77.0,3.0,19360901,20150105
short,line
724050,13743,BAD DAY,US,VA,KDCA,38.8,-77.0,3.0,19361301,20150105
"""


@pytest.mark.parametrize("quoted", [False, True])
def test_the_list_of_stations(tmp_path: Path, quoted: bool) -> None:  # noqa: FBT001
    text = STATIONS
    if quoted:
        lines = [line.replace("AIRPORT, MINEOLA", "AIRPORT; MINEOLA") for line in text.splitlines()]
        text = "\n".join(",".join(f'"{f}"' for f in line.split(",")) for line in lines)
        text = text.replace(";", ",") + "\n"
    rows, reading = loaded(file(tmp_path, text, "isd-history.csv"))
    by_name = {(row["name"], row["wban"]): row for row in rows}
    assert by_name["WOOD COUNTY AIRPORT, MINEOLA", "53978"]["airport"] == "JDD"
    assert by_name["ANCHORAGE", "26451"]["airport"] is None, "K and the code only in the lower 48"
    pod = by_name["WXPOD 7018", None]
    assert (pod["latitude"], pod["longitude"], pod["elevation_m"]) == (None, None, None)
    assert dict(reading.tally.skipped) == {"wrong number of fields": 1, "impossible date": 1}


def test_an_airport_has_the_station_that_served_on_that_day(tmp_path: Path) -> None:
    stations = StationList(table_of(file(tmp_path, STATIONS, "isd-history.csv")))
    assert stations.at("KMDD", date(2005, 1, 1)) == "72232499999"
    assert stations.at("KMDD", date(2008, 1, 1)) == "72232403071"
    assert stations.at("KMDD", date(1999, 1, 1)) is None


def test_weather_in_a_folder_with_the_list_knows_its_airport(tmp_path: Path) -> None:
    file(tmp_path, STATIONS, "isd-history.csv")
    file(tmp_path, f"{OP_HEADER}\n{OP_DAY}\n", "724050-13743-2004.op.gz")
    file(tmp_path, "nothing of interest", "README.txt")
    reading = reading_of(tmp_path, WEATHERS)
    (row,) = pa.concat_tables(reading.tables()).to_pylist()
    assert row["airport"] == "DCA"
    assert reading.tally.skipped["file of another kind"] == 2
