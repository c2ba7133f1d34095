"""Rain at airports: how much fell in a day, against the most that ever fell in one."""

from dataclasses import dataclass
from datetime import timedelta

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from albic.jobs.datasets.prepared import Prepared
from albic.jobs.real.sums import added, summed
from albic.jobs.real.windows import parted
from albic.model import InvalidInput
from albic.streams import Rows, State

DAY = timedelta(days=1)
COLUMNS = ("event_time", "airport", "precipitation_in")
KEY = ("airport", "day")


@dataclass(frozen=True, slots=True, eq=False)
class RainScore:
    """Scores the rain of a day, from 0 to 100, for every route that begins there.

    Attributes
    ----------
    record
        The most that ever fell in a day at one airport, in hundredths of an inch.
    routes
        All routes by origin and destination, as a timetable has them.
    """

    record: int
    routes: pa.Table

    def __call__(self, state: State, rows: Rows) -> pa.Table:
        """Return the scores of the days that are over."""
        days, _ = added(state.get("open"), fallen(rows.table()), KEY, ["hundredths"])
        over, state["open"] = parted(days, "day", DAY, rows.watermark)
        share = pc.divide(pc.multiply(100.0, over["hundredths"].cast(pa.float64())), self.record)
        scored = over.select(["airport", "day"]).append_column("rain_score", share)
        return self.routes.join(scored, "origin", "airport", "inner", use_threads=False)


def fallen(observed: pa.Table) -> pa.Table:
    """Return how much was measured at each airport and day; in whole numbers, which add exactly."""
    known = pc.and_(pc.is_valid(observed["airport"]), pc.is_valid(observed["precipitation_in"]))
    table = observed.filter(known)
    hundredths = pc.round(pc.multiply(table["precipitation_in"], 100.0)).cast(pa.int64())
    day = pc.floor_temporal(table["event_time"], unit="day")
    rows = pa.table({"airport": table["airport"], "day": day, "hundredths": hundredths})
    return summed(rows, KEY, ["hundredths"])


def record(weather: Prepared) -> int:
    """Return the most that fell in a day at one airport, in hundredths of an inch."""
    pieces = [fallen(pq.read_table(piece, columns=list(COLUMNS))) for piece in weather.pieces]
    days = summed(pa.concat_tables(pieces), KEY, ["hundredths"])
    if not days.num_rows:
        raise InvalidInput(
            "no observation of the weather says at which airport it was made; "
            "put NOAA's list of stations (isd-history.csv) beside it"
        )
    # Where it never rained, every score is 0.
    return max(int(pc.max(days["hundredths"]).as_py()), 1)


def routes(flights: Prepared) -> pa.Table:
    """Return every route that has a flight, by origin and destination."""
    columns = ["origin", "destination"]
    pieces = [pq.read_table(piece, columns=columns) for piece in flights.pieces]
    return pa.concat_tables(pieces).group_by(columns, use_threads=False).aggregate([])
