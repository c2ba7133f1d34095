"""What the solver's process says, heard without the process."""

import io

import numpy as np
import pytest

from albic.optimize.highs import answer
from albic.optimize.solver import Limits, job_of
from albic.optimize.solver_messages import Message, Status, receive, send
from tests.unit.optimize.test_program import knapsack
from tests.unit.optimize.test_solver import hard

LIMITS = Limits(time_limit_s=20.0)


def heard(job: Message) -> list[Message]:
    """Return everything that is said about ``job``, in order."""
    said = io.BytesIO()
    answer(job, said)
    said.seek(0)
    return list(iter(lambda: receive(said), None))


def sent(**parts) -> Message:
    pipe = io.BytesIO()
    send(pipe, **parts)
    pipe.seek(0)
    message = receive(pipe)
    assert message is not None
    return message


def test_the_last_word_is_the_answer():
    last = heard(sent(**job_of(knapsack(), LIMITS, None)))[-1]
    assert last["status"] == Status.OPTIMAL
    assert last["x"].tolist() == [1, 1, 0]
    assert last["bound"] == 3


def test_better_solutions_and_bounds_are_told_on_the_way():
    *running, last = heard(sent(**job_of(hard(), Limits(time_limit_s=0.5), None)))
    assert {str(message["status"]) for message in running} == {Status.RUNNING}
    found = [hard().value(message["x"]) for message in running if message["x"].size]
    assert found == sorted(found, reverse=True)
    assert found[-1] == pytest.approx(hard().value(last["x"]))
    assert any(not message["x"].size for message in running), "no bound in between"


def test_a_start_is_the_first_solution_that_is_told():
    program = hard()
    nothing_taken = np.concatenate([np.zeros(65), program.row_low])
    messages = heard(sent(**job_of(program, Limits(time_limit_s=0.5), nothing_taken)))
    first = next(message["x"] for message in messages if message["x"].size)
    assert first.tolist() == nothing_taken.tolist()


def test_a_program_that_contradicts_itself_is_refused():
    job = sent(**(job_of(knapsack(), LIMITS, None) | {"column": np.array([7, 8, 9], np.int32)}))
    with pytest.raises(ValueError, match="HiGHS refuses the program"):
        heard(job)
