"""Jobs run on isolated nodes where the rights are there, and on loopback where they are not."""

import pytest

from albic.cli.run import nodes
from albic.cli.run.nodes import share, told, usual_isolation
from albic.model import InvalidInput

LACKS = "isolated nodes need root"


@pytest.fixture(params=[None, LACKS], ids=["rights", "no rights"])
def lacks(request, monkeypatch):
    monkeypatch.setattr(nodes, "missing", lambda _: request.param)
    return request.param


@pytest.mark.parametrize(
    ("nodes", "cores", "found"), [(4, 2, 0.4), (2, 2, 0.8), (4, 64, 1.0), (200, 1, 0.05)]
)
def test_nodes_share_the_cores_and_leave_some_to_the_driver(nodes, cores, found) -> None:
    assert share(nodes, cores) == found


def test_the_usual_limits_are_set_where_they_can_be(lacks) -> None:
    limits = usual_isolation(4, None, None, "local")
    assert limits.wanted == (lacks is None)
    assert limits.network == (None if lacks else "100mbit")
    assert ("isolated nodes with" in told(4, limits)) == (lacks is None)
    assert (LACKS in told(4, limits)) == (lacks is not None)


def test_what_was_asked_for_stays(lacks) -> None:
    assert not usual_isolation(4, "none", "none", "local").wanted
    limits = usual_isolation(2, "0.5,0.4", "1gbit", "local")
    assert (limits.cpu, limits.network) == ((0.5, 0.4), "1gbit")
    assert (usual_isolation(4, None, "1gbit", "local").cpu is None) == (lacks is not None)
    with pytest.raises(InvalidInput, match="cpu is 'much'"):
        usual_isolation(4, "much", None, "local")
