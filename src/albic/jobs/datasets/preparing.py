"""Makes ordered copies, once for each set of files."""

import hashlib
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from albic.jobs.datasets import nyc, prepared
from albic.jobs.datasets.data_folder import VARIABLE, home
from albic.jobs.datasets.ordering import ordered
from albic.jobs.datasets.prepared import Prepared
from albic.jobs.datasets.reading import Reading, Watch, unwatched
from albic.jobs.datasets.schemas import FLIGHTS, Kind
from albic.model import InvalidInput

_SAMPLE_BYTES = 1 << 20

OpenReading = Callable[[], Reading]


def prepare(
    kind: Kind, files: Sequence[Path], reading: OpenReading, watch: Watch = unwatched
) -> Prepared:
    """Return the ordered copy of ``files``; made now if it is not there yet.

    Parameters
    ----------
    kind
        What to take from the files.
    files
        Everything that decides the rows, lists of stations included.
    reading
        Opens the files; called only if a copy has to be made.
    watch
        Told how far the present file is read.
    """
    mark = fingerprint(kind, files)
    folder = home() / "prepared" / f"{kind.name}-{mark[:16]}"
    if (folder / prepared.INDEX).is_file():
        return prepared.opened(folder)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        # Made beside its place and moved there whole: nobody ever sees half of it.
        with tempfile.TemporaryDirectory(prefix=".new-", dir=folder.parent) as fresh:
            pieces, runs = Path(fresh) / "pieces", Path(fresh) / "runs"
            pieces.mkdir()
            runs.mkdir()
            prepared.write(ordered(reading().tables(watch), runs), pieces, kind, mark)
            _move(pieces, folder)
    except OSError as wrong:
        raise InvalidInput(
            f"an ordered copy of the data cannot be written to {str(folder.parent)!r}: "
            f"{wrong.strerror or wrong}; choose another folder with {VARIABLE}"
        ) from None
    return prepared.opened(folder)


def fingerprint(kind: Kind, files: Sequence[Path]) -> str:
    """Return what tells these files from others: names, sizes, first and last megabyte."""
    found = hashlib.sha256(f"{prepared.VERSION} {kind.name} {kind.schema}".encode())
    if kind is FLIGHTS:
        # Which time zones are known decides the event times.
        found.update(repr(sorted(nyc.airport_zones().items())).encode())
    for path in files:
        try:
            size = path.stat().st_size
            with path.open("rb") as stream:
                head = stream.read(_SAMPLE_BYTES)
                stream.seek(max(size - _SAMPLE_BYTES, 0))
                tail = stream.read(_SAMPLE_BYTES)
        except OSError as wrong:
            raise InvalidInput(f"{str(path)!r} cannot be read: {wrong.strerror}") from None
        found.update(f"\n{path.name} {size}\n".encode(errors="surrogateescape"))
        found.update(head)
        found.update(tail)
    return found.hexdigest()


def _move(pieces: Path, folder: Path) -> None:
    """Put a finished copy in its place, unless somebody else was quicker."""
    try:
        pieces.rename(folder)
    except OSError:
        if not (folder / prepared.INDEX).is_file():
            # A folder without an index is left from a deletion that was cut short.
            shutil.rmtree(folder, ignore_errors=True)
            pieces.rename(folder)
