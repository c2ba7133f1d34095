"""Folders that commands write to."""

from pathlib import Path

from albic.model import InvalidInput


def make_folder(folder: Path) -> None:
    """Make a folder."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as wrong:
        cause = (wrong.strerror or "unknown error").lower()
        raise InvalidInput(f"the folder {str(folder)!r} cannot be made: {cause}") from None
