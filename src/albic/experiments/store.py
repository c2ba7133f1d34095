"""Results of points, kept so that a stopped run goes on where it was."""

import hashlib
import json
import logging
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path

import albic
from albic.experiments.experiment import Point
from albic.experiments.manifest import LIBRARIES
from albic.experiments.rows import Row
from albic.model.files import blaming, save_document

log = logging.getLogger(__name__)

FORMAT = "albic-point/1"
#: The parts of albic that a measured number depends on. The controller is none of them: the runs
#: carry out every plan themselves.
SOURCES = ("arrays.py", "jobs", "model", "optimize", "planners", "sim", "streams")
RUNS = "experiments/runs"
#: What compilers leave beside the sources.
PRODUCTS = (".pyc", ".nbi", ".nbc")


@dataclass(frozen=True, slots=True)
class Kept:
    """What one point gave, and how long it took."""

    rows: tuple[Row, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class Store:
    """A folder with a file for each point that was measured.

    A file counts only for the same point, measured by the same code. Figures that have a point in
    common share it.
    """

    folder: Path
    code: str

    def load(self, point: Point) -> Kept | None:
        """Return what is kept of a point; a damaged file counts as none."""
        path = self._path(point)
        if not path.exists():
            return None
        try:
            return _kept(json.loads(path.read_text("utf-8")))
        except (OSError, ValueError) as wrong:
            log.warning("%s is damaged (%s); the point is measured again", path, wrong)
            return None

    def save(self, point: Point, kept: Kept) -> None:
        """Keep what a point gave; the file is there whole or not at all."""
        path = self._path(point)
        path.parent.mkdir(parents=True, exist_ok=True)
        with blaming(path):
            save_document(
                path,
                {
                    "format": FORMAT,
                    "point": asdict(point),
                    "code": self.code,
                    "seconds": kept.seconds,
                    "rows": [dict(row) for row in kept.rows],
                },
            )

    def _path(self, point: Point) -> Path:
        """Return the file of a point; its name is a hash of all that the result depends on."""
        kind = type(point).__name__
        key = json.dumps([kind, asdict(point), self.code])
        return self.folder / kind / f"{hashlib.sha256(key.encode()).hexdigest()[:20]}.json"


@cache
def code_hash() -> str:
    """Return a hash of the code and the libraries that results depend on."""
    root = Path(albic.__file__).parent
    digest = hashlib.sha256()
    for part in (*SOURCES, RUNS):
        for path in sorted([root / part, *(root / part).rglob("*")]):
            if path.is_file() and path.suffix not in PRODUCTS:
                digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes())
    digest.update("".join(f"{name} {version(name)}" for name in LIBRARIES).encode())
    return digest.hexdigest()[:20]


def _kept(document: object) -> Kept:
    """Return the result in a document; refuse what is none."""
    if not isinstance(document, Mapping) or document.get("format") != FORMAT:
        raise ValueError(f"not of the format {FORMAT}")
    rows, seconds = document.get("rows"), document.get("seconds")
    good = isinstance(rows, list) and all(isinstance(row, dict) for row in rows)
    if not good or not isinstance(seconds, int | float):
        raise ValueError("without rows and seconds")
    return Kept(tuple(rows or ()), float(seconds))
