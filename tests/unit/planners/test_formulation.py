"""The program says of every assignment what the problem says."""

import itertools

import numpy as np
import pytest

from albic.model import Objective
from albic.optimize.aim import Aim
from albic.planners.formulation import formulate, too_large
from albic.planners.problem import problem_of
from tests.worlds import request, world

WORLDS = {
    "plain": world("a: 5 3 2 | b: 1 | c:", 2),
    "draining": world("a: 5 3 | b: 1 | c(draining): 2 0", 2),
    "unequal": world("a(x4): 5 3 | b(x0.5, +3): 1 | c(x2): 2", 3),
    "costly": world("a: 5 3 2 | b: 1 | c:", 7, unit="cost", state_bytes=[5, 3, 4, 2]),
    "no budget left": world("a: 5 3 2 | b: 1 | c:", 0),
    "no budget but free groups": world("a: 5 3 | b: 1", 0, unit="cost", state_bytes=[5, 0, 0]),
    "limited": world(
        "a: 5 3 2 | b: 1 | c:", memory=[60, 50, 40, 30], network=[1, 2, 3, 4], limits_pct=[9, 90, 7]
    ),
    "stages": request(
        [5, 3, 2, 4, 1], [0, 0, 1, 0, 2], operators=[3, 2], draining=[2],
        objective=Objective.MAKESPAN,
    ),
    "bundles": world("a: 5 3 2 | b: 1 | c:", 3, together=[[0, 1]], pinned=[(3, 2)]),
}  # fmt: skip


def allowed(problem, owner) -> bool:
    """Return whether the problem's own rules allow an assignment."""
    away = owner != problem.home
    loads = problem.loads(owner)
    return bool(
        problem.spent(owner) <= problem.budget
        and not (away & (~problem.enterable[owner] | ~problem.movable)).any()
        and (loads[problem.goal_dims :] <= problem.limit[problem.goal_dims :]).all()
    )


@pytest.mark.parametrize("asked", WORLDS.values(), ids=WORLDS.keys())
@pytest.mark.parametrize("fewest_moves", [False, True])
def test_columns_and_assignments_say_the_same(asked, fewest_moves):
    problem = problem_of(asked)
    aim = Aim(problem, fewest_moves=fewest_moves)
    exact = formulate(aim)
    second = exact.second(held=np.inf)
    legal = 0
    for owners in itertools.product(range(problem.bins), repeat=problem.items):
        owner = np.array(owners)
        x = exact.columns(owner)
        assert exact.allows(owner) == allowed(problem, owner), owners
        if allowed(problem, owner):
            legal += 1
            assert exact.places.owner(x).tolist() == owner.tolist()
            assert exact.first.value(x) == pytest.approx(aim.first(owner))
            assert second.value(x) == pytest.approx(aim.second(owner))
    assert legal >= 1


def test_the_second_program_holds_what_the_first_reached():
    problem = problem_of(WORLDS["draining"])
    aim = Aim(problem)
    exact = formulate(aim)
    home = exact.columns(problem.home)
    assert exact.second(aim.first(problem.home)).allows(home)
    assert not exact.second(aim.first(problem.home) - 0.01).allows(home)


def test_a_known_bound_is_part_of_the_program():
    problem = problem_of(WORLDS["plain"])
    here = problem.value(problem.home)
    assert formulate(Aim(problem), lower_bound=here).allows(problem.home)
    assert not formulate(Aim(problem), lower_bound=here + 0.01).allows(problem.home)


def test_values_below_what_is_enough_count_as_enough():
    problem = problem_of(WORLDS["plain"])
    aim = Aim(problem, enough_pct=50.0, fewest_moves=True)
    assert aim.first(problem.home) == 50
    assert formulate(aim).first.value(formulate(aim).columns(problem.home)) == 50


def test_the_earliest_of_equals_is_the_best():
    problem = problem_of(world("a: 4 | b: 4 | c: | d:"))
    left, right = np.array([2, 1]), np.array([3, 1])
    assert Aim(problem).best([left, right]) is left
    assert Aim(problem).best([right, left]) is right
    assert Aim(problem).best([left, right, problem.home]) is problem.home


def test_size_is_judged_against_the_time():
    problem = problem_of(request([1.0] * 800, [0] * 800, 100))
    assert too_large(problem, 1.0) == ""
    assert "800 x 100 variables" in too_large(problem, 0.1)
    assert "no time is left" in too_large(problem, -0.1)
