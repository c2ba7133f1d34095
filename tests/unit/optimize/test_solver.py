"""The solver's process: it answers, it stops in time, and nothing of it is left behind."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from albic.optimize.program import Draft, Program
from albic.optimize.solver import Limits, Solution, Solver
from albic.optimize.solver_messages import Status
from tests.unit.optimize.test_program import knapsack

SOON = Limits(time_limit_s=20.0)


def hard(things: int = 60) -> Program:
    """Return a program that HiGHS finds solutions of at once and does not finish (market split)."""
    rng = np.random.default_rng(1)
    draft, rows = Draft(), 5
    weights = rng.integers(0, 100, (rows, things))
    half = weights.sum(axis=1) // 2
    taken = draft.columns(things, high=1, integer=True)
    over, under = draft.columns(rows, cost=1.0), draft.columns(rows, cost=1.0)
    exact = draft.rows(rows, low=half, high=half)
    draft.put(exact[:, None], taken[None, :], weights)
    draft.put(exact, over, -1.0)
    draft.put(exact, under, 1.0)
    return draft.program()


def solve(program: Program, limits: Limits) -> Solution:
    """Return the solution of one program, in a process of its own."""
    with Solver() as solver:
        return solver.solve(program, limits)


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_a_knapsack_is_filled_best():
    solution = solve(knapsack(), SOON)
    assert solution.status is Status.OPTIMAL
    assert solution.x is not None
    assert solution.x.tolist() == [1, 1, 0]
    assert solution.objective == solution.bound == 3


def test_one_process_solves_several_programs():
    with Solver() as solver:
        assert [solver.solve(knapsack(), SOON).objective for _ in range(3)] == [3, 3, 3]


def test_programs_without_whole_numbers_have_a_bound_too():
    draft = Draft()
    x = draft.columns(1, cost=2.0)
    draft.put(draft.rows(1, low=1.5), x, 1.0)
    solution = solve(draft.program(), SOON)
    assert (solution.status, solution.objective, solution.bound) == (Status.OPTIMAL, 3, 3)


def test_an_optimum_is_exact_however_large_the_objective():
    rng = np.random.default_rng(1)
    draft = Draft()
    taken = draft.columns(40, cost=-rng.uniform(1e5, 2e5, 40), high=1, integer=True)
    draft.put(draft.rows(4, high=300)[:, None], taken, rng.uniform(10, 30, (4, 40)))
    solution = solve(draft.program(), SOON)
    assert solution.status is Status.OPTIMAL
    assert solution.objective - solution.bound <= 1e-3


@pytest.mark.parametrize(
    ("least", "cost", "status"),
    [(2.0, 1.0, Status.INFEASIBLE), (0.0, -1.0, Status.UNBOUNDED)],
)
def test_programs_without_an_answer_are_told_apart(least, cost, status):
    draft = Draft()
    whole = draft.columns(1, high=1.0, integer=True)
    free = draft.columns(1, cost=cost)
    draft.put(draft.rows(1, low=least), whole, 1.0)
    draft.put(draft.rows(1, low=0.0), free, 1.0)
    solution = solve(draft.program(), SOON)
    assert solution.status is status
    assert solution.x is None


@pytest.fixture
def ready() -> Iterator[Solver]:
    """Return a solver that has got ready, so that what is timed is solving alone."""
    with Solver() as running:
        running.solve(knapsack(), SOON)
        yield running


def test_a_start_is_an_answer_from_the_beginning(ready):
    program = hard()
    nothing_taken = np.concatenate([np.zeros(65), program.row_low])
    limits = Limits(time_limit_s=0.1, patience_s=1.0)
    solution = ready.solve(program, limits, start=nothing_taken)
    assert solution.objective <= program.value(nothing_taken)


def test_a_solve_that_runs_out_of_time_answers_with_the_best_until_then(ready):
    program = hard()
    solution = ready.solve(program, Limits(time_limit_s=0.5, patience_s=10.0))
    assert solution.status is Status.TIME_LIMIT
    assert solution.detail == ""
    assert solution.x is not None
    assert program.allows(solution.x)
    assert 0 <= solution.bound < solution.objective


def test_a_solver_that_does_not_stop_is_killed_and_its_incumbents_count(ready):
    # HiGHS is told to take its time, and we do not wait for it.
    began = time.monotonic()
    solution = ready.solve(hard(), Limits(time_limit_s=60.0, patience_s=1.0))
    assert time.monotonic() - began < 2.0
    assert solution.status is Status.TIME_LIMIT
    assert solution.x is not None
    assert ready.pid is not None
    assert gone(ready.pid)
    afterwards = ready.solve(knapsack(), SOON)
    assert afterwards.status is Status.FAILED
    assert "stopped at its time limit" in afterwards.detail


def test_a_child_that_dies_is_a_failure_with_its_cause():
    with Solver() as solver:
        pid = solver.pid
        assert pid is not None
        threading.Timer(0.4, os.kill, (pid, signal.SIGKILL)).start()
        solution = solver.solve(hard(), SOON)
    assert solution.status is Status.FAILED
    assert "ended with code -9" in solution.detail


@pytest.mark.parametrize(
    ("command", "cause"),
    [
        (("/no/such/python",), "cannot be started"),
        ((sys.executable, "-c", "raise SystemExit('no licence')"), "no licence"),
        ((sys.executable, "-c", "print('hello, hello, hello')"), "without a word"),
    ],
    ids=["cannot start", "gives up", "talks nonsense"],
)
def test_a_solver_that_does_not_work_is_a_failure_with_its_cause(command, cause):
    with Solver(command) as solver:
        solution = solver.solve(knapsack(), SOON)
    assert solution.status is Status.FAILED
    assert cause in solution.detail


def test_no_process_is_left_behind():
    with Solver() as idle:
        pass
    with Solver() as killed:
        killed.solve(hard(), Limits(time_limit_s=60.0, patience_s=0.1))
    with pytest.raises(KeyboardInterrupt), Solver() as interrupted:
        raise KeyboardInterrupt
    for solver in (idle, killed, interrupted):
        assert solver.pid is not None
        assert gone(solver.pid)


@pytest.mark.parametrize(
    "work", ["solver.solve(hard(), Limits(time_limit_s=60.0))", "time.sleep(60)"]
)
@pytest.mark.slow
def test_the_child_follows_a_parent_that_is_killed(work):
    program = (
        "import time\n"
        "from albic.optimize.solver import Limits, Solver\n"
        "from tests.unit.optimize.test_solver import hard\n"
        "with Solver() as solver:\n"
        "    print(solver.pid, flush=True)\n"
        f"    {work}\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    with parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        time.sleep(0.5)
        parent.kill()
    deadline = time.monotonic() + 5.0
    while not gone(child):
        assert time.monotonic() < deadline, "the solver outlives its parent"
        time.sleep(0.05)


def test_a_script_without_a_main_guard_is_not_run_again(tmp_path: Path):
    script = tmp_path / "script.py"
    script.write_text(
        "print('running')\n"
        "from albic.optimize.solver import Limits, Solver\n"
        "from tests.unit.optimize.test_program import knapsack\n"
        "with Solver() as solver:\n"
        "    print(solver.solve(knapsack(), Limits(20.0)).status)\n"
    )
    said = subprocess.run(
        [sys.executable, str(script)],
        env=os.environ | {"PYTHONPATH": str(Path.cwd())},
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.split() == ["running", "optimal"]


def test_what_a_library_prints_does_not_get_between_the_answers():
    noisy = (
        "from albic.optimize import highs\n"
        "quiet = highs.answer\n"
        "highs.answer = lambda job, pipe: (print('noise', flush=True), quiet(job, pipe))\n"
        "highs.main()\n"
    )
    with Solver((sys.executable, "-c", noisy)) as solver:
        assert solver.solve(knapsack(), SOON).status is Status.OPTIMAL


def test_the_child_is_not_misled_by_files_that_lie_around(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("numpy", "queue", "highspy", "albic"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('the wrong file')")
    assert solve(knapsack(), SOON).status is Status.OPTIMAL


def test_the_child_loads_no_more_than_it_needs():
    loaded = "import sys, albic.optimize.highs; print({'scipy', 'numba'} & set(sys.modules))"
    said = subprocess.run(
        [sys.executable, "-c", loaded], capture_output=True, text=True, check=True
    )
    assert said.stdout.strip() == "set()"
