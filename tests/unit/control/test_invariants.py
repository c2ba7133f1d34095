"""Every rule trips: then nothing is moved any more, measuring goes on, and it is said once."""

import logging
import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from albic.control import Pace, Settings
from albic.control.invariants import (
    BUDGET,
    FRESH,
    GENERATION,
    ONE_OWNER,
    ONE_PLAN,
    READY,
    Ground,
    Invariants,
    overtaken,
)
from albic.control.journal import Status
from albic.control.ports import News
from albic.model import (
    Allocation,
    InvalidInput,
    Outcome,
    Period,
    ScalingDecision,
    SearchReport,
    plan_for,
)
from tests.unit.control.fakes import World, controller
from tests.worlds import world

EVERY_BATCH = Settings(pace=Pace(batches=1), least_gain=0.0)


@dataclass
class Lying(World):
    """A job whose books say something else than what was measured, from some moment on."""

    wrong: Any = None
    lies_after_plans: int = 0

    def ground(self) -> Ground:
        told = super().ground()
        lies = self.wrong is not None and len(self.plans) >= self.lies_after_plans
        return replace(told, **self.wrong(told)) if lies else told


def elsewhere(told: Ground) -> dict[str, Any]:
    return {"owners": ("b", *told.owners[1:])}


BEFORE = {
    FRESH: elsewhere,
    READY: lambda told: {"usable": told.usable - {"b"}},
    ONE_PLAN: lambda _: {"prepared": 2},
}
AFTER = {
    GENERATION: lambda told: {"generation": told.generation + 1},
    ONE_PLAN: lambda _: {"under_way": {0: "elsewhere"}},
}


@pytest.mark.parametrize("rule", BEFORE)
def test_a_broken_rule_keeps_a_plan_from_being_carried_out(rule: str, caplog) -> None:
    job = Lying(news=[News(batches=1)] * 3, wrong=BEFORE[rule])
    steady = controller(job, EVERY_BATCH)
    with caplog.at_level(logging.ERROR):
        for _ in range(3):
            steady.look()
    first, *later = steady.journal.records()
    assert first.status is Status.FAILED
    assert first.error is not None
    assert first.error.startswith(rule)
    assert job.plans == []
    assert job.closed == 1, "the job is left as it would be without us"
    assert len(caplog.records) == 1, "it is said once"
    assert rule in caplog.text
    assert [record.status for record in later] == [Status.PROPOSED] * 2, "measuring goes on"
    assert all(record.snapshot for record in later)
    assert steady.status().stopped == first.error
    assert rule in steady._repr_html_()


@pytest.mark.parametrize("rule", AFTER)
def test_a_plan_that_was_carried_out_wrongly_is_the_last(rule: str) -> None:
    job = Lying(news=[News(batches=1)] * 2, wrong=AFTER[rule], lies_after_plans=1)
    steady = controller(job, EVERY_BATCH)
    steady.look()
    (record,) = steady.journal.records()
    assert (record.status, len(job.plans)) == (Status.FAILED, 1)
    assert record.error is not None
    assert record.error.startswith(rule)


def test_an_owner_that_nobody_moved_is_noticed_after_a_batch() -> None:
    job = Lying(news=[News(batches=1)] * 4)
    steady = controller(job, replace(EVERY_BATCH, pace=Pace(seconds=600.0)))
    steady.look()
    job.wrong = elsewhere
    steady.look()
    steady.look()
    (told,) = steady.journal.records()
    assert (told.trigger, told.status) == ("check", Status.FAILED)
    assert told.error == f"{ONE_OWNER}: key group 0 went from a to b, by no plan"


def test_who_stopped_already_does_not_stop_again() -> None:
    job = Lying(news=[News(batches=1)] * 2, wrong=BEFORE[READY])
    steady = controller(job, EVERY_BATCH)
    steady.look()
    first = steady.status().stopped
    job.wrong = elsewhere
    assert not steady._rounds.acting.broken_meanwhile()
    assert (steady.status().stopped, job.closed) == (first, 1)


def test_a_generation_that_runs_backwards_is_noticed_after_a_batch() -> None:
    job = Lying(news=[News(batches=1)] * 2)
    steady = controller(job, replace(EVERY_BATCH, pace=Pace(seconds=600.0)))
    steady.look()
    job.wrong = lambda told: {"generation": told.generation - 1}
    steady.look()
    assert str(steady.status().stopped).startswith(GENERATION)


def moved(asked, owner: list[int]):
    """Return a plan that leads to these owners, and how things stand before it."""
    plan = plan_for(asked, Allocation(np.array(owner)), SearchReport("t", Outcome.HEURISTIC, "so"))
    nodes = asked.snapshot.cluster.nodes
    owners = tuple(nodes[at].id for at in asked.snapshot.allocation.owner.tolist())
    return plan, Ground(asked.snapshot.generation, owners, frozenset(node.id for node in nodes))


def rules_of(found) -> list[str]:
    return [violation.rule for violation in found]


def test_the_moves_of_a_period_are_counted_over_all_of_its_plans() -> None:
    rules, asked = Invariants(), world("a: 30 20 10 5 | b:")
    plan, ground = moved(asked, [0, 1, 1, 0])
    assert rules.before(plan, asked, ground, 2) == []
    rules.after(plan, asked, ground)
    assert rules_of(rules.before(plan, asked, ground, 3)) == [BUDGET]
    assert rules.before(plan, asked, ground, None) == [], "a person agreed to it"
    rescue = replace(ground, usable=frozenset("b"))
    assert rules.before(plan, asked, rescue, 3) == [], "what lies on a lost node has to go"
    rules.new_period()
    assert rules.before(plan, asked, ground, 2) == []


