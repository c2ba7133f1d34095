"""Operators that share a key run as one task; what they work out is what they did apart."""

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from albic.model import InvalidInput, ProcessorFailed
from albic.streams import Network
from albic.streams.chains import chains
from albic.streams.layout import Place
from albic.streams.leveling import SOURCE, fewest_idle, longest_paths, widest
from albic.streams.state import About, told_by
from tests.unit.streams.conftest import network, operator, sink, source
from tests.unit.streams.test_work import MINUTE, doubled, numbers, running_sum
from tests.unit.streams.without_spark import Hand

#: A chain of three, with a fourth operator that has another number of key groups.
ROW = [
    operator("a", "numbers", keeps_key=True),
    operator("b", "a", keeps_key=True),
    operator("c", "b"),
    operator("d", "b", key_groups=3),
]


def test_operators_with_one_key_form_a_chain() -> None:
    assert chains(ROW) == ((0, 1, 2), (3,))
    assert chains(ROW, "never") == ((0,), (1,), (2,), (3,))


def test_a_chain_has_its_operators_behind_their_inputs_whatever_their_order() -> None:
    assert chains(ROW[::-1]) == ((0,), (3, 2, 1))


@pytest.mark.parametrize(
    "last",
    [
        pytest.param(operator("b", "a", key_groups=3), id="other key groups"),
        pytest.param(operator("b", "a", key="value"), id="another key"),
        pytest.param(operator("b", ["a", "numbers"]), id="two inputs"),
        pytest.param(operator("b", "numbers"), id="no operator above"),
    ],
)
def test_what_could_change_a_result_is_not_chained(last) -> None:
    assert chains([operator("a", keeps_key=True), last]) == ((0,), (1,))
    assert chains([operator("a"), operator("b", "a")]) == ((0,), (1,)), "nobody said it keeps keys"


def test_an_operator_that_feeds_several_may_have_some_of_them_in_its_chain() -> None:
    tree = [
        operator("a", keeps_key=True),
        operator("other", "a", key="value"),
        operator("left", "a"),
        operator("right", "a", keeps_key=True),
        operator("end", "right"),
    ]
    assert chains(tree) == ((0, 2, 3, 4), (1,))


def test_a_key_may_leave_under_another_name() -> None:
    renaming = operator("a", schema="id string, value bigint", keeps_key="id")
    assert chains([renaming, operator("b", "a", key="id")]) == ((0, 1),)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        pytest.param(
            [operator(keeps_key="kye")],
            "'sums' declares .* 'kye' .*; did you mean 'key'",
            id="name",
        ),
        pytest.param(
            [operator(schema="id string", keeps_key=True)], "'key' is not in its output", id="gone"
        ),
        pytest.param(
            [operator(keeps_key="value")], "types string and its output holds int64", id="type"
        ),
        pytest.param(
            [operator(keeps_key=["key", "key"])], "output holds string, string", id="too many"
        ),
        pytest.param(
            [
                operator("a", schema="id string, value bigint"),
                operator("b", ["a", "numbers"], key={"a": "id", "numbers": "key"}, keeps_key=True),
            ],
            "'b' declares .* inputs name the key differently",
            id="two names",
        ),
    ],
)
def test_a_declaration_that_cannot_be_true_is_refused(wrong, says) -> None:
    with pytest.raises(InvalidInput, match=says):
        network(wrong)


def test_an_unknown_way_of_chaining_is_refused() -> None:
    with pytest.raises(InvalidInput, match="chain is 'nevre'; did you mean 'never'"):
        network().layout("nevre")


def test_a_checkpoint_that_was_chained_otherwise_is_refused_before_anything_starts(
    tmp_path,
) -> None:
    made = network(ROW)
    for stage in range(3):
        (tmp_path / "state" / str(stage)).mkdir(parents=True)
    with pytest.raises(
        InvalidInput, match=r'has the state of 3 stages, .* makes 2: .*chain="never", or'
    ):
        made.start(tmp_path)
    (tmp_path / "state" / "3").mkdir()
    with pytest.raises(
        InvalidInput, match=r"4 stages, .* otherwise when it began; start with a new"
    ):
        made.start(tmp_path, chain="never")
    assert sorted(each.name for each in tmp_path.rglob("*")) == ["0", "1", "2", "3", "state"]


def test_a_chain_has_one_place_and_is_one_operator_for_planners() -> None:
    made = network(ROW)
    assert made.layout().places == (*[Place(1, 0, 2)] * 3, Place(2, 0, 3))
    assert made.layout().located(1, 1) == ((0, 1, 2), 1)
    shown = made.topology()
    names = [(each.name, each.key_groups) for each in shown.operators]
    assert names == [("a > b > c", 2), ("idle in stage 1", 1), ("d", 3)]
    assert shown.operators[0].chain == ("a", "b", "c")
    assert shown.streams == ((0, 2),)


