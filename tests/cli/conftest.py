"""The command line on a wide screen."""

import pytest


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give room: whoever runs the tests may have any width, and temporary paths are long."""
    monkeypatch.setenv("COLUMNS", "240")
