"""Programs as arrays."""

import numpy as np
import pytest

from albic.optimize.program import Draft, Program


def knapsack() -> Program:
    """Take things worth 5, 4 and 3 that weigh 2, 3 and 1, but not more than 5."""
    draft = Draft()
    taken = draft.columns(3, cost=[-5, -4, -3], high=1, integer=True)
    weight = draft.rows(1, high=5)
    draft.put(weight, taken, [2, 3, 1])
    return draft.program(offset=12)


def test_blocks_of_rows_and_columns_are_numbered_one_after_the_other():
    draft = Draft()
    assert draft.columns(2).tolist() == [0, 1]
    assert draft.columns(3).tolist() == [2, 3, 4]
    assert draft.rows(1).tolist() == [0]
    assert draft.rows(2).tolist() == [1, 2]


def test_terms_at_the_same_place_are_summed_and_zeros_are_dropped():
    draft = Draft()
    x, rows = draft.columns(2), draft.rows(2)
    draft.put(rows[:, None], x[None, :], 2.0)
    draft.put(rows[0], x, [3.0, -2.0])
    program = draft.program()
    assert program.rows.toarray().tolist() == [[5, 0], [2, 2]]
    assert program.rows.nnz == 3


def test_a_program_tells_what_an_answer_is_worth_and_whether_it_is_allowed():
    program = knapsack()
    assert program.value(np.array([1.0, 1.0, 0.0])) == 3
    assert program.allows(np.array([1.0, 1.0, 0.0]))
    assert not program.allows(np.array([1.0, 1.0, 1.0])), "too heavy"
    assert not program.allows(np.array([0.5, 0.0, 0.0])), "half a thing"
    assert not program.allows(np.array([2.0, 0.0, 0.0])), "twice the same"
    assert not program.allows(np.array([-1.0, 0.0, 0.0])), "less than none"


def test_a_row_has_two_sides():
    draft = Draft()
    draft.put(draft.rows(1, low=1, high=2), draft.columns(1), 1.0)
    program = draft.program()
    assert [program.allows(np.array([x])) for x in (0.5, 1.0, 2.0, 2.5)] == [0, 1, 1, 0]


def test_arrays_that_do_not_fit_are_refused():
    program = knapsack()
    with pytest.raises(ValueError, match="row_high has shape"):
        Program(
            program.cost,
            program.rows,
            program.row_low,
            np.zeros(2),
            program.col_low,
            program.col_high,
            program.integer,
        )
