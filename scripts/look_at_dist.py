"""Looks at the built sdist and wheel: is all in them that has to be, nothing else, and no more."""

import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

SOURCES = Path(__file__).parent.parent / "src"
#: A wheel is sources and a page; more than this means that something crept in.
MOST_WHEEL_BYTES = 1_500_000
MOST_SDIST_BYTES = 8_000_000
#: Not everybody who installs a package wants to run its tests.
NOT_IN_WHEEL = ("tests/", "bench/", "docs/", "examples/", "out/", "__pycache__", ".nbi", ".nbc")
NOT_IN_SDIST = ("/out/", "__pycache__", ".venv", ".nbi", ".nbc")
IN_SDIST = (
    "/pyproject.toml",
    "/README.md",
    "/LICENSE",
    "/CHANGELOG.md",
    "/Makefile",
    "/tests/worlds.py",
)


def of_wheel(wheel: Path) -> Iterator[str]:
    """Yield what is wrong with a wheel."""
    with zipfile.ZipFile(wheel) as opened:
        names = set(opened.namelist())
    wanted = {
        str(path.relative_to(SOURCES))
        for path in SOURCES.rglob("*")
        if path.is_file()
        and path.suffix in {".py", ".java", ".js", ".css", ".html", ".svg", ".typed"}
    }
    yield from (f"{name} is missing in {wheel.name}" for name in sorted(wanted - names))
    for name in sorted(names - wanted):
        if ".dist-info/" not in name or any(part in name for part in NOT_IN_WHEEL):
            yield f"{name} has no business in {wheel.name}"
    yield from _size(wheel, MOST_WHEEL_BYTES)


def of_sdist(sdist: Path) -> Iterator[str]:
    """Yield what is wrong with a source distribution."""
    with tarfile.open(sdist) as opened:
        names = opened.getnames()
    for part in IN_SDIST:
        if not any(name.endswith(part) for name in names):
            yield f"{part[1:]} is missing in {sdist.name}"
    for name in names:
        if any(part in name for part in NOT_IN_SDIST):
            yield f"{name} has no business in {sdist.name}"
    yield from _size(sdist, MOST_SDIST_BYTES)


def _size(path: Path, most: int) -> Iterator[str]:
    """Yield a sentence if a file is too large."""
    if path.stat().st_size > most:
        yield f"{path.name} has {path.stat().st_size} bytes; the limit is {most}"


def main(folder: Path) -> int:
    """Print what is wrong with what lies in ``folder``, and return the exit code."""
    wheels, sdists = list(folder.glob("*.whl")), list(folder.glob("*.tar.gz"))
    wrong = [] if len(wheels) == len(sdists) == 1 else [f"{folder} has not one of each"]
    for wheel in wheels:
        wrong += of_wheel(wheel)
    for sdist in sdists:
        wrong += of_sdist(sdist)
    for sentence in wrong:
        sys.stderr.write(f"dist: {sentence}\n")
    for path in (*wheels, *sdists):
        sys.stdout.write(f"{path.name}: {path.stat().st_size} bytes\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
