"""The bench of scaling counts right; that albic follows a load, it has to show on a cluster."""

import pytest

from albic.control.batches import BatchRecord
from albic.control.journal import MoveRecord, RoundRecord, Status
from albic.control.node_presence import Stay
from albic.reports.swings import SwingRun, swing_charts, swing_page
from bench.scaling import parsed
from bench.swing_scene import COURSE, DYNAMIC, FIXED, MAX_MIGRATIONS
from bench.swing_summary import decisions, goals, judged, row, scaled_in

OURS = "albic, utilisation"
BATCHES, INTERVAL_S, WARM_UP = COURSE.batches, COURSE.interval_s, 3


def batch(number: int, batch_s: float = 1.0) -> BatchRecord:
    ended_s = INTERVAL_S * number + batch_s
    return BatchRecord(number, ended_s, batch_s, 0.5, (0.5,), ("1",), (False,))


def round_at(at_s: float, trigger: str = "period", moves: int = 0, **more) -> RoundRecord:
    move = MoveRecord("count", 0, "1", "2", 10)
    status = Status.APPLIED if moves else Status.HELD
    return RoundRecord(1, at_s, trigger, status, "", moves=(move,) * moves, **more)


def run_of(way: str, nodes: int, late: int = 0, rounds: tuple[RoundRecord, ...] = ()) -> SwingRun:
    took_s = [INTERVAL_S + 1 if WARM_UP <= at < WARM_UP + late else 1.0 for at in range(BATCHES)]
    records = tuple(batch(at, batch_s) for at, batch_s in enumerate(took_s))
    stays = tuple(Stay(str(at), -10.0) for at in range(nodes))
    rows = tuple(COURSE.job.rows(at) for at in range(BATCHES))
    worked_s = 1.0 if rounds else 0.0
    return SwingRun(way, INTERVAL_S, rows, records, stays, rounds, worked_s)


def test_decisions_are_counted_on_the_way_up_and_on_the_way_down() -> None:
    swing = COURSE.job.swing
    turn_s = INTERVAL_S * (swing.low + swing.rise + swing.high)
    rounds = (
        round_at(10.0, added=1),
        round_at(20.0),
        round_at(30.0, kept=1),
        round_at(turn_s + 5, drained=2),
    )
    assert decisions(run_of(OURS, 3, rounds=rounds)) == (2, 1)


def test_early_rounds_belong_to_their_period() -> None:
    rounds = (
        round_at(1.0, moves=3),
        round_at(2.0, "imbalance", moves=2),
        round_at(3.0, "arrival", moves=1),
        round_at(4.0, moves=4),
    )
    assert run_of(OURS, 3, rounds=rounds).most_moves == 6


def test_warm_up_does_not_count_and_late_is_over_the_interval() -> None:
    told = row(run_of(FIXED, 6, late=2))
    assert told["late batches"] == 2
    assert told["batches"] == BATCHES - WARM_UP
    assert told["mean nodes"] == pytest.approx(6)
    assert told["controller %"] is None


def test_goals_are_missed_where_dynamic_allocation_is_better() -> None:
    rounds = (round_at(10.0, added=1),)
    theirs, ours = run_of(DYNAMIC, 6, late=1), run_of(OURS, 3, late=2, rounds=rounds)
    found = judged((theirs, ours), 1.0)
    held = {goal.what.partition(": ")[2]: goal.holds for goal in found.goals}
    assert held["node-seconds, times dynamic allocation's"]
    assert not held["late batches"]
    assert held["failed tasks"]
    assert not goals({DYNAMIC: row(theirs)}), "without albic there is nothing to promise"


def test_the_picture_shows_load_nodes_and_batch_time() -> None:
    load, nodes, took = swing_charts((run_of(FIXED, 6), run_of(DYNAMIC, 4)))
    assert (load.title, nodes.title, took.title) == ("Load", "Nodes", "Batch time")
    assert max(load.series[0].y) == 2 * min(load.series[0].y)
    assert [set(each.y) for each in nodes.series] == [{6}, {4}]


def test_the_report_says_in_a_sentence_what_came_out() -> None:
    rounds = (round_at(10.0, nodes=3, added=1, scaling="mean load 95 % is above 40-90 %"),)
    page = swing_page(run_of(OURS, 3, late=2, rounds=rounds), MAX_MIGRATIONS, "a job").html()
    assert f"2 of {BATCHES - WARM_UP} batches took longer" in page
    assert "mean load 95 % is above" in page


def test_one_plan_for_draining_and_balancing_is_better_than_two() -> None:
    found = scaled_in()
    assert all(goal.holds for goal in found.goals)


def test_ways_are_known_and_others_are_not(capsys) -> None:
    assert parsed(["--way", DYNAMIC]).way == [DYNAMIC]
    with pytest.raises(SystemExit):
        parsed(["--way", "magic"])
    assert "magic" in capsys.readouterr().err
