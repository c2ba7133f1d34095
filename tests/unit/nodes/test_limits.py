"""What people write about processor shares and links."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from albic.model import InvalidInput
from albic.nodes.limits import NodeLimits, cpu_share, limits_of, link_rate


@pytest.mark.parametrize(
    ("written", "bits"),
    [
        ("100mbit", 100_000_000),
        ("1gbit", 1_000_000_000),
        ("1.5 Gbit", 1_500_000_000),
        ("5000kbit", 5_000_000),
        ("unlimited", None),
        (None, None),
    ],
)
def test_a_rate_is_read_as_bits_a_second(written, bits) -> None:
    assert link_rate(written) == bits


@pytest.mark.parametrize("wrong", ["", "fast", "100", "100 MB", "0mbit", "-1mbit", "1000gbit", 7])
def test_an_impossible_rate_is_refused_with_the_way_to_write_one(wrong) -> None:
    with pytest.raises(InvalidInput, match="written like 100mbit") as refused:
        link_rate(wrong)
    assert repr(wrong) in str(refused.value)


@pytest.mark.parametrize("wrong", [0, -1, 0.01, 10_000, float("nan"), float("inf"), "1", True])
def test_an_impossible_share_is_refused_with_what_there_is(wrong) -> None:
    with pytest.raises(InvalidInput, match=f"to {os.cpu_count()}"):
        cpu_share(wrong)


@given(st.one_of(st.text(), st.floats(), st.integers(), st.none(), st.binary()))
def test_anything_is_a_limit_or_refused(anything) -> None:
    for read in (cpu_share, link_rate):
        try:
            read(anything)
        except InvalidInput:
            continue


def test_one_value_stands_for_all_nodes_and_several_for_one_each() -> None:
    assert limits_of(2, 0.5, None) == (NodeLimits(0.5), NodeLimits(0.5))
    mixed = limits_of(2, (0.5, 0.25), ["1gbit", "unlimited"])
    assert mixed == (NodeLimits(0.5, 10**9), NodeLimits(0.25, None))


def test_as_many_values_as_nodes_are_wanted() -> None:
    with pytest.raises(InvalidInput, match="cpu has 3 values for 2 nodes"):
        limits_of(2, (0.1, 0.2, 0.3), None)
    with pytest.raises(InvalidInput, match="network has 1 values for 4 nodes"):
        limits_of(4, None, ["1gbit"])
