"""What a network works out equals a batch computation, whatever the batches and their order."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from albic.model import InvalidInput, ProcessorFailed
from albic.streams import Network
from tests.unit.streams.conftest import operator, sink, source
from tests.unit.streams.without_spark import Hand

START = pd.Timestamp("2013-01-01", tz="UTC")
MINUTE = pd.Timedelta(minutes=1)


def numbers(rows, first=0) -> pd.DataFrame:
    value = np.arange(first, first + rows)
    at = START + pd.to_timedelta(value, unit="s")
    return pd.DataFrame({"key": [f"k{v % 11}" for v in value], "value": value, "at": at})


def running_sum(name):
    """Return a processor that answers with the sums of all keys it saw in a batch."""

    def process(state, rows):
        seen = rows.frame(name).groupby("key")["value"].sum()
        kept = state.get("sums")
        sums = seen if kept is None else kept["value"].add(seen, fill_value=0)
        state["sums"] = sums.to_frame("value")
        return sums.loc[seen.index].astype("int64").reset_index()

    return process


def doubled(state, rows):  # noqa: ARG001
    frame = rows.frame()
    return frame.assign(value=2 * frame["value"])[["key", "value"]]


def joined(state, rows):
    """Keep the last of both inputs a key, and answer with their difference."""
    for name in ("sums", "doubles"):
        last = rows.frame(name).groupby("key")["value"].last()
        kept = state.get(name)
        both = last if kept is None else last.combine_first(kept["value"])
        state[name] = both.to_frame("value")
    sums, doubles = state["sums"]["value"], state["doubles"]["value"]
    return (sums - doubles).dropna().astype("int64").rename("value").reset_index()


def diamond() -> Network:
    return Network(
        "diamond",
        [source()],
        [
            operator("sums", "numbers", key_groups=3, process=running_sum("numbers")),
            operator("doubles", "numbers", key_groups=2, process=doubled),
            operator("joined", ["doubles", "sums"], key_groups=4, process=joined),
            operator("again", "doubles", key_groups=3, process=running_sum("doubles")),
        ],
        [sink("joined"), sink("sums"), sink("again")],
    )


def by_key(frame) -> dict[str, int]:
    return frame.groupby("key")["value"].last().to_dict()


@settings(max_examples=15)
@given(st.lists(st.integers(1, 40), min_size=1, max_size=5), st.integers(0, 3))
def test_a_diamond_equals_a_batch_computation(sizes, seed) -> None:
    hand, first, answers = Hand(diamond(), seed), 0, []
    for size in sizes:
        rows = numbers(size, first)
        answers.append(hand.batch({"numbers": [rows[::2], rows[1::2]]}))
        first += size
        if seed % 2:
            hand.restart()
    everything = numbers(first)
    sums = everything.groupby("key")["value"].sum().to_dict()
    last = {name: by_key(pd.concat(a[name] for a in answers)) for name in answers[0]}
    assert last["sums"] == sums
    assert last["again"] == {key: 2 * total for key, total in sums.items()}
    # Of a key in the batch's first and second half, the second task's is the last.
    assert set(last["joined"]) == set(sums)
    for key, found in last["joined"].items():
        assert (sums[key] - found) % 2 == 0
        assert (sums[key] - found) // 2 in set(everything["value"][everything["key"] == key])


def test_every_row_is_taken_in_once_by_each_operator() -> None:
    hand = Hand(diamond())
    hand.batch({"numbers": [numbers(50), numbers(30, 50)]})
    hand.batch({"numbers": [numbers(20, 80)]})
    assert hand.counters.totals("sums").rows_in == 100
    assert hand.counters.totals("doubles").rows_in == 100
    assert hand.counters.totals("again").rows_in == 100
    sums_out = hand.counters.totals("sums").rows_out
    assert hand.counters.totals("joined").rows_in == 100 + sums_out
    called = [(group.operator, group.key_group) for group in hand.last().groups]
    assert len(set(called)) == len(called)


def test_the_order_of_arrival_changes_nothing() -> None:
    answers = []
    for seed in range(5):
        hand = Hand(diamond(), seed)
        tasks = [numbers(9, 9 * n) for n in range(6)]
        answers.append([hand.batch({"numbers": tasks})["joined"] for _ in range(2)])
    for other in answers[1:]:
        for one, two in zip(answers[0], other, strict=True):
            pd.testing.assert_frame_equal(one, two)


def counted_a_minute(state, rows):
    """Count a key's rows a minute, and answer with the minutes that are over."""
    frame = rows.frame()
    minute = frame["at"].dt.floor("min").rename("minute")
    seen = frame.groupby(["key", minute]).size().rename("value").reset_index()
    if "open" in state:
        seen = pd.concat([state["open"], seen]).groupby(["key", "minute"], as_index=False).sum()
    over = seen["minute"] + MINUTE <= rows.watermark
    state["open"] = seen[~over].reset_index(drop=True)
    # The last moment of a window is still before its end, so nobody downstream calls it late.
    return seen[over].assign(at=lambda f: f["minute"] + MINUTE - pd.Timedelta("1us"))


