"""How fast the simulator is: a large cluster under the real loop, with a planner that does nothing.

``python -m bench.simulator [NODES KEY_GROUPS PERIODS]``
"""

import resource
import sys
import time

from albic.planners.hold import HoldPlanner
from albic.sim import COMPUTE_ONLY, Steering, World, drifting_scene, simulate, synthetic

NODES, KEY_GROUPS, PERIODS = 1_000, 100_000, 100
OPERATORS = 10
#: What the whole run may take, without the planner.
WANTED_S = 60.0


def main(nodes: int, key_groups: int, periods: int) -> float:
    """Print and return how many seconds ``periods`` periods take."""
    snapshot = synthetic(nodes, key_groups, OPERATORS, varies_pct=20, one_to_one=0.5, seed=1)
    scene = drifting_scene(snapshot, seed=1)
    began_s = time.perf_counter()
    run = simulate(scene, Steering(HoldPlanner()), periods, World(costs=COMPUTE_ONLY))
    took_s = time.perf_counter() - began_s
    each_ms = 1e3 * took_s / len(run.periods)
    print(
        f"{nodes:,} nodes, {key_groups:,} key groups, {snapshot.traffic.nnz:,} pairs with traffic:"
    )
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(f"{len(run.periods)} periods in {took_s:.1f} s, {each_ms:.0f} ms each, {peak_mb:.0f} MB")
    return took_s


if __name__ == "__main__":
    asked = [int(word) for word in sys.argv[1:]] or [NODES, KEY_GROUPS, PERIODS]
    sys.exit(main(*asked) > WANTED_S)
