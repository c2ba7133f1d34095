"""From files or folders to normalised tables, a bounded piece at a time."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from albic.jobs.datasets.archives import Member, members, naming_damage
from albic.jobs.datasets.formats import FORMATS, Format, recognised
from albic.jobs.datasets.isd import StationList
from albic.jobs.datasets.schemas import STATIONS, WEATHERS, Kind
from albic.jobs.datasets.tally import Tally
from albic.model import InvalidInput

Watch = Callable[[int], None]
"""Told how many bytes of the present file are read."""

_LOOK_BYTES = 1 << 16


def unwatched(position: int) -> None:
    """Take no notice."""
    del position


@dataclass(frozen=True)
class Piece:
    """Some rows, and the format they came in."""

    format: Format
    table: pa.Table


@dataclass
class Reading:
    """The rows of some files; read once with :meth:`pieces`, then ``tally`` is complete.

    Parameters
    ----------
    files
        Read in this order.
    kind
        Only rows of this kind; all if none is given.
    airports
        The airport of each weather station, to be filled in.
    lenient
        Whether a file of another kind or of no known format is left out instead of refused.
    """

    files: Sequence[Path]
    kind: Kind | None = None
    airports: Mapping[str, str] = field(default_factory=dict)
    lenient: bool = False
    tally: Tally = field(default_factory=Tally)

    def pieces(self, watch: Watch = unwatched) -> Iterator[Piece]:
        """Yield the rows in the order of the files."""
        for path in self.files:
            with naming_damage(path):
                for member in members(path):
                    yield from self._member(path, member, watch)

    def tables(self, watch: Watch = unwatched) -> Iterator[pa.Table]:
        """Yield the rows without their formats."""
        for piece in self.pieces(watch):
            yield piece.table

    def _member(self, path: Path, member: Member, watch: Watch) -> Iterator[Piece]:
        """Yield the rows of one file."""
        found = recognised(member.stream.peek(_LOOK_BYTES)[:_LOOK_BYTES])
        if found is None or self.kind not in (None, found.format.kind):
            if self.lenient:
                self.tally.skip("file of another kind")
                return
            raise InvalidInput(_refusal(path, member, found.format if found else None, self.kind))
        for table in found.read(member.stream, self.tally):
            watch(member.position())
            if table.num_rows:
                yield Piece(found.format, self._located(table, found.format.kind))

    def _located(self, table: pa.Table, kind: Kind) -> pa.Table:
        """Return weather with the airports that are known."""
        if kind is not WEATHERS or not self.airports:
            return table
        stations = table["station"].to_pylist()
        known = pa.array([self.airports.get(station) for station in stations], pa.string())
        at = table.schema.get_field_index("airport")
        return table.set_column(at, table.schema.field(at), pc.coalesce(table["airport"], known))


def files_in(path: Path) -> list[Path]:
    """Return ``path`` itself, or the files below it, by name."""
    if not path.exists():
        raise InvalidInput(f"{str(path)!r} is not there; name a file or a folder with data")
    if not path.is_dir():
        return [path]
    found = sorted(each for each in path.rglob("*") if each.is_file())
    if not found:
        raise InvalidInput(f"{str(path)!r} is an empty folder; name a file or a folder with data")
    return found


def reading_of(path: Path, kind: Kind | None = None, stations: Path | None = None) -> Reading:
    """Return the reading of a file or folder; a list of stations in it serves its weather."""
    files = files_in(path)
    lenient = path.is_dir()
    lists = files_in(stations) if stations is not None else files if lenient else []
    airports: Mapping[str, str] = {}
    if lists and (kind is WEATHERS or kind is None):
        listed = Reading(lists, STATIONS, lenient=stations is None)
        tables = list(listed.tables())
        if tables:
            airports = StationList(pa.concat_tables(tables)).airports()
    return Reading(files, kind, airports, lenient)


def _refusal(path: Path, member: Member, found: Format | None, wanted: Kind | None) -> str:
    """Return why a file is not read."""
    inside = "" if member.name == path.name else f" (inside it, {member.name!r})"
    if found is not None and wanted is not None:
        return f"{str(path)!r}{inside} holds {found.kind.name} ({found.about}), not {wanted.name}"
    if not member.stream.peek(1):
        return f"{str(path)!r}{inside} is empty"
    known = ", ".join(form.name for form in FORMATS.values() if wanted in (None, form.kind))
    return f"{str(path)!r}{inside} has none of the formats that are known: {known}"
