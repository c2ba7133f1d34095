"""The state of one number of key groups becomes that of another, and no key is lost."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from albic.model import InvalidInput
from albic.streams import State
from albic.streams.dividing import Share, division_of, heirs, of_group
from tests.unit.streams.conftest import network, operator

KEYS = [f"k{number}" for number in range(60)]


def table(keys=KEYS) -> pa.Table:
    return pa.table({"key": pa.array(keys, pa.string()), "n": np.arange(len(keys))})


def states(groups, make) -> list[State]:
    """Return the state that each key group would have."""
    whole = table()
    return [
        State(sums=make(whole.filter(pa.array(of_group(whole, ["key"], Share(group, groups))))))
        for group in range(groups)
    ]


def divided(division, before, groups) -> list[State]:
    """Return the states of the new key groups, as executors work them out."""
    given_to = {group: [] for group in range(groups)}
    for number, state in enumerate(before):
        for heir in heirs(number, len(before), groups):
            part = division.part(state, Share(number, len(before)), Share(heir, groups))
            given_to[heir].append(part)
    return [division.whole(given_to[g], Share(g, groups)) for g in range(groups)]


def by_hand(parts, mine):
    return {"sums": pa.concat_tables(p["sums"].filter(mine(p["sums"], "key")) for p in parts)}


@given(old=st.integers(1, 12), new=st.integers(1, 12))
@pytest.mark.parametrize(
    "split",
    ["sums", ["sums"], {"sums": "key"}, by_hand],
    ids=["a name", "names", "columns", "a function"],
)
def test_every_key_is_where_its_rows_will_go(split, old, new) -> None:
    division = division_of(split, ["key"], "operator 'o'")
    found = divided(division, states(old, lambda part: part), new)
    for group, state in enumerate(found):
        if "sums" in state:
            assert of_group(state["sums"], ["key"], Share(group, new)).all()
    kept = [key for state in found if "sums" in state for key in state["sums"]["key"].to_pylist()]
    assert sorted(kept) == sorted(KEYS)


def test_a_frame_may_have_its_key_in_the_index() -> None:
    division = division_of("sums", ["key"], "operator 'o'")
    before = states(2, lambda part: part.to_pandas().set_index("key"))
    found = divided(division, before, 4)
    assert [state["sums"].index.name for state in found] == ["key"] * 4
    whole = pd.concat([state["sums"] for state in found])
    assert whole["n"].to_dict() == dict(zip(KEYS, range(60), strict=True))


def test_a_frame_that_only_counts_its_rows_counts_them_again() -> None:
    division = division_of("sums", ["key"], "operator 'o'")
    (found,) = divided(division, states(3, lambda part: part.to_pandas()), 1)
    assert found["sums"].index.tolist() == list(range(60))


def test_a_table_without_rows_is_left_out_as_before_the_first_batch() -> None:
    division = division_of("sums", ["key"], "operator 'o'")
    before = [State(sums=table(["k1"]))]
    found = divided(division, before, 8)
    assert sum("sums" in state for state in found) == 1


@pytest.mark.parametrize(
    ("state", "says"),
    [
        pytest.param(State(seen=3), r"how to divide state\['seen'\]", id="a value"),
        pytest.param(State(sums=3), r"how to divide state\['sums'\]", id="not a table"),
        pytest.param(
            State(sums=pa.table({"id": [1]})), "no column 'key' to split by; it has id", id="column"
        ),
        pytest.param(
            State(sums=pa.table({"key": [0.5]})), "the column 'key' .* is a double", id="a float"
        ),
        pytest.param(
            State(sums=table()),
            r"belong to another key group than 0 of 2; that is not",
            id="foreign",
        ),
    ],
)
def test_what_cannot_be_divided_is_refused(state, says) -> None:
    division = division_of("sums", ["key"], "operator 'o'")
    with pytest.raises(InvalidInput, match=says):
        division.part(state, Share(0, 2), Share(0, 4))


def test_a_function_returns_a_state() -> None:
    division = division_of(lambda parts, mine: 3, ["key"], "operator 'o'")  # noqa: ARG005
    with pytest.raises(InvalidInput, match="its split returned a int; return the state of one"):
        division.whole([State()], Share(0, 2))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"split": []}, "'sums': split names the tables of its state"),
        ({"split": ""}, "'sums': split names the tables of its state"),
        (
            {"split": {"sums": ["key", "value"]}},
            "'sums': split gives 'sums' the columns key, value",
        ),
        ({"split": "sums", "key": (), "key_groups": 1}, "'sums' has no key"),
    ],
)
def test_a_wrong_declaration_is_refused_when_the_network_is_made(options, says) -> None:
    with pytest.raises(InvalidInput, match=says):
        network([operator(**options)])


def test_a_frame_that_has_become_empty_is_divided_although_its_columns_lost_their_types() -> None:
    empty = State(sums=pd.DataFrame({"key": pd.Series([], dtype=object), "n": []}))
    division = division_of("sums", ["key"], "operator 'sums'")
    assert divided(division, [empty, empty], 3) == [{}, {}, {}]
