"""The list of weather stations (ISD history): which station stood at which airport, and when."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

import pyarrow as pa
import pyarrow.compute as pc

from albic.jobs.datasets import values
from albic.jobs.datasets.blocks import fields
from albic.jobs.datasets.schemas import STATION
from albic.jobs.datasets.tally import Tally

_HEADER_LINES = ("USAF,WBAN,STATION NAME,CTRY,STATE,ICAO,LAT,LON,ELEV(M),BEGIN,END",)
HEADER = [name for line in _HEADER_LINES for name in line.split(",")]
_NO_WBAN = "99999"
#: There, an airport's ICAO code is K and its IATA code. Elsewhere in the US it is not.
_NOT_LOWER_48 = pa.array(["AK", "HI", "PR", "GU", "VI", "AS", "MP"])
_LEAST_ELEVATION_M = -900.0


def split(lines: list[bytes], tally: Tally) -> pa.Table:
    """Return the fields of the list as columns of text.

    The older list has no quotes, so a comma in a station's name makes a field too many: the eight
    fields behind the name are counted from the end.
    """
    rows = []
    for line in lines:
        found = fields(line)
        if len(found) < len(HEADER):
            tally.skip("wrong number of fields", int(bool(line.strip())))
        elif found[0] != HEADER[0]:
            tail = len(HEADER) - 3
            rows.append([*found[:2], ",".join(found[2:-tail]), *found[-tail:]])
    columns = zip(*rows, strict=True) if rows else [[] for _ in HEADER]
    named = zip(HEADER, columns, strict=True)
    return pa.table(
        {name: pa.chunked_array([pa.array(column, pa.string())]) for name, column in named}
    )


def stations(text: pa.Table, tally: Tally) -> pa.Table:
    """Return the stations in a table of :func:`split`, in the schema ``STATION``."""
    raw = pa.table({name: values.present(text[name]) for name in HEADER})
    begin, end = (values.days_of(raw[name], "%Y%m%d") for name in ("BEGIN", "END"))
    raw = raw.append_column("begin", begin).append_column("end", end)
    kept = tally.keep(
        raw,
        {
            "station number is not 6 and 5 characters": pc.and_(
                pc.match_substring_regex(raw["USAF"], "^[0-9A-Z]{6}$"),
                pc.match_substring_regex(raw["WBAN"], "^[0-9]{5}$"),
            ),
            "impossible date": pc.and_(pc.is_valid(begin), pc.is_valid(end)),
        },
    )
    latitude, longitude = values.numbers(kept["LAT"]), values.numbers(kept["LON"])
    nowhere = pc.fill_null(
        pc.and_(pc.equal(latitude, 0.0), pc.equal(longitude, 0.0)),
        False,  # noqa: FBT003
    )
    tally.mend("position 0, 0: now null", pc.sum(nowhere).as_py() or 0)
    elevation = values.numbers(kept["ELEV(M)"])
    none = pa.scalar(None, pa.float64())
    made = {
        "station": pc.binary_join_element_wise(kept["USAF"], kept["WBAN"], ""),
        "usaf": kept["USAF"],
        "wban": pc.if_else(
            pc.equal(kept["WBAN"], _NO_WBAN), pa.scalar(None, pa.string()), kept["WBAN"]
        ),
        "name": kept["STATION NAME"],
        "country": kept["CTRY"],
        "state": kept["STATE"],
        "icao": kept["ICAO"],
        "airport": _airports(kept),
        "latitude": pc.if_else(nowhere, none, latitude),
        "longitude": pc.if_else(nowhere, none, longitude),
        "elevation_m": pc.if_else(pc.less(elevation, _LEAST_ELEVATION_M), none, elevation),
        "begin": kept["begin"],
        "end": kept["end"],
    }
    return pa.table({name: made[name] for name in STATION.names}, schema=STATION)


def _airports(kept: pa.Table) -> pa.ChunkedArray:
    """Return IATA codes where they follow from the ICAO code."""
    states = pc.is_in(kept["STATE"], _NOT_LOWER_48)
    lower_48 = pc.and_(pc.equal(kept["CTRY"], "US"), pc.invert(states))
    follows = pc.and_(lower_48, pc.match_substring_regex(kept["ICAO"], "^K[A-Z0-9]{3}$"))
    return pc.if_else(
        pc.fill_null(follows, False),  # noqa: FBT003
        pc.utf8_slice_codeunits(kept["ICAO"], 1),
        pa.scalar(None, pa.string()),
    )


@dataclass(frozen=True)
class StationList:
    """Stations that can be asked which airport they serve, and the other way round."""

    table: pa.Table

    def airports(self) -> Mapping[str, str]:
        """Return the airport of each station that has one."""
        known = self.table.filter(pc.is_valid(self.table["airport"]))
        return dict(zip(known["station"].to_pylist(), known["airport"].to_pylist(), strict=True))

    def at(self, icao: str, day: date) -> str | None:
        """Return the station of the airport ``icao`` on ``day``, or nothing.

        An airport had several over time. Of those in service, one with a WBAN number comes first,
        then the one that served longest.
        """
        there = self.table.filter(pc.equal(self.table["icao"], icao)).to_pylist()
        serving = [row for row in there if row["begin"] <= day <= row["end"]]
        best = min(
            serving,
            key=lambda row: (row["wban"] is None, row["begin"] - row["end"], row["station"]),
            default=None,
        )
        return None if best is None else str(best["station"])
