"""Where, when and with what a figure was made."""

import os
import platform
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import albic

#: What results depend on beside our own code.
LIBRARIES = ("highspy", "numba", "numpy", "pymetis", "scipy")
ROOT = Path(albic.__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Machine:
    """Where a run was made; that others kept it busy shows in its load before."""

    system: str
    processor: str
    cores: int
    load_before: float


@dataclass(frozen=True, slots=True)
class Beginning:
    """When and where a run began."""

    when: str
    machine: Machine


def beginning() -> Beginning:
    """Return that a run begins here and now."""
    return Beginning(
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        Machine(
            system=f"{platform.system()} {platform.machine()}",
            processor=processor(),
            cores=os.cpu_count() or 0,
            load_before=round(os.getloadavg()[0], 2),
        ),
    )


def versions() -> dict[str, str]:
    """Return the versions of everything that results depend on."""
    return {"python": platform.python_version(), "albic": albic.__version__} | {
        name: version(name) for name in LIBRARIES
    }


def commit(*sources: str) -> str:
    """Return the commit that was run, and whether ``src`` or other sources differed from it."""
    try:
        head = _git("rev-parse", "HEAD")
        changed = _git("status", "--porcelain", "--", "src", *sources)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"{head[:12]} with changes" if changed else head[:12]


def processor() -> str:
    """Return the processor's name where the system tells it."""
    about = Path("/proc/cpuinfo")
    if about.exists():
        for line in about.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown processor"


def _git(*arguments: str) -> str:
    """Return what git says about this repository."""
    done = subprocess.run(  # noqa: S603 - fixed arguments
        ["git", *arguments],  # noqa: S607 - git is where the user has it
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()
