"""Jobs run on isolated nodes where the rights are there, and on loopback where they are not."""

import pytest

pytest.importorskip("pyspark", reason="the extra albic[spark] is missing")

from albic.cli import run_nodes
from albic.cli.run_nodes import isolation, share, told

LACKS = "isolated nodes need root"


@pytest.fixture(params=[None, LACKS], ids=["rights", "no rights"])
def lacks(request, monkeypatch):
    monkeypatch.setattr(run_nodes, "missing", lambda _: request.param)
    return request.param


@pytest.mark.parametrize(
    ("nodes", "cores", "found"), [(4, 2, 0.45), (2, 2, 0.9), (4, 64, 1.0), (200, 1, 0.05)]
)
def test_nodes_share_the_cores_and_leave_some_to_the_driver(nodes, cores, found) -> None:
    assert share(nodes, cores) == found


def test_the_usual_limits_are_set_where_they_can_be(lacks) -> None:
    limits = isolation(4)
    assert limits.wanted == (lacks is None)
    assert limits.network == (None if lacks else "100mbit")
    assert ("isolated" in told(4, limits)) == (lacks is None)
    assert (LACKS in told(4, limits)) == (lacks is not None)


def test_what_was_asked_for_stays(lacks) -> None:
    assert not isolation(4, None, None).wanted
    assert isolation(4, [0.5] * 4, "1gbit").network == "1gbit"
    assert (isolation(4, network="1gbit").cpu is None) == (lacks is not None)
    assert "0.5, 0.4 of a core, 1gbit a link" in told(2, isolation(2, [0.5, 0.4], "1gbit"))
