"""What a package shows is what it says it shows, and the core needs none of the extras."""

import importlib
import pkgutil
import subprocess
import sys
from types import ModuleType

import pytest

import albic

#: Whatever an extra brings; planning must work where none of it is installed.
EXTRAS = (
    *("matplotlib", "pandas", "psycopg", "py4j", "pyarrow", "pyspark"),
    *("fastapi", "starlette", "uvicorn", "prometheus_client"),
)
CORE = (
    "albic",
    "albic.advice",
    "albic.config",
    "albic.control",
    "albic.live",
    "albic.model",
    "albic.optimize",
    "albic.planners",
    "albic.scaling",
    "albic.sim",
)

FOUND = [
    module
    for module in pkgutil.walk_packages(albic.__path__, "albic.")
    if module.name != "albic.__main__"  # to import it is to run it
]
MODULES = sorted(module.name for module in FOUND)
PACKAGES = sorted(module.name for module in FOUND if module.ispkg)


def shown(package: ModuleType) -> set[str]:
    """Return the public names that a package has, but for its own modules."""
    return {
        name
        for name, value in vars(package).items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    }


@pytest.mark.parametrize("name", MODULES)
def test_every_listed_name_exists_once(name: str) -> None:
    module = importlib.import_module(name)
    listed = getattr(module, "__all__", [])
    assert [name for name in listed if not hasattr(module, name)] == []
    assert len(set(listed)) == len(listed)


@pytest.mark.parametrize("name", PACKAGES)
def test_a_package_lists_every_name_it_shows(name: str) -> None:
    package = importlib.import_module(name)
    assert shown(package) <= set(getattr(package, "__all__", []))


@pytest.mark.parametrize("name", MODULES)
def test_every_module_says_what_it_is_for(name: str) -> None:
    assert importlib.import_module(name).__doc__


def test_the_core_works_without_the_extras() -> None:
    blocked = "".join(f"sys.modules[{extra!r}] = None\n" for extra in EXTRAS)
    program = f"import sys\n{blocked}" + "".join(f"import {name}\n" for name in CORE)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""


def test_the_vocabulary_does_not_wait_for_the_compiler() -> None:
    program = "import sys, albic.model; print('numba' in sys.modules or 'highspy' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


def test_what_needs_spark_is_loaded_when_it_is_asked_for() -> None:
    program = """if True:
        import sys, albic
        assert "pyspark" not in sys.modules and "numpy" not in sys.modules
        assert callable(albic.attach) and callable(albic.local_cluster)
        assert "pyspark" in sys.modules
    """
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""


def test_without_spark_the_remedy_is_told() -> None:
    program = "import sys; sys.modules['pyspark'] = None\nimport albic\nalbic.attach"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert 'install "albic[spark]"' in done.stderr.splitlines()[-1]


def test_a_name_that_is_not_there_is_not_there() -> None:
    with pytest.raises(AttributeError, match="no attribute 'detach'"):
        albic.detach  # noqa: B018  looking is what fails
