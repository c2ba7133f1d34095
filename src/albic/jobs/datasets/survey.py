"""What a file holds: counted in one pass, in memory that does not grow with its rows."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from albic.jobs.datasets.formats import Format
from albic.jobs.datasets.reading import Reading, Watch, unwatched
from albic.jobs.datasets.skew import drift, zipf_exponent
from albic.jobs.datasets.tally import Tally

#: Beyond this many (slice, key) pairs the drift is not followed any further.
MOST_PAIRS = 4_000_000
_SLICE_US = {"edits": 3_600_000_000, "flights": 86_400_000_000, "weather": 86_400_000_000}
TOP_KEYS = 5


@dataclass
class KeySurvey:
    """How rows spread over the keys in one column."""

    column: str
    counts: Counter[str] = field(default_factory=Counter)
    slices: dict[int, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    pairs: int = 0

    @property
    def exponent(self) -> float:
        """Return Zipf's exponent."""
        return zipf_exponent(self.counts.values())

    @property
    def drift(self) -> float | None:
        """Return how much of the top changes from slice to slice, if it could be followed."""
        return drift(self.slices) if 0 < self.pairs <= MOST_PAIRS else None

    def add(self, keys: pa.ChunkedArray, slices: pa.ChunkedArray | None) -> None:
        """Count some rows; rows without a key are nobody's."""
        for pair in pc.value_counts(keys.drop_null()).to_pylist():
            self.counts[pair["values"]] += pair["counts"]
        if slices is None or self.pairs > MOST_PAIRS:
            return
        table = pa.table({"slice": slices, "key": keys}).drop_null()
        grouped = table.group_by(["slice", "key"]).aggregate([([], "count_all")])
        self.pairs += grouped.num_rows
        columns = (grouped[name].to_pylist() for name in ("slice", "key", "count_all"))
        for number, key, count in zip(*columns, strict=True):
            self.slices[number][key] += count


@dataclass
class Survey:
    """What was found in some files."""

    formats: Counter[str] = field(default_factory=Counter)
    kinds: set[str] = field(default_factory=set)
    first_us: int | None = None
    last_us: int | None = None
    in_order: bool = True
    missing: Counter[str] = field(default_factory=Counter)
    keys: dict[str, KeySurvey] = field(default_factory=dict)
    tally: Tally = field(default_factory=Tally)

    def add(self, form: Format, table: pa.Table) -> None:
        """Count some rows."""
        self.formats[form.name] += table.num_rows
        self.kinds.add(form.kind.name)
        for name in table.column_names:
            self.missing[name] += table[name].null_count
        slices = None
        if "event_time" in table.column_names:
            times = table["event_time"].cast(pa.int64())
            self._follow(times)
            slices = pc.divide(times, _SLICE_US[form.kind.name])
        for column in form.kind.keys:
            survey = self.keys.setdefault(column, KeySurvey(column))
            survey.add(table[column], slices)

    def _follow(self, times: pa.ChunkedArray) -> None:
        """Widen the span of time, and see whether rows are still in order."""
        first, last = pc.min(times).as_py(), pc.max(times).as_py()
        rising = pc.all(pc.greater_equal(times[1:], times[:-1])).as_py() is not False
        after = self.last_us is None or times[0].as_py() >= self.last_us
        self.in_order = self.in_order and rising and after
        self.first_us = first if self.first_us is None else min(self.first_us, first)
        self.last_us = last if self.last_us is None else max(self.last_us, last)


def surveyed(reading: Reading, watch: Watch = unwatched) -> Survey:
    """Return what ``reading`` holds."""
    found = Survey(tally=reading.tally)
    for piece in reading.pieces(watch):
        found.add(piece.format, piece.table)
    return found
