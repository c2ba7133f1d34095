"""The command line as a pipe sees it."""

import pytest


@pytest.fixture(autouse=True)
def _as_wide_as_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget the width that whoever runs the tests has set, for tables are cut to it."""
    monkeypatch.delenv("COLUMNS", raising=False)