def most_a_minute(state, rows):
    """Answer with the largest count of each minute that is over."""
    frame = rows.frame()
    seen = pd.concat([state["open"], frame]) if "open" in state else frame
    over = seen["at"] < rows.watermark
    state["open"] = seen[~over]
    best = seen[over].groupby("minute", as_index=False)["value"].max()
    return best.assign(key="all")[["key", "value", "minute"]]


def windows(delay_s=0.0) -> Network:
    out = "key string, value bigint, minute timestamp"
    return Network(
        "windows",
        [source(event_time="at", delay_s=delay_s)],
        [
            operator(
                "minutes",
                "numbers",
                schema=f"{out}, at timestamp",
                process=counted_a_minute,
                event_time="at",
                windowed=True,
            ),
            operator(
                "best",
                "minutes",
                key=(),
                key_groups=1,
                schema=out,
                process=most_a_minute,
                windowed=True,
            ),
        ],
        [sink("minutes"), sink("best")],
    )


def per_minute(frame) -> pd.DataFrame:
    minute = frame["at"].dt.floor("min").rename("minute")
    return frame.groupby(["key", minute]).size().rename("value").reset_index()


@settings(max_examples=15)
@given(st.lists(st.integers(1, 150), min_size=1, max_size=6), st.integers(0, 2))
def test_windows_are_emitted_once_and_whole(sizes, seed) -> None:
    hand, first, counts, best = Hand(windows(), seed), 0, [], []
    for size in [*sizes, 1]:
        answer = hand.batch({"numbers": [numbers(size, first).sample(frac=1, random_state=1)]})
        counts.append(answer["minutes"])
        best.append(answer["best"])
        first += size
        hand.restart()
    everything = per_minute(numbers(first))
    end = START + pd.Timedelta(seconds=first - 1)
    expected = everything[everything["minute"] + MINUTE <= end]
    found = pd.concat(counts)[["key", "minute", "value"]].sort_values(["key", "minute"])
    assert found.to_numpy().tolist() == expected.to_numpy().tolist()
    peaks = expected.groupby("minute")["value"].max().to_dict()
    heard = pd.concat(best)
    assert len(heard) == len(peaks)
    assert dict(zip(heard["minute"], heard["value"], strict=True)) == peaks
    assert hand.counters.totals("minutes").late_rows == 0
    assert hand.counters.totals("best").late_rows == 0


def test_all_windows_close_with_the_last_row_of_the_slowest_source() -> None:
    schema = "key string, value bigint, at timestamp, last boolean"
    heard = []

    def listen(state, rows):  # noqa: ARG001
        heard.append(rows.watermark)

    sources = [
        source(name, schema, event_time="at", delay_s=5, ends="last") for name in ("one", "two")
    ]
    both = operator("both", ["one", "two"], key_groups=1, process=listen, windowed=True)
    hand = Hand(Network("two", sources, [both]))
    hand.batch({"one": [numbers(5).assign(last=False)], "two": [numbers(9).assign(last=False)]})
    assert heard[-1] == START - pd.Timedelta("1s")
    over = [False, False, True]
    hand.batch({"one": [numbers(3, 5).assign(last=over)]})
    assert heard[-1] == START + pd.Timedelta("3s"), "the other source holds windows open"
    hand.restart()
    # The last row is in one of the tasks; who has rows of the same batch is not late.
    hand.batch({"two": [numbers(3, 9).assign(last=over), numbers(3, 12).assign(last=None)]})
    assert heard[-1] > pd.Timestamp("2262-01-01", tz="UTC")
    assert hand.counters.totals("both").late_rows == 0


@pytest.mark.parametrize(("delay_s", "late"), [(0.0, 20), (100.0, 19), (1000.0, 0)])
def test_late_rows_are_counted_and_dropped(delay_s, late) -> None:
    hand = Hand(windows(delay_s))
    hand.batch({"numbers": [numbers(1, 119)]})
    hand.batch({"numbers": [numbers(20)]})
    assert hand.counters.totals("minutes").late_rows == late
    hand.restart()
    hand.batch({"numbers": [numbers(1, 5000)]})
    assert hand.counters.totals("minutes").late_rows == late
    assert hand.counters.totals("minutes").rows_in == 22


