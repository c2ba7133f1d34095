"""Flights come out the same, whichever of the headers they came under."""

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from tests.unit.jobs.datasets.helpers import EXPO_HEADER, expo, file, loaded

RELEASE = (
    "YEAR,MONTH,DAY,DAY_OF_WEEK,AIRLINE,FLIGHT_NUMBER,TAIL_NUMBER,ORIGIN_AIRPORT,"
    "DESTINATION_AIRPORT,SCHEDULED_DEPARTURE,DEPARTURE_TIME,DEPARTURE_DELAY,TAXI_OUT,WHEELS_OFF,"
    "SCHEDULED_TIME,ELAPSED_TIME,AIR_TIME,DISTANCE,WHEELS_ON,TAXI_IN,SCHEDULED_ARRIVAL,ARRIVAL_TIME,"
    "ARRIVAL_DELAY,DIVERTED,CANCELLED,CANCELLATION_REASON,AIR_SYSTEM_DELAY,SECURITY_DELAY,"
    "AIRLINE_DELAY,LATE_AIRCRAFT_DELAY,WEATHER_DELAY"
)
PREZIP = (
    '"Year","Month","DayofMonth","FlightDate","{carrier}","{tail}","{flight}","Origin",'
    '"OriginCityName","Dest","CRSDepTime","DepTime","DepDelay","ArrDelay","Cancelled",'
    '"CancellationCode","Diverted",'
)
PREZIP_ROW = (
    '2015,10,1,2015-10-01,"AA","N797AA","1","JFK","New York, NY","LAX","0900","1001",61.00,51.00,'
    '0.00,"",0.00,'
)


def test_a_row_of_data_expo_without_a_header(tmp_path: Path) -> None:
    (row,), reading = loaded(file(tmp_path, expo() + "\r\n"))
    assert row["event_time"] == datetime(2008, 1, 4, 0, 55, tzinfo=UTC), "19:55 in Washington"
    assert row["flight_date"] == date(2008, 1, 3)
    assert (row["carrier"], row["flight_number"], row["tail_number"]) == ("WN", 335, "N712SW")
    assert (row["origin"], row["destination"], row["distance_miles"]) == ("IAD", "TPA", 810)
    assert (row["departure_delay_min"], row["arrival_delay_min"]) == (8, -14)
    assert (row["cancelled"], row["diverted"], row["carrier_delay_min"]) == (False, False, None)
    assert not reading.tally.skipped


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"{EXPO_HEADER}\n{expo()}\n", id="header"),
        pytest.param(f"{EXPO_HEADER}\r\n{expo()}\r\n", id="CRLF"),
        pytest.param(f"\ufeff{EXPO_HEADER}\n{expo()}", id="byte order mark, no last line end"),
        pytest.param(f"{EXPO_HEADER},IsArrDelayed,IsDepDelayed\n{expo()},NO,YES\n", id="of H2O"),
        pytest.param(f"\n{EXPO_HEADER}\n\n{expo()}\n\n", id="blank lines"),
    ],
)
def test_the_header_of_data_expo_changes_nothing(tmp_path: Path, text: str) -> None:
    plain, _ = loaded(file(tmp_path, expo() + "\n"))
    headed, reading = loaded(file(tmp_path, text))
    assert headed == plain
    assert not reading.tally.skipped


@pytest.mark.parametrize(
    ("carrier", "tail", "flight"),
    [
        pytest.param("UniqueCarrier", "TailNum", "FlightNum", id="old"),
        pytest.param(
            "Reporting_Airline", "Tail_Number", "Flight_Number_Reporting_Airline", id="new"
        ),
    ],
)
def test_the_archive_in_both_styles(tmp_path: Path, carrier: str, tail: str, flight: str) -> None:
    header = PREZIP.format(carrier=carrier, tail=tail, flight=flight)
    (row,), _ = loaded(file(tmp_path, f"{header}\n{PREZIP_ROW}\n"))
    assert (row["carrier"], row["tail_number"], row["flight_number"]) == ("AA", "N797AA", 1)
    assert (row["departure_delay_min"], row["arrival_delay_min"]) == (61, 51)
    assert row["cancellation_code"] is None
    assert row["event_time"] == datetime(2015, 10, 1, 13, 0, tzinfo=UTC)


@pytest.mark.parametrize("day", ["2019-01-06", "1/6/2019 12:00:00 AM"])
def test_a_download_with_the_date_in_one_column(tmp_path: Path, day: str) -> None:
    header = "FL_DATE,OP_UNIQUE_CARRIER,TAIL_NUM,ORIGIN,DEST,CRS_DEP_TIME,DEP_DELAY,ARR_DELAY,"
    (row,), _ = loaded(file(tmp_path, f'{header}\n{day},"9E","N1",ATL,CSG,"1645",-2.00,,\n'))
    assert row["flight_date"] == date(2019, 1, 6)
    assert (row["scheduled_departure_min"], row["arrival_delay_min"]) == (16 * 60 + 45, None)


def test_the_release_of_2015(tmp_path: Path) -> None:
    flown = (
        "2015,1,1,4,AS,98,N407AS,ANC,SEA,0005,2354,-11,21,0015,205,194,169,1448,0404,4,0430,0408,"
        "-22,0,0,,,,,,"
    )
    dropped = "2015,1,1,4,EV,9,,LAX,PBI,2359,,,,,280,,,2330,,,0750,,,0,1,B,,,,,"
    (first, second), _ = loaded(file(tmp_path, f"{RELEASE}\n{flown}\n{dropped}\n", "f.csv.gz"))
    assert first["event_time"] == datetime(2015, 1, 1, 9, 5, tzinfo=UTC), (
        "five past midnight, Alaska"
    )
    assert (first["departure_min"], first["cancelled"]) == (23 * 60 + 54, False)
    assert (second["tail_number"], second["cancelled"]) == (None, True)
    assert (second["cancellation_code"], second["departure_delay_min"]) == ("B", None)