def test_a_plan_over_the_budget_it_was_given_is_not_carried_out() -> None:
    generous = world("a: 30 20 10 5 | b:")
    plan, ground = moved(generous, [0, 1, 1, 0])
    asked = world("a: 30 20 10 5 | b:", budget=1)
    assert rules_of(Invariants().before(plan, asked, ground, 8)) == ["over-budget"]


def test_an_owner_that_is_no_node_is_not_carried_out() -> None:
    asked = world("a: 30 20 | b: 5")
    plan, ground = moved(asked, [0, 1, 1])
    broken = replace(plan, target=Allocation(np.array([0, 7, 1])))
    assert ONE_OWNER in rules_of(Invariants().before(broken, asked, ground, 8))


def test_measurements_older_than_those_of_the_last_plan_are_stale() -> None:
    rules, asked = Invariants(), world("a: 30 20 10 | b:")
    now = replace(asked.snapshot, period=Period(100.0, 120.0))
    plan, ground = moved(replace(asked, snapshot=now), [0, 1, 0])
    rules.after(plan, replace(asked, snapshot=now), ground)
    assert rules_of(rules.before(plan, asked, ground, 8)) == [FRESH]
    just_before = replace(asked.snapshot, period=Period(80.0, 100.0))
    assert rules.before(plan, replace(asked, snapshot=just_before), ground, 8) == []


def test_key_groups_that_came_or_went_are_noticed_before_a_plan_and_after_a_batch() -> None:
    asked = world("a: 30 20 10 | b:")
    _, ground = moved(asked, [0, 1, 0])
    fewer = replace(ground, owners=ground.owners[:-1])
    assert overtaken(asked.snapshot, fewer) == "3 key groups were measured, there are 2"
    rules = Invariants()
    rules.between(ground)
    assert [str(each) for each in rules.between(fewer)] == [f"{ONE_OWNER}: 3 key groups became 2"]


def test_one_finding_of_a_kind_is_enough() -> None:
    rules, asked = Invariants(), world("a: 30 20 10 | b:")
    _, ground = moved(asked, [0, 1, 0])
    rules.between(ground)
    everywhere = replace(ground, owners=("b", "b", "b"), under_way={0: "b", 1: "b"})
    assert rules_of(rules.between(everywhere)) == [ONE_PLAN, ONE_OWNER]


def test_a_cluster_that_changed_meanwhile_breaks_no_rule() -> None:
    asked = world("a: 30 20 10 | b:")
    plan, ground = moved(asked, [0, 1, 0])
    later = replace(ground, generation=1, usable=frozenset("a"))
    assert Invariants().before(plan, asked, later, 8) == []


def test_owners_may_be_others_after_a_loss_and_where_the_plan_says_so() -> None:
    rules, asked = Invariants(), world("a: 30 20 10 | b:")
    plan, ground = moved(asked, [0, 1, 0])
    assert rules.after(plan, asked, replace(ground, under_way={1: "b"})) == []
    assert rules.between(replace(ground, owners=("a", "b", "a"))) == []
    lost = replace(ground, generation=1, owners=("a", "b", "a"), usable=frozenset("b"))
    assert rules.between(lost) == []
    assert rules.between(replace(lost, owners=("b", "b", "b"))) == []
    joined = replace(ground, generation=2, owners=("a", "b", "a"))
    assert rules.between(joined) == [], "with nodes, owners may change for any reason"


def test_a_plan_that_key_groups_overtook_is_held_when_it_is_accepted() -> None:
    job = Lying()
    steady = controller(job, replace(EVERY_BATCH, approve=True))
    asked = steady.run_round("period")
    job.wrong = elsewhere
    done = steady.accept(asked.proposal)
    assert (done.status, done.reason) == (
        Status.HELD,
        "key group 0 was measured on a and is on b",
    )
    assert steady.status().stopped is None


def test_who_stopped_acting_neither_asks_nor_scales_nor_obeys() -> None:
    class Grows:
        def decide(self, request):  # noqa: ARG002  a policy's
            return ScalingDecision("more", add=1)

    job = Lying(news=[News(batches=1)] * 2, wrong=BEFORE[READY])
    steady = controller(job, EVERY_BATCH)
    steady.look()
    asks = controller(job, replace(EVERY_BATCH, approve=True), scaling=Grows())
    asks._rounds.acting.stopped = "one-owner-each: as a test says"
    record = asks.run_round("period")
    assert (record.status, record.proposal, job.grown) == (Status.PROPOSED, None, [])
    steady._rounds.waiting = object()
    with pytest.raises(InvalidInput, match="for a rule is broken: live-and-warm"):
        steady._hand.accept(None, "ada")


def test_a_thousand_key_groups_are_checked_in_a_moment() -> None:
    asked = world("a: " + "1 " * 1000 + "| b:")
    rules = Invariants()
    _, ground = moved(asked, [0] * 1000)
    # Equal and not the same, as from two looks.
    looks = [replace(ground, owners=(*ground.owners,)) for _ in range(100)]
    began_s = time.perf_counter()
    for look in looks:
        rules.between(look)
    # A batch of 200 ms gives the controller 2 ms; a busy machine may take ten times as long.
    assert (time.perf_counter() - began_s) / 100 < 0.002
