"""Records become what a page shows, in a space that does not grow with them."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from albic.live import JournalFollower, JournalState
from albic.live.bounded_series import Thinned
from albic.live.redacting import HIDDEN, without_secrets
from albic.live.state import KEPT_ROUNDS
from albic.model.snapshot_file import snapshot_document
from tests.unit.control.fakes import World, controller
from tests.unit.live.journals import move, record, story, wide, written
from tests.worlds import world


def state_of(*records) -> JournalState:
    state = JournalState()
    for each in records:
        state.take_in(each)
    return state


def test_executors_are_bars_of_operators_with_mean_and_bound() -> None:
    asked = world(
        "a: 30 20 | b(x2): 10 | c(draining): 5 | d(+15):",
        operators=[2, 2],
        traffic=[(0, 2, 300.0), (1, 3, 100.0)],
        streams=[(0, 1)],
    )
    shown = state_of(record(1, snapshot=snapshot_document(asked.snapshot))).shown()
    executors = shown.executors
    assert executors is not None
    assert executors.operators == ("o0", "o1")
    assert [bar.id for bar in executors.bars] == ["a", "b", "c", "d"]
    assert executors.bars[0].parts_pct == (50.0, 0.0)
    assert executors.bars[1].parts_pct == (0.0, 5.0), "half of its work, for it is twice as strong"
    assert (executors.bars[3].load_pct, executors.bars[3].background_pct) == (15.0, 15.0)
    assert executors.bars[2].draining
    assert executors.mean_pct == pytest.approx((65 + 15) / 4)
    assert executors.bound_pct == executors.mean_pct, "the largest key group fits below it"
    edges = [(e.sender, e.receiver, e.bytes_per_s, e.local_share) for e in shown.traffic]
    assert edges == [("o0", "o1", 400.0, 0.0)]


def test_one_large_key_group_is_the_bound() -> None:
    executors = state_of(record(1, "a: 90 | b: 10")).shown().executors
    assert executors is not None
    assert (executors.mean_pct, executors.bound_pct) == (50.0, 90.0)


def test_a_run_is_told_with_what_came_of_each_plan() -> None:
    shown = state_of(*story()).shown()
    failed, lost, applied, waiting = shown.rounds
    assert (applied.measured, applied.promised, applied.came) == (25.0, 5.0, 6.0)
    assert lost.came is None
    assert waiting.status == "not ready"
    assert failed.error == f"OSError: s3a://{HIDDEN}@bucket/x is full"
    assert [mark.kind for mark in shown.marks] == ["plan", "loss", "plan"]
    assert shown.courses.distance_pct == (None, 25.0, 6.0, None)
    assert shown.courses.collocation[2] == 0.75
    assert shown.courses.load_index == (None, 1.0, 1.0, None)
    health = shown.health
    assert (health.not_ready, health.failed, health.compliance) == (1, 1, 15 / 16)
    assert (health.moves_total, health.batches_total) == (3, 8)
    assert "hunter2" not in str(shown)


def test_what_a_controller_wrote_by_hand_is_shown() -> None:
    steady = controller(World())
    state = state_of(steady.propose(), steady.pause(by="ada"))
    shown = state.shown()
    assert shown.plan is not None
    assert (shown.plan.status, len(shown.plan.moves)) == ("waiting", 1)
    assert shown.plan.proposal == steady.waiting.id
    assert shown.health.paused
    assert shown.rounds[0].by == "ada"
    assert shown.executors is not None, "a snapshot that never was in a file is drawn as well"
    state.take_in(steady.resume())
    assert not state.shown().health.paused


def test_another_controller_is_not_paused_because_the_last_one_was() -> None:
    steady = controller(World())
    state = state_of(replace(steady.pause(), number=9), record(1))
    assert not state.shown().health.paused


def test_a_damaged_snapshot_leaves_the_last_picture() -> None:
    state = state_of(record(1))
    before = state.shown().executors
    state.take_in(record(2, snapshot={"format": "albic-snapshot/1"}))
    assert state.shown().executors == before


def test_ten_thousand_rounds_take_no_more_room_than_a_few_thousand() -> None:
    state = JournalState()
    sizes = []
    for number in range(1, 10_001):
        state.take_in(record(number, None, moves=(move(),), mean_load_pct=30.0))
        if number in {3000, 10_000}:
            sizes.append(_size(state))
    shown = state.shown(rounds=KEPT_ROUNDS)
    assert shown.records == 10_000
    assert len(shown.courses.at_s) <= 1024
    assert shown.courses.at_s[-1] == 1_200_000.0
    assert len(shown.rounds) == KEPT_ROUNDS
    assert sizes[1] < 1.2 * sizes[0]


def _size(value, seen=None) -> int:
    """Return the bytes that a value and all it refers to take."""
    seen = set() if seen is None else seen
    if id(value) in seen or isinstance(value, type):
        return 0
    seen.add(id(value))
    inner = []
    if isinstance(value, dict):
        inner = [*value.keys(), *value.values()]
    elif isinstance(value, list | tuple | set) or type(value).__name__ == "deque":
        inner = list(value)
    else:
        slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
        inner = [getattr(value, name) for name in slots if hasattr(value, name)]
        inner += list(getattr(value, "__dict__", {}).values())
    return sys.getsizeof(value) + sum(_size(each, seen) for each in inner)


def test_a_thousand_key_groups_are_drawn_by_executor_and_operator(tmp_path: Path) -> None:
    path = written(tmp_path / "j.jsonl", record(1, snapshot=wide(1000, 40)))
    state = state_of(*JournalFollower(path).records())
    executors = state.shown().executors
    assert executors is not None
    assert (len(executors.bars), len(executors.operators), executors.key_groups) == (40, 2, 1000)
    assert sum(bar.key_groups for bar in executors.bars) == 1000


@given(
    values=st.lists(st.none() | st.floats(-1e6, 1e6), max_size=400),
    most=st.integers(2, 40),
)
def test_a_thinned_series_keeps_its_ends_its_mean_and_its_bounds(values, most) -> None:
    series = Thinned(("x",), most)
    for at, value in enumerate(values):
        series.add(float(at), {"x": value})
    times, means = series.times(), series.values("x")
    assert len(times) == len(means) <= most
    assert times == sorted(times)
    assert not values or times[-1] == len(values) - 1
    there = [value for value in values if value is not None]
    for mean in means:
        assert mean is None or min(there) - 1e-6 <= mean <= max(there) + 1e-6
    assert len(values) > most or means == values


@pytest.mark.parametrize(
    ("said", "kept", "gone"),
    [
        ("s3a://me:pw123@bucket/a", "bucket/a", "pw123"),
        ("fs.s3a.secret.key=abcdef failed", "failed", "abcdef"),
        ("password: 'two words' and more", "and more", "two words"),
        ("Authorization: Bearer abc.def.ghijkl", "Authorization", "abc.def"),
        ("cannot open /home/me/.aws/credentials today", "today", "/home/me"),
        ("cannot open /etc/tls/server.key", "cannot open", "/etc/tls"),
        ("jdbc:postgresql://h/db?user=u&password=p4ss&x=1", "x=1", "p4ss"),
        ("GET https://b.example/x?sig=ab%2Fcd&se=1 failed", "failed", "ab%2Fcd"),
        ("https://b/x?X-Amz-Signature=deadbeef is late", "late", "deadbeef"),
        ("fs.azure.account.key.me.example=c2VjcmV0== is wrong", "is wrong", "c2VjcmV0"),
        ("no: -----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY----- ok", "ok", "abc"),
        ("AKIAIOSFODNN7EXAMPLE may not", "may not", "AKIA"),
        ("cannot open /etc/me/service-account.json", "cannot open", "/etc/me"),
        ("cannot open /home/me/.ssh/id_rsa", "cannot open", "/home/me"),
    ],
)
def test_what_looks_like_a_secret_is_left_out(said: str, kept: str, gone: str) -> None:
    told = without_secrets(said)
    assert kept in told
    assert gone not in told


@pytest.mark.parametrize(
    "said",
    [
        "8 moves would win 2.0% of the makespan; below 5.0% nothing moves",
        "executors came or went while the plan was made",
        "query 1 / dedup 0: 12 of 16 key groups are measured",
    ],
)
def test_our_own_sentences_stay_as_they_are(said: str) -> None:
    assert without_secrets(said) == said


@given(st.text(max_size=300))
def test_any_text_can_be_looked_through(said: str) -> None:
    assert isinstance(without_secrets(said), str)
