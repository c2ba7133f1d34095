"""A network that is stopped half way and changed puts out what the old one would have.

State is handed over by the very functions that executors run; where Spark would read and write it,
there is a dictionary.
"""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from albic.model import InvalidInput
from albic.streams import Network, query
from albic.streams.inventory import stored_operators, stored_sources
from albic.streams.stage import ABOUT, STATE, variable
from albic.streams.state import About, told_by
from albic.streams.state_handover import NOBODY, Giver, Taker
from albic.streams.takeover import heritage
from tests.unit.streams.conftest import operator, sink, source
from tests.unit.streams.older_release import older_stage
from tests.unit.streams.without_spark import Hand

START = pd.Timestamp("2013-01-01", tz="UTC")
MINUTE = pd.Timedelta(minutes=1)
BATCHES = 6


def numbers(batch) -> pd.DataFrame:
    """Return thirty rows a batch, a second apart, three of which are two minutes late."""
    value = np.arange(30 * batch, 30 * batch + 30)
    at = START + pd.to_timedelta(np.where(value % 10 == 9, value - 120, value), unit="s")
    return pd.DataFrame({"key": [f"k{v % 11}" for v in value], "value": value, "at": at})


def passed(state, rows):  # noqa: ARG001
    return rows.table().select(["key", "value", "at"])


def summed(state, rows):
    seen = rows.frame().groupby("key")["value"].sum()
    kept = state.get("sums")
    sums = seen if kept is None else kept["value"].add(seen, fill_value=0)
    state["sums"] = sums.to_frame("value")
    return sums.loc[seen.index].astype("int64").reset_index()


def minutes(state, rows):
    frame = rows.frame()
    seen = frame.assign(at=frame["at"].dt.floor("min")).groupby(["key", "at"], as_index=False).sum()
    if "open" in state:
        seen = pd.concat([state["open"], seen]).groupby(["key", "at"], as_index=False).sum()
    over = seen["at"] + MINUTE <= rows.watermark
    state["open"] = seen[~over].reset_index(drop=True)
    return seen[over][["key", "value"]]


def job(groups=2, names=("passed", "summed", "minutes"), more=(), less=(), sources=("numbers",)):
    """Return a chain of two and a window beside them, as many key groups each."""
    first, second, third = names
    made = [
        operator(
            first,
            sources[0],
            key_groups=groups,
            schema="key string, value bigint, at timestamp",
            process=passed,
            event_time="at",
            keeps_key=True,
        ),
        operator(second, first, key_groups=groups, process=summed, split="sums"),
        operator(
            third,
            first,
            key_groups=groups + 1,
            process=minutes,
            windowed=True,
            split=["open"],
        ),
    ]
    sinks = [sink(second), sink(third)]
    return Network(
        "job",
        [source(name, event_time="at") for name in sources],
        [*(each for each in made if each.name not in less), *more],
        [each for each in sinks if each.operator not in less],
    )


def fed(hand, batch) -> dict[str, pd.DataFrame]:
    rows = numbers(batch)
    return hand.batch({hand.network.sources[0].name: [rows[::2], rows[1::2]]})


