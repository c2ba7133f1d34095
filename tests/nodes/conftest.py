"""Isolated nodes as they are: real namespaces, links and control groups."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from albic.nodes import missing
from albic.nodes.isolated import IsolatedNodes

LACKS = missing("network")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.nodes)
            item.add_marker(pytest.mark.skipif(LACKS is not None, reason=str(LACKS)))


@pytest.fixture
def made() -> Iterator[Callable[..., IsolatedNodes]]:
    """Return a function that makes a cluster's nodes; they go with the test."""
    clusters: list[IsolatedNodes] = []

    def make(storage: Path | None = None) -> IsolatedNodes:
        clusters.append(IsolatedNodes(storage))
        return clusters[-1]

    yield make
    for cluster in clusters:
        cluster.close()
