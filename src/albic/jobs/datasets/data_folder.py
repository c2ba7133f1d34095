"""Where albic keeps data that it has made: ordered copies and generated files."""

import os
from pathlib import Path

VARIABLE = "ALBIC_DATA_HOME"


def home() -> Path:
    """Return the folder; everything in it can be deleted, and is made again when needed."""
    chosen = os.environ.get(VARIABLE)
    if chosen:
        return Path(chosen).expanduser().absolute()
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(cache).expanduser().absolute() / "albic"
