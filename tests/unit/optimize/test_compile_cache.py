import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from albic.optimize import compile_cache
from albic.optimize.compiled import compiled

PROGRAM = """if True:
    from albic.optimize import count_bound
    import albic.optimize.compile_cache as cache
    print(cache.folder())
"""


def folder_in(home: Path, sources: Path | None = None) -> str:
    """Return the folder that a process with this cache folder takes."""
    program = PROGRAM if sources is None else f"import sys; sys.path.insert(0, {str(sources)!r})\n"
    if sources is not None:
        program += "import importlib.util as u\n"
        program += (
            f"s = u.spec_from_file_location('cache', {str(sources / 'compile_cache.py')!r})\n"
        )
        program += "m = u.module_from_spec(s); s.loader.exec_module(m); print(m.folder())"
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "XDG_CACHE_HOME": str(home), "HOME": str(home)},
    )
    assert done.stderr == ""
    return done.stdout.strip()


def copy_of_the_sources(place: Path) -> Path:
    place.mkdir()
    for source in Path(compile_cache.__file__).parent.glob("*.py"):
        (place / source.name).write_bytes(source.read_bytes())
    return place


def test_the_folder_is_in_the_users_cache(tmp_path: Path) -> None:
    place = Path(folder_in(tmp_path))
    assert place.is_relative_to(tmp_path)
    assert place.is_dir()


def test_the_same_sources_elsewhere_find_the_same_folder(tmp_path: Path) -> None:
    here = folder_in(tmp_path)
    assert folder_in(tmp_path, copy_of_the_sources(tmp_path / "other")) == here


def test_a_change_in_any_source_is_another_folder(tmp_path: Path) -> None:
    sources = copy_of_the_sources(tmp_path / "other")
    (sources / "candidates.py").write_text("# another\n")
    assert folder_in(tmp_path, sources) != folder_in(tmp_path)


def test_who_compiles_says_so_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(compile_cache, "folder", lambda: tmp_path)
    compile_cache._tell.cache_clear()

    def doubled(values: np.ndarray) -> np.ndarray:
        return values * 2

    first = compiled(doubled)
    first(np.ones(2))
    first(np.ones(2, dtype=np.int64))
    assert [record.message.split(";")[0] for record in caplog.records] == [
        "compiling the search for this machine"
    ]
    assert list(tmp_path.glob("*.nbi"))
    compile_cache._tell.cache_clear()
    caplog.clear()
    compiled(doubled)(np.ones(2))
    assert caplog.records == []


def test_folders_that_nobody_used_for_long_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compile_cache, "MOST_FOLDERS", 2)
    for age in range(4):
        (tmp_path / f"old-{age}").mkdir()
        os.utime(tmp_path / f"old-{age}", (1000 - age, 1000 - age))
    compile_cache._made.__wrapped__(tmp_path / "new")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "old-0", "old-1"]
