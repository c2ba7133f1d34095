"""The built package has all it needs in it, and nothing else."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from scripts import look_at_dist

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build both, with the backend that is installed and without any network."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", str(folder)],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    return folder


def test_the_built_package_is_complete_and_has_nothing_else(built: Path) -> None:
    assert look_at_dist.main(built) == 0


def test_java_sources_and_the_page_are_in_the_wheel(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "albic/spark/bridge/Follower.java" in names
    assert "albic/serve/page/index.html" in names
    assert "albic/py.typed" in names


def test_what_crept_in_is_named(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    spoilt = tmp_path / wheel.name
    with (
        zipfile.ZipFile(wheel) as read,
        zipfile.ZipFile(spoilt, "w", zipfile.ZIP_DEFLATED) as written,
    ):
        for name in read.namelist():
            if name != "albic/py.typed":
                written.writestr(name, read.read(name))
        written.writestr("tests/test_x.py", "")
    assert list(look_at_dist.of_wheel(spoilt)) == [
        f"albic/py.typed is missing in {wheel.name}",
        f"tests/test_x.py has no business in {wheel.name}",
    ]