def test_without_windows_a_late_row_is_counted_and_kept() -> None:
    sums = operator(process=running_sum("numbers"))
    hand = Hand(Network("late", [source(event_time="at")], [sums], [sink()]))
    hand.batch({"numbers": [numbers(11, 100)]})
    answer = hand.batch({"numbers": [numbers(11)]})["sums"]
    assert hand.counters.totals("sums").late_rows == 11
    assert answer["value"].sum() == numbers(11)["value"].sum() + numbers(11, 100)["value"].sum()


def test_the_slowest_source_sets_the_watermark() -> None:
    heard = []

    def listen(state, rows):  # noqa: ARG001
        heard.append((rows.watermark, len(rows.frame("fast")), len(rows.frame("slow"))))

    sources = [source("fast", event_time="at"), source("slow", event_time="at", delay_s=10)]
    both = operator("both", ["fast", "slow"], key_groups=1, process=listen, windowed=True)
    hand = Hand(Network("two", sources, [both]))
    hand.batch({"fast": [numbers(5, 100)]})
    hand.batch({"slow": [numbers(1, 50)]})
    hand.batch({"slow": [numbers(1, 500)]})
    at = [None, START + pd.Timedelta("40s"), START + pd.Timedelta("104s")]
    assert heard == [(at[0], 5, 0), (at[1], 0, 1), (at[2], 0, 1)]


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        pytest.param(lambda f: f[["key"]], "returned the columns key; .* key, value", id="missing"),
        pytest.param(lambda f: f, "returned the columns key, value, at", id="too many"),
        pytest.param(
            lambda f: f.assign(value="x")[["key", "value"]],
            "returned rows that do not fit",
            id="type",
        ),
        pytest.param(lambda f: [f], "returned a list; return a pandas", id="no frame"),
    ],
)
def test_an_answer_of_another_schema_is_refused_with_its_key_group(answer, says) -> None:
    wrong = operator(key_groups=1, process=lambda state, rows: answer(rows.frame()))  # noqa: ARG005
    hand = Hand(Network("wrong", [source()], [wrong]))
    with pytest.raises(InvalidInput, match=f"operator 'sums', key group 0 {says}"):
        hand.batch({"numbers": [numbers(3)]})


def test_an_error_in_a_processor_names_operator_and_key_group() -> None:
    def fail(state, rows):  # noqa: ARG001
        raise KeyError("tail")

    hand = Hand(Network("fails", [source()], [operator(key_groups=1, process=fail)]))
    with pytest.raises(ProcessorFailed, match="operator 'sums', key group 0: KeyError: 'tail'"):
        hand.batch({"numbers": [numbers(3)]})


def test_what_cannot_be_remembered_is_refused() -> None:
    def remember(state, rows):  # noqa: ARG001
        state["when"] = START

    hand = Hand(Network("forgets", [source()], [operator(key_groups=1, process=remember)]))
    with pytest.raises(InvalidInput, match=r"'sums', key group 0 cannot remember state\['when'\]"):
        hand.batch({"numbers": [numbers(3)]})


def test_the_state_of_another_network_is_refused() -> None:
    hand = Hand(Network("one", [source()], [operator("one", process=running_sum("numbers"))]))
    hand.batch({"numbers": [numbers(30)]})
    other = Hand(Network("two", [source()], [operator("two", process=running_sum("numbers"))]))
    other.slots[0].kept = hand.slots[0].kept
    with pytest.raises(InvalidInput, match=r"'two', key group . of 2 finds the state of .* 'one'"):
        other.batch({"numbers": [numbers(30)]})


def test_state_that_did_not_change_is_not_written_again() -> None:
    def watch(state, rows):  # noqa: ARG001
        state["seen"] = True

    hand = Hand(Network("calm", [source(event_time="at")], [operator(process=watch)]))
    hand.batch({"numbers": [numbers(30)]})
    before = hand.slots[0].writes
    # No new row, and no news of time.
    hand.batch({"numbers": []})
    # Two key groups, each with its state and what is noted about it.
    assert hand.slots[0].writes == before == 4


def test_an_unknown_input_is_refused_by_name() -> None:
    def ask(state, rows):  # noqa: ARG001
        return rows.frame("sums")

    hand = Hand(Network("asks", [source()], [operator(key_groups=1, process=ask)]))
    with pytest.raises(InvalidInput, match="no input 'sums'; name one of 'numbers'"):
        hand.batch({"numbers": [numbers(3)]})
