"""What several planners' tests share."""

from collections.abc import Iterator

import pytest

from albic.optimize.solver import Solver


@pytest.fixture(scope="module")
def highs() -> Iterator[Solver]:
    """Return a solver that is running already, so that not every small world waits for one."""
    with Solver() as running:
        yield running