def halfway(chain="auto") -> Hand:
    hand = Hand(job(), chain=chain)
    for batch in range(BATCHES // 2):
        fed(hand, batch)
    return hand


def values_of(hand) -> list[tuple[bytes | None, bytes | None]]:
    """Return all values as a checkpoint has them: what is noted about a key group, or its state."""
    return [
        (content, None) if name.startswith(ABOUT) else (None, content)
        for store in hand.slots
        for (name, _), (content,) in store.kept.items()
    ]


def groups_of(hand) -> list[About]:
    within = [told_by(content) for noted, content in values_of(hand) if noted is None]
    told = [about for about, whole in within if whole]
    told += [About.decoded(noted) for noted, _ in values_of(hand) if noted is not None]
    return list({(each.operator, each.key_group): each for each in told}.values())


def changed(hand, network, renamed=None, chain="auto") -> Hand:
    """Return the changed network with the state of the old one."""
    after = Hand(network, chain=chain)
    taken_over = heritage(
        network.sources, network.operators, after.layout, groups_of(hand), renamed or {}
    )
    noted, contents = zip(*values_of(hand), strict=True)
    batches = pa.record_batch(
        {"about": pa.array(noted, pa.binary()), "content": pa.array(contents, pa.binary())}
    )
    given = [batch.to_pandas() for batch in Giver(taken_over)(iter([batches]))]
    everyone = pd.DataFrame({"heir": range(len(taken_over.heirs)), "origin": NOBODY})
    for _, mine in pd.concat(
        [*given, everyone.assign(about=None, content=None, wrong=None)]
    ).groupby("heir"):
        (row,) = Taker(taken_over)(mine).to_dict("records")
        if row["wrong"] is not None:
            raise InvalidInput(row["wrong"])
        store = after.slots[row["level"] - 1]
        store.kept[variable(ABOUT, row["slot"]), row["label"]] = (row["about"],)
        if row["content"] is not None:
            store.kept[variable(STATE, row["slot"]), row["label"]] = (row["content"],)
    return after


def rows_of(frame) -> list[tuple]:
    return sorted(frame.itertuples(index=False, name=None))


def goes_on_as(before, after, names) -> None:
    """Expect the same rows from both, by the new names, until the end."""
    came = dict.fromkeys(names, 0)
    for batch in range(BATCHES // 2, BATCHES):
        expected, found = fed(before, batch), fed(after, batch)
        for old, new in names.items():
            assert rows_of(found[new]) == rows_of(expected[old])
            came[old] += len(found[new])
    assert all(came.values())
    for old, new in names.items():
        # One group of an operator may have counted for several.
        assert after.counters.totals(new) == before.counters.totals(old)


SAME = {"summed": "summed", "minutes": "minutes"}


@pytest.mark.parametrize(("was", "is_now"), [("auto", "never"), ("never", "auto")])
def test_operators_may_be_chained_or_not(was, is_now) -> None:
    before = halfway(was)
    goes_on_as(before, changed(before, job(), chain=is_now), SAME)


@pytest.mark.parametrize("groups", [1, 3, 4, 5])
@pytest.mark.parametrize("chain", ["auto", "never"])
def test_operators_may_have_more_key_groups_or_fewer(groups, chain) -> None:
    before = halfway()
    goes_on_as(before, changed(before, job(groups), chain=chain), SAME)


def test_operators_and_sources_may_be_renamed() -> None:
    before = halfway()
    renamed = {"passed": "read", "summed": "totals", "minutes": "summed", "numbers": "figures"}
    after = changed(before, job(names=("read", "totals", "summed"), sources=("figures",)), renamed)
    goes_on_as(before, after, {"summed": "totals", "minutes": "summed"})


def test_an_operator_may_come_and_another_go() -> None:
    before = halfway()
    newcomer = operator("doubled", "summed", key_groups=5, process=summed)
    after = changed(before, job(more=[newcomer], less=["minutes"]))
    goes_on_as(before, after, {"summed": "summed"})
    assert {each.name for each in stored_operators(groups_of(after))} == {
        "passed",
        "summed",
        "doubled",
    }


def test_a_newcomer_knows_the_time_from_its_first_row_on() -> None:
    """What is late for the others is late for it, and all its key groups agree."""
    before = halfway()
    newcomer = operator(
        "again", "passed", key_groups=4, process=minutes, windowed=True, split="open"
    )
    after = changed(before, job(more=[newcomer]))
    (reached,) = stored_sources(groups_of(before))
    (known,) = {tuple(group.watermarks) for group in groups_of(after)}
    assert known == (reached.watermark_us,)


def test_totals_are_those_of_the_whole_checkpoint() -> None:
    before = halfway()
    for network in (job(4), job(1)):
        found = {each.name: each for each in stored_operators(groups_of(changed(before, network)))}
        for each in stored_operators(groups_of(before)):
            mine = found[each.name]
            counted = (each.rows_in, each.rows_out, each.late_rows)
            assert (mine.rows_in, mine.rows_out, mine.late_rows) == counted
    assert found["minutes"].late_rows > 0


def test_a_function_that_fails_is_told_with_the_operator_and_its_key_group() -> None:
    def wrong(states, mine):  # noqa: ARG001
        raise KeyError("airplane")

    made = job(4)
    operators = list(made.operators)
    operators[1] = operator("summed", "passed", key_groups=4, process=summed, split=wrong)
    failing = Network("job", made.sources, operators)
    with pytest.raises(
        InvalidInput, match=r"'summed', key group [0-3]: its split raised KeyError: 'airplane'"
    ):
        changed(halfway(), failing)


@pytest.fixture
def older(monkeypatch) -> Hand:
    """Return the job half way, as a release ran it that noted everything in the state."""
    with monkeypatch.context() as patch:
        patch.setattr(query, "Stage", older_stage())
        hand = halfway()
    assert not any(name.startswith(ABOUT) for store in hand.slots for name, _ in store.kept)
    return hand


def test_state_of_an_older_release_goes_on_where_it_was(older) -> None:
    older.restart()
    goes_on_as(halfway(), older, SAME)
    assert older.counters.totals("minutes").late_rows > 0


@pytest.mark.parametrize("groups", [2, 3])
@pytest.mark.parametrize("since", [0, 1])
def test_state_of_an_older_release_is_carried_over(older, groups, since) -> None:
    """Where the network went on for a while, what its states say of it is outdated."""
    before = halfway()
    older.restart()
    for _ in range(since):
        # Only the time moves in most key groups, so their states stay as they are.
        rows = numbers(BATCHES // 2)[:1]
        for hand in (before, older):
            hand.batch({"numbers": [rows]})
    goes_on_as(before, changed(older, job(groups)), SAME)
