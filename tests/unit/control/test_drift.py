"""The loop follows a job that changes, within a few batches and few moves; noise leaves it calm."""

import numpy as np
import pytest

from albic.control import Settings
from albic.planners.search import SearchPlanner
from tests.unit.control.drifting_world import DriftingWorld
from tests.unit.control.fakes import World, controller

NODES, GROUPS, PHASE = 4, 16, 10
#: The first test compiles the search, if nobody did before.
pytestmark = pytest.mark.timeout(300)


def zipf(skew: float, phases: int, seed: int = 1) -> np.ndarray:
    """Return seconds of work of each key group, its ranks drawn anew for every phase."""
    work = (1.0 + np.arange(GROUPS)) ** -skew
    draw = np.random.default_rng(seed)
    return 8 * np.array([draw.permutation(work / work.sum()) for _ in range(phases)])


def steered(job: DriftingWorld, batches: int, settings: Settings | None = None) -> np.ndarray:
    """Run ``batches`` under the loop; return length, bound and loads of each."""
    loop = controller(
        World(), settings, statistics=job, placement=job, clock=job, planner=SearchPlanner()
    )
    for _ in range(batches):
        loop.look()
    return np.array(job.history)


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    """Compile the search outside of what a test waits for."""
    from albic.optimize.search import compiled  # noqa: PLC0415  only here

    compiled()


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_after_a_change_the_job_is_balanced_again_within_three_batches(seed: int) -> None:
    job = DriftingWorld(zipf(0.8, 4, seed), PHASE, NODES)
    history = steered(job, 4 * PHASE)
    for phase in range(1, 4):
        settled = history[phase * PHASE + 3 : (phase + 1) * PHASE]
        # Below the gain that calls for an early round, waiting for the period is right.
        assert settled[:, 0].mean() <= 1.12 * settled[:, 1].mean()
    plain = DriftingWorld(zipf(0.8, 4, seed), PHASE, NODES)
    for _ in range(4 * PHASE):
        plain.observe()
    after = slice(PHASE, None)
    assert history[after, 0].sum() < 0.85 * np.array(plain.history)[after, 0].sum()


def test_newcomers_get_their_share_without_waiting_for_the_period() -> None:
    half = [group % 2 for group in range(GROUPS)]
    job = DriftingWorld(zipf(0.3, 1), 1000, NODES, owner=half)
    history = steered(job, 5, Settings())
    assert history[-1, 0] <= 1.15 * history[-1, 1]


def test_a_job_that_is_only_noisy_is_left_alone() -> None:
    even = np.full((1, GROUPS), 0.5)
    history = steered(DriftingWorld(even, 1000, NODES, noise=0.1), 40)
    assert history[:, 2].sum() <= 4


def test_no_period_has_more_moves_than_it_may() -> None:
    job = DriftingWorld(zipf(0.8, 8), 2, NODES)
    moves = steered(job, 12, Settings(max_migrations=2))[:, 2]
    assert 2 <= moves.sum() <= 2 * (job.time_s // 20 + 1)