@pytest.mark.parametrize(
    ("written", "minutes"),
    [("7", 7), ("0007", 7), ("0", 0), ("2400", 1440), ("2359", 1439), ("NA", None), ("", None)],
)
def test_times_of_day(tmp_path: Path, written: str, minutes: int | None) -> None:
    (row,), reading = loaded(file(tmp_path, expo(DepTime=written) + "\n"))
    assert row["departure_min"] == minutes
    assert not reading.tally.mended


def test_an_impossible_time_of_day_is_mended(tmp_path: Path) -> None:
    (row,), reading = loaded(file(tmp_path, expo(DepTime="2460") + "\n"))
    assert row["departure_min"] is None
    assert reading.tally.mended.total() == 1


def test_a_departure_at_2400_is_the_next_midnight(tmp_path: Path) -> None:
    (row,), _ = loaded(file(tmp_path, expo(CRSDepTime="2400") + "\n"))
    assert row["event_time"] == datetime(2008, 1, 4, 5, 0, tzinfo=UTC)


@pytest.mark.parametrize("tail", ["", "NA", "\\N", "UNKNOW", "unknow", "000000", "0"])
def test_a_tail_number_of_no_airplane_is_null(tmp_path: Path, tail: str) -> None:
    (row,), _ = loaded(file(tmp_path, expo(TailNum=tail) + "\n"))
    assert row["tail_number"] is None


@pytest.mark.parametrize(
    ("tail", "meant"),
    [(b"N700\xe4\xe6", "N700UW"), (b"N884\xe4\xe2", "N884US"), (b"\xe4NKNO\xe6", None)],
)
def test_letters_in_ebcdic_are_restored(tmp_path: Path, tail: bytes, meant: str | None) -> None:
    line = expo(TailNum="?").encode().replace(b"?", tail)
    (row,), reading = loaded(file(tmp_path, line + b"\n"))
    assert row["tail_number"] == meant
    assert reading.tally.mended["tail number with letters in EBCDIC: letters restored"] == 1


def test_a_file_that_went_through_hive_has_its_outcomes_inferred(tmp_path: Path) -> None:
    hive = {"Cancelled": "\\N", "Diverted": "\\N"}
    lines = [
        expo(**hive),
        expo(**hive, DepTime="\\N", DepDelay="\\N", ArrTime="\\N", ArrDelay="\\N"),
        expo(**hive, CancellationCode="A"),
        expo(**hive, ArrTime="\\N", ArrDelay="\\N"),
    ]
    rows, _ = loaded(file(tmp_path, "\n".join(lines) + "\n"))
    assert [row["cancelled"] for row in rows] == [False, True, True, False]
    assert [row["diverted"] for row in rows] == [False, False, False, True]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        pytest.param(expo(Month="13"), "impossible date", id="month"),
        pytest.param(expo(DayofMonth="30", Month="2"), "impossible date", id="30 February"),
        pytest.param(expo(Year="x"), "impossible date", id="year"),
        pytest.param(EXPO_HEADER, "impossible date", id="header again"),
        pytest.param(expo(CRSDepTime="NA"), "impossible scheduled departure", id="no time"),
        pytest.param(expo(CRSDepTime="1260"), "impossible scheduled departure", id="minute 60"),
        pytest.param(expo(Origin=""), "no origin or destination", id="origin"),
        pytest.param(expo(UniqueCarrier="NA"), "no carrier", id="carrier"),
        pytest.param(expo(ArrDelay="1x"), "a delay or distance that is no number", id="delay"),
        pytest.param(expo() + ",1", "wrong number of fields", id="too many fields"),
        pytest.param("2008,1,3", "wrong number of fields", id="cut off"),
        pytest.param(expo(Dest='"TPA'), "quote without end", id="quote"),
    ],
)
def test_a_damaged_record_is_counted_and_skipped(tmp_path: Path, line: str, reason: str) -> None:
    rows, reading = loaded(file(tmp_path, f"{expo()}\n{line}\n{expo()}\n"))
    assert len(rows) == reading.tally.rows == 2
    assert dict(reading.tally.skipped) == {reason: 1}


def test_an_hour_that_comes_twice_is_its_first_coming(tmp_path: Path) -> None:
    fall = expo(Year="2013", Month="11", DayofMonth="3", CRSDepTime="130", Origin="JFK")
    spring = expo(Year="2013", Month="3", DayofMonth="10", CRSDepTime="230", Origin="JFK")
    (first, second), _ = loaded(file(tmp_path, f"{fall}\n{spring}\n"))
    assert first["event_time"] == datetime(2013, 11, 3, 5, 30, tzinfo=UTC)
    assert second["event_time"] == datetime(2013, 3, 10, 7, 30, tzinfo=UTC)


def test_an_airport_of_no_known_zone_is_taken_to_be_at_utc(tmp_path: Path) -> None:
    (row,), reading = loaded(file(tmp_path, expo(Origin="QQQ") + "\n"))
    assert row["event_time"] == datetime(2008, 1, 3, 19, 55, tzinfo=UTC)
    assert reading.tally.mended.total() == 1