def test_chains_are_described_and_drawn() -> None:
    made = network(ROW, sinks=[sink("b")])
    assert made.describe().splitlines() == [
        "small: 4 operators with 9 key groups in 2 stages of 3 partitions: 6 tasks a batch",
        "sources",
        "  numbers",
        "level 1, 1 partitions idle",
        "  a <- numbers by key: partitions 0 to 1",
        "  b <- a by key, chained -> sink",
        "  c <- b by key, chained",
        "level 2",
        "  d <- b by key: partitions 0 to 2",
    ]
    assert "3 stages of 5 partitions: 15 tasks" in made.describe("never")
    assert '  subgraph "cluster 0" { label="one task"; "a"; "b"; "c"; }' in made.to_dot()
    assert "cluster" not in made.to_dot("never")


def counted_a_minute(state, rows):
    """Count a key's rows a minute, and answer with the minutes that are over."""
    frame = rows.frame()
    seen = frame.groupby(["key", frame["at"].dt.floor("min")]).size().rename("value").reset_index()
    if "open" in state:
        seen = pd.concat([state["open"], seen]).groupby(["key", "at"], as_index=False).sum()
    over = seen["at"] + MINUTE <= rows.watermark
    state["open"] = seen[~over].reset_index(drop=True)
    return seen[over].assign(at=lambda f: f["at"] + MINUTE - pd.Timedelta("1us"))


def story() -> Network:
    """Return a tree with windows in it: three run as one, one elsewhere takes in two of them."""
    timed = "key string, value bigint, at timestamp"
    return Network(
        "story",
        [source(event_time="at")],
        [
            operator(
                "passed",
                process=lambda state, rows: rows.table(),  # noqa: ARG005
                schema=timed,
                event_time="at",
                keeps_key=True,
            ),
            operator("sums", "passed", process=running_sum("passed"), keeps_key=True),
            operator("twice", "sums", process=doubled),
            operator(
                "minutes",
                "passed",
                schema=timed,
                process=counted_a_minute,
                event_time="at",
                windowed=True,
                keeps_key=True,
            ),
            operator("per minute", "minutes", process=running_sum("minutes"), windowed=True),
            operator("all", ["twice", "minutes"], key=(), key_groups=1, process=both),
        ],
        [sink(name) for name in ("passed", "sums", "twice", "minutes", "per minute", "all")],
    )


def both(state, rows):
    state["rows"] = state.get("rows", 0) + rows.table("twice").num_rows
    return pd.DataFrame({"key": ["all"], "value": [state["rows"] + len(rows.frame("minutes"))]})


@settings(max_examples=15)
@given(st.lists(st.integers(0, 90), min_size=1, max_size=5), st.integers(0, 3))
def test_a_chain_gives_every_sink_and_counter_what_apart_they_give(sizes, seed) -> None:
    hands = {chain: Hand(story(), seed, chain) for chain in ("auto", "never")}
    first = 100
    for number, size in enumerate(sizes):
        # Every other batch brings late rows as well.
        rows = pd.concat([numbers(size, first), numbers(number % 2 * 5)])
        tasks = [rows[::2], rows[1::2]] if size else []
        one, two = (hand.batch({"numbers": tasks}) for hand in hands.values())
        for name in one:
            pd.testing.assert_frame_equal(one[name], two[name])
        told = [
            [
                (
                    g.operator,
                    g.key_group,
                    g.rows_in,
                    g.rows_out,
                    g.late_rows,
                    g.state_bytes,
                    g.all_late,
                )
                for g in hand.last().groups
            ]
            for hand in hands.values()
        ]
        assert told[0] == told[1]
        first += size
        for hand in hands.values():
            if seed % 2:
                hand.restart()
    for name in hands["auto"].layout.operators:
        totals = [hand.counters.totals(name) for hand in hands.values()]
        assert totals[0] == totals[1]
    assert hands["auto"].layout.depth == 2
    assert hands["never"].layout.depth == 4


def test_each_operator_of_a_chain_has_a_state_of_its_own() -> None:
    hand = Hand(story())
    hand.batch({"numbers": [numbers(30)]})
    first = hand.slots[0]
    noted = {
        name: About.decoded(content).operator
        for (name, _), (content,) in first.kept.items()
        if name.startswith("about")
    }
    assert noted == {
        "about": "passed",
        "about_1": "sums",
        "about_2": "minutes",
        "about_3": "twice",
        "about_4": "per minute",
    }
    states = {
        name: told_by(content)[0].operator
        for (name, _), (content,) in first.kept.items()
        if name.startswith("group")
    }
    # Those that remember nothing have none.
    assert states == {"group_1": "sums", "group_2": "minutes", "group_4": "per minute"}
    assert {name for name, _ in hand.slots[1].kept} == {"about", "group"}


def test_one_in_a_chain_that_gets_nothing_is_not_called_and_not_written() -> None:
    nothing = operator("first", process=lambda state, rows: None, keeps_key=True)  # noqa: ARG005
    made = Network("still", [source()], [nothing, operator("second", "first")])
    hand = Hand(made)
    hand.batch({"numbers": [numbers(30)]})
    assert {group.operator for group in hand.last().groups} == {"first"}
    assert {name for name, _ in hand.slots[0].kept} == {"about"}


