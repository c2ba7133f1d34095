"""The demonstration: the paper's largest synthetic cluster, before and after."""

from collections.abc import Mapping
from pathlib import Path

from albic.cli import clusters, plans
from albic.cli.planning import Wishes, accepted, judged, planner_named
from albic.cli.screen import count_text, drawing, screen, tracked
from albic.model import Allocation, PlanRequest, metrics
from albic.model.files import blaming, save_text
from albic.sim.workload import synthetic

#: The paper's largest cluster, with half of its key groups in one-to-one traffic.
NODES, KEY_GROUPS, OPERATORS, VARIES_PCT, ONE_TO_ONE = 60, 1200, 30, 40.0, 0.5
#: The paper's largest budget, and a load distance that nobody would notice.
WISHES = Wishes(max_migrations=40, max_cost=None, max_load_distance_pct=1.0, time_limit_s=0.5)
#: The baseline of the paper, albic's choice for balance, and the one that also collocates.
FLUX, BALANCE, JOINT = "flux", "auto", "joint"


def run(seed: int, picture: Path | None) -> None:
    """Plan with three planners, print what each of them brings, and draw it if asked to."""
    snapshot = synthetic(NODES, KEY_GROUPS, OPERATORS, VARIES_PCT, ONE_TO_ONE, seed)
    request = WISHES.request(snapshot)
    asked = [planner_named(name) for name in (FLUX, BALANCE, JOINT)]
    answers = [judged(each, request) for each in tracked(asked, "planning with")]
    console = screen(record=picture is not None)
    console.print(f"A synthetic job as in the paper: {clusters.size_line(snapshot)}.")
    reached = {"now": snapshot.allocation}
    reached |= {answer.name: accepted(answer).target for answer in answers}
    console.print(clusters.nodes_table(console, snapshot, reached, every=False))
    console.print(plans.comparison_table(answers, request))
    console.print(conclusion(request, reached))
    if picture:
        with blaming(picture):
            save_text(picture, drawing(console, "albic demo"))


def conclusion(request: PlanRequest, reached: Mapping[str, Allocation]) -> str:
    """Return what the planners brought, as ratios of this very run."""
    snapshot = request.snapshot
    distance = {name: metrics.load_distance(snapshot, each) for name, each in reached.items()}
    local = {
        name: metrics.collocation_factor(snapshot.traffic, each) for name, each in reached.items()
    }
    moves = count_text(int(request.budget.limit), "move")
    return (
        f"With {moves} of {snapshot.topology.key_groups:,} key groups, {BALANCE} brings the nodes "
        f"{_times(distance['now'], distance[BALANCE])} closer to balance, "
        f"{_times(distance[FLUX], distance[BALANCE])} closer than {FLUX} does; {JOINT} gets "
        f"{_times(distance['now'], distance[JOINT])} closer and has "
        f"{_times(local[JOINT], local['now'])} the traffic inside nodes."
    )


def _times(larger: float, smaller: float) -> str:
    """Return how many times as large; a ratio to nothing has no number."""
    return f"{larger / smaller:.3g} times" if smaller > 0 else "endlessly"
