"""The cost of moves follows what moves took, and one that waited for something else is no rule."""

import numpy as np
import pytest

from albic.control.move_costs import ASSUMED, BESIDE, MeasuredMove, MoveCost, fitted, late_s

MB = 1_000_000


def moves(*seen: tuple[int, float]) -> list[MeasuredMove]:
    """Return moves of so many bytes that were so late."""
    return [MeasuredMove("count", at, "1", "2", *each) for at, each in enumerate(seen)]


def test_without_evidence_the_assumption_stays() -> None:
    assert fitted([]) == ASSUMED


def test_the_cheapest_of_few_moves_says_what_one_costs_at_least() -> None:
    cost = fitted(moves((MB, 9.0), (2 * MB, 3.0)))
    assert (cost.per_byte_s, cost.moves) == (ASSUMED.per_byte_s, 2)
    assert cost.per_move_s == pytest.approx(3.0 - 2 * MB * ASSUMED.per_byte_s)
    assert fitted(moves((MB, -1.0))).per_move_s == 0


def test_a_line_is_found_again() -> None:
    sizes = [MB, 4 * MB, 10 * MB, 20 * MB, 50 * MB]
    cost = fitted(moves(*((size, 0.2 + 3e-8 * size) for size in sizes)))
    assert cost.per_byte_s == pytest.approx(3e-8)
    assert cost.per_move_s == pytest.approx(0.2)
    assert cost.moves == 5


def test_a_few_late_ones_do_not_bend_it() -> None:
    rng = np.random.default_rng(3)
    seen = [(size * MB, 0.1 + 2e-8 * size * MB + rng.normal(0, 0.01)) for size in range(1, 31)]
    for unlucky in (2, 11, 17, 25, 29):
        seen[unlucky] = (seen[unlucky][0], 12.0)
    cost = fitted(moves(*seen))
    assert cost.per_byte_s == pytest.approx(2e-8, rel=0.25)
    assert cost.per_move_s == pytest.approx(0.1, abs=0.05)


def test_states_of_one_size_tell_nothing_about_a_byte() -> None:
    assumed = MoveCost(per_byte_s=1e-8)
    cost = fitted(moves(*[(10 * MB, 0.5)] * 6), assumed)
    assert cost.per_byte_s == assumed.per_byte_s
    assert cost.per_move_s == pytest.approx(0.4)


def test_a_cost_is_never_below_nothing() -> None:
    cost = fitted(moves(*((size * MB, -1e-9 * size * MB) for size in range(1, 12))))
    assert (cost.per_byte_s, cost.per_move_s) == (0.0, 0.0)


def test_late_is_more_than_the_usual_and_unknown_without_a_past() -> None:
    assert late_s(0.9, [0.1, 0.2, 5.0]) == pytest.approx(0.7)
    assert late_s(0.9, []) is None


def test_prepared_moves_tell_the_price_as_soon_as_there_are_any() -> None:
    cold = [MeasuredMove("count", at, "a", "b", 20_000_000, 3.0) for at in range(8)]
    assert fitted(cold).per_move_s > 2.5
    warm = MeasuredMove("count", 9, "a", "b", 20_000_000, 0.0, prepared_s=4.0)
    assert warm.paid_s == pytest.approx(BESIDE * 4.0)
    assert fitted([*cold, warm]).per_move_s == pytest.approx(BESIDE * 4.0 - 0.2)
