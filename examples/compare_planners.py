"""Ask three planners the same question from Python; run it with a snapshot file."""

import sys
from pathlib import Path

from albic.model import Budget, PlanRequest, metrics, violations
from albic.model.snapshot_file import read_snapshot
from albic.planners import PLANNERS

snapshot = read_snapshot(Path(sys.argv[1]))
request = PlanRequest(snapshot, Budget(limit=4), time_limit_s=0.1, seed=1)
for name in ("flux", "search", "joint"):
    plan = PLANNERS[name]().plan(request)
    faults = violations(plan, request)
    distance = metrics.load_distance(snapshot, plan.target)
    print(f"{name}: load distance {distance:.3f}, {len(plan.moves)} moves, {len(faults)} faults")
