"""A batch is read where something can have changed, and now and then where nothing has."""

from itertools import pairwise

import pytest

from albic.control.batch_sampling import AFTER_MOVES, LEARNING, MOST_UNREAD, Attention
from albic.control.polling import LONGEST_PAUSE_S, SURE, look_in_s, pause_s, sure_until_s


def settled(batches: int = 200) -> Attention:
    attention = Attention()
    for _ in range(batches):
        attention.wants(3.0)
    return attention


def test_the_first_batches_are_read_and_then_ever_fewer() -> None:
    attention = Attention()
    read = [at for at in range(200) if attention.wants(3.0)]
    assert read[:LEARNING] == list(range(LEARNING))
    gaps = [later - earlier - 1 for earlier, later in pairwise(read)]
    assert gaps[LEARNING - 1 : LEARNING + 4] == [1, 2, 4, 8, MOST_UNREAD]
    assert set(gaps[LEARNING + 4 :]) == {MOST_UNREAD}


@pytest.mark.parametrize("batch_s", [3.3, 2.7])
def test_a_batch_that_takes_longer_or_shorter_is_read_at_once_and_those_after_it(batch_s) -> None:
    attention = settled()
    assert [attention.wants(batch_s) for _ in range(LEARNING + 1)] == [True] * LEARNING + [False]


def test_one_odd_batch_is_read_and_what_was_usual_stays() -> None:
    attention = settled()
    assert attention.wants(3.6)
    assert not attention.wants(3.0)
    assert attention.wants(3.6)


def test_noise_is_no_change() -> None:
    attention = settled()
    took_s = [3.0, 3.1, 2.9, 3.05, 3.15, 2.95] * 20
    assert sum(attention.wants(each) for each in took_s) < len(took_s) / 10


def test_batches_after_a_move_are_read_whatever_they_take() -> None:
    attention = settled()
    attention.rouse()
    assert all(attention.wants(3.0) for _ in range(AFTER_MOVES))
    assert not attention.wants(3.0)


def test_a_batch_whose_time_is_not_known_is_read() -> None:
    assert settled().wants(None)


def test_batches_of_no_length_are_alike() -> None:
    attention = Attention()
    assert [attention.wants(0.0) for _ in range(LEARNING + 1)] == [True] * LEARNING + [False]


def test_a_batch_begins_with_the_end_of_the_one_before_it_or_at_the_next_trigger() -> None:
    assert sure_until_s(103.0, 100.0, 3.0, 0.0) == 103.0 + SURE * 3.0
    assert sure_until_s(103.0, 100.0, 3.0, 10.0) == 110.0 + SURE * 3.0
    assert sure_until_s(113.0, 100.0, 3.0, 10.0) == 113.0 + SURE * 3.0


def test_looks_wait_for_a_batch_and_become_rare_when_it_is_overdue() -> None:
    assert look_in_s(100.0, 102.0) == 2.0
    assert look_in_s(102.0, 102.0) == 0.0
    assert look_in_s(104.0, 102.0) == pytest.approx(0.1)


def test_looks_are_as_many_as_they_are_worth() -> None:
    assert pause_s(0.0, 0.0005) == 0.06
    assert pause_s(2.0, 0.0005) == 0.3
    assert pause_s(0.2, 0.0005) == 0.2
    assert pause_s(0.0, 0.002) == 0.2, "a slow look may take a hundredth of the time"
    assert pause_s(2.0, 0.0012) == pytest.approx(0.4)
    assert pause_s(60.0, 0.1) == LONGEST_PAUSE_S