@pytest.mark.parametrize("chain", ["auto", "never"])
def test_a_row_of_another_key_group_is_found_in_a_chain(chain) -> None:
    def renamed(state, rows):  # noqa: ARG001
        return rows.frame().assign(key="k1")[["key", "value"]]

    wrong = operator("wrong", process=renamed, keeps_key=True)
    hand = Hand(Network("lies", [source()], [wrong, operator("after", "wrong")]), chain=chain)
    if chain == "never":
        hand.batch({"numbers": [numbers(30)]})
        return
    says = "operator 'wrong', key group [01] declares keeps_key, .* key='k1', .* key group [01];"
    with pytest.raises(InvalidInput, match=says):
        hand.batch({"numbers": [numbers(30)]})


def test_an_error_in_a_chain_names_the_operator_that_made_it() -> None:
    def fail(state, rows):  # noqa: ARG001
        raise KeyError("tail")

    chain = [operator("a", process=doubled, keeps_key=True), operator("b", "a", process=fail)]
    hand = Hand(Network("fails", [source()], chain))
    with pytest.raises(ProcessorFailed, match=r"operator 'b', key group .: KeyError: 'tail'"):
        hand.batch({"numbers": [numbers(3)]})


def test_every_operator_of_a_chain_has_its_own_work_measured() -> None:
    def slow(state, rows):  # noqa: ARG001
        sum(range(3_000_000))
        return rows.table().select(["key", "value"])

    chain = [
        operator("quick", process=doubled, key_groups=1, keeps_key=True),
        operator("slow", "quick", key_groups=1, process=slow, keeps_key=True),
        operator("last", "slow", key_groups=1, process=doubled),
    ]
    hand = Hand(Network("timed", [source()], chain))
    hand.batch({"numbers": [numbers(3)]})
    hand.batch({"numbers": [numbers(3)]})
    spent = {group.operator: group.python_s for group in hand.last().groups}
    assert spent["slow"] > 3 * max(spent["quick"], spent["last"])
    assert min(spent.values()) > 0


def test_an_operator_waits_for_a_level_that_has_room() -> None:
    # Two wide ones on the first level; only one of them is needed on the second.
    parts = [
        operator("wide", key_groups=4),
        operator("free", key_groups=4),
        operator("narrow", "wide", key_groups=1),
        operator("end", ["narrow", "free"], key_groups=4),
    ]
    made = network(parts)
    assert [place.level for place in made.layout().places] == [1, 2, 2, 3]
    assert made.layout().tasks == 15
    assert made.layout("never").tasks == 24


def test_rows_find_an_operator_that_was_laid_further_down() -> None:
    def counted(state, rows):
        state["n"] = state.get("n", 0) + sum(rows.table(name).num_rows for name in rows.tables)
        return pd.DataFrame({"key": ["n"], "value": [state["n"]]})

    parts = [
        operator("wide", key_groups=4, process=doubled),
        operator("free", key_groups=4, process=doubled),
        operator("narrow", "wide", key_groups=1, process=doubled),
        operator("end", ["narrow", "free"], key=(), key_groups=1, process=counted),
    ]
    hand = Hand(Network("late", [source(event_time="at")], parts, [sink("end")]))
    assert hand.layout.places[1].level == 2
    assert hand.batch({"numbers": [numbers(20)]})["end"]["value"].max() == 40
    assert hand.batch({"numbers": [numbers(5, 20)]})["end"]["value"].max() == 50


@st.composite
def graphs(draw):
    """Return the widths of some parts, and streams that only lead onwards."""
    parts = draw(st.integers(1, 7))
    widths = tuple(draw(st.lists(st.integers(1, 9), min_size=parts, max_size=parts)))
    streams = set()
    for down in range(parts):
        above = draw(st.sets(st.integers(SOURCE, down - 1), min_size=1, max_size=3))
        streams |= {(up, down) for up in above}
    return widths, tuple(sorted(streams))


@settings(max_examples=200)
@given(graphs())
def test_a_layout_keeps_the_order_of_streams_and_never_has_more_idle_partitions(graph) -> None:
    widths, streams = graph
    earliest, found = longest_paths(len(widths), streams), fewest_idle(widths, streams)
    assert all(found[down] > (0 if up == SOURCE else found[up]) for up, down in streams)
    assert max(found) == max(earliest)
    assert set(found) == set(range(1, max(found) + 1))
    assert widest(widths, found) <= widest(widths, earliest)
    if widest(widths, found) == widest(widths, earliest):
        assert found == earliest, "a network that gains nothing stays as it was"


def test_a_large_network_is_laid_out_in_bounded_time() -> None:
    streams = (*((SOURCE, part) for part in range(60)), (0, 60), (60, 61))
    found = fewest_idle((5,) * 62, streams)
    # 310 key groups on three levels.
    assert widest((5,) * 62, found) <= 110
