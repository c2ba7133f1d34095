"""What has to be measured in a process of its own: memory, and the way to the first plan."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


def child(module: str, *arguments: str) -> dict[str, Any]:
    """Return what a module of the bench prints as JSON when it runs alone."""
    return _said([sys.executable, "-m", module, *arguments])


def fresh(program: str, *arguments: str) -> dict[str, Any]:
    """Return what a small program prints as JSON."""
    return _said([sys.executable, "-c", program, *arguments])


def _said(command: list[str]) -> dict[str, Any]:
    """Return the JSON that a process prints; if it fails, so do we, with its last words."""
    done = subprocess.run(  # noqa: S603 - our own programs
        command, cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command[1:3])} failed:\n{done.stderr.strip()}")
    said: dict[str, Any] = json.loads(done.stdout)
    return said
