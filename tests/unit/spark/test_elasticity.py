"""Executors are asked for, waited for and let go, whatever the cluster manager makes of it."""

from dataclasses import dataclass, field

import pytest

from albic.control.ports import Fleet
from albic.model import InvalidInput

elasticity = pytest.importorskip(
    "albic.spark.elasticity", reason="the extra albic[spark] is missing"
)


@dataclass
class Office:
    """A cluster manager on paper: it writes down what it is asked, and obeys when told to."""

    there: set[str] = field(default_factory=lambda: {"0", "1"})
    jobs: set[int] = field(default_factory=set)
    asked: list[int] = field(default_factory=list)
    retired: list[str] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    needed: set[str] = field(default_factory=set)
    cold: set[str] = field(default_factory=set)
    willing: bool = True

    def holding(self):
        return frozenset(self.needed)

    def usable(self):
        return frozenset(self.there - self.cold)

    def executor_ids(self):
        return frozenset(self.there)

    def active_jobs(self):
        return frozenset(self.jobs)

    def retire(self, executor_id):
        self.retired.append(executor_id)
        return True

    def request(self, total):
        self.asked.append(total)
        return self.willing

    def end(self, executor_id):
        self.ended.append(executor_id)
        if self.willing:
            self.there.discard(executor_id)
        return self.willing


class Time:
    def __init__(self):
        self.now_s = 0.0

    def __call__(self):
        return self.now_s


def asked_of(office, patience_s=60.0):
    time = Time()
    return elasticity.AskedExecutors(office, office, office, patience_s, time), time


def test_what_was_asked_for_is_coming_until_it_is_there():
    office = Office()
    asked, _ = asked_of(office)
    asked.grow(2)
    assert office.asked == [4]
    assert asked.fleet() == Fleet(coming=2)
    office.there.add("2")
    assert asked.fleet() == Fleet(coming=1)
    office.there.add("3")
    assert asked.fleet() == Fleet()


def test_a_second_wish_counts_what_is_still_to_come():
    office = Office()
    asked, _ = asked_of(office)
    asked.grow(2)
    asked.grow(1)
    assert office.asked == [4, 5]


def test_fewer_than_asked_for_are_taken_as_they_are_and_it_is_told_once():
    office = Office()
    asked, time = asked_of(office)
    asked.grow(2)
    office.there.add("2")
    time.now_s = 61.0
    fleet = asked.fleet()
    assert fleet.coming == 0
    assert fleet.notes == (
        "1 executors did not come within 60 s; the wish was taken back, 3 are there",
    )
    assert office.asked == [4, 3]
    assert asked.fleet() == Fleet()


def test_one_that_dies_at_once_is_still_missing_and_then_taken_back():
    office = Office()
    asked, time = asked_of(office)
    asked.grow(1)
    office.there.add("2")
    office.there.discard("2")
    assert asked.fleet() == Fleet(coming=1)
    time.now_s = 61.0
    assert len(asked.fleet().notes) == 1


def test_a_wish_that_is_not_heard_is_told():
    office = Office(willing=False)
    asked, _ = asked_of(office)
    asked.grow(2)
    fleet = asked.fleet()
    assert fleet.coming == 0
    assert "did not take the wish" in fleet.notes[0]


def test_an_executor_gets_no_more_tasks_before_it_is_ended():
    office = Office(jobs={7})
    asked, time = asked_of(office)
    assert asked.release(["1"]) == ("1",)
    time.now_s = 2.0
    asked.fleet()
    assert (office.retired, office.ended) == (["1"], []), "job 7 may still fetch from it"
    office.jobs = {8}
    asked.fleet()
    assert office.ended == ["1"]
    assert asked.fleet() == Fleet()


def test_a_job_that_spark_tells_of_late_is_waited_for_too():
    office = Office()
    asked, time = asked_of(office)
    asked.release(["1"])
    assert office.ended == [], "a job may have begun that nobody has heard of yet"
    time.now_s = 2.0
    office.jobs = {7}
    asked.release(["1"])
    assert office.ended == []
    office.jobs = set()
    asked.release(["1"])
    assert office.ended == ["1"]
    assert office.retired == ["1"], "once is enough"


def test_who_owns_state_is_not_let_go():
    office = Office(needed={"1"})
    asked, _ = asked_of(office)
    assert asked.release(["0", "1"]) == ("0",)
    assert office.retired == ["0"]


def test_an_executor_that_is_not_ready_yet_is_still_to_come():
    office = Office()
    asked, _ = asked_of(office)
    asked.grow(1)
    office.there.add("2")
    office.cold.add("2")
    assert asked.fleet() == Fleet(coming=1)
    office.cold.clear()
    assert asked.fleet() == Fleet()


def test_one_that_is_not_ended_is_asked_again_every_round():
    office = Office(willing=False)
    asked, time = asked_of(office)
    asked.release(["1"])
    time.now_s = 2.0
    asked.release(["1"])
    asked.release(["1"])
    assert asked.fleet().notes == ("executor 1 was not ended; it is asked again",)
    office.willing = True
    asked.fleet()
    assert office.ended == ["1"] * 4
    assert "1" not in office.there


def test_the_retired_do_not_count_as_help():
    office = Office(jobs={7})
    asked, _ = asked_of(office)
    asked.release(["1"])
    asked.grow(1)
    assert office.asked == [3], "two that serve, and one that is on its way out"
    office.there.add("2")
    assert asked.fleet().coming == 0


def test_who_is_lost_already_needs_no_ending():
    office = Office()
    asked, _ = asked_of(office)
    assert asked.release(["9"]) == ("9",)
    asked.fleet()
    assert office.retired == []
    assert office.ended == []


def test_fixed_executors_do_not_grow():
    fixed = elasticity.FixedExecutors()
    with pytest.raises(InvalidInput, match="policy fixed"):
        fixed.grow(1)
    assert fixed.release(["1"]) == ("1",)
    assert fixed.fleet() == Fleet()
