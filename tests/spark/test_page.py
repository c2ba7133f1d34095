"""The page of a running query: what it shows is so, and what is clicked happens on Spark."""

import json
import urllib.error
import urllib.request

import pytest

pytest.importorskip("fastapi", reason='the page needs "albic[serve]"')

import albic
from albic.control.journal import Status
from albic.serve import Serving
from tests.spark.conftest import exact_counts, skewed
from tests.spark.test_attach import compiled, more_batches, threads, wait_until  # noqa: F401  a fixture

TOKEN = "a-token-for-tests-only"  # noqa: S105  not a secret


def asked(address: str, method: str = "GET", token: str = TOKEN) -> dict:
    request = urllib.request.Request(  # noqa: S310  our own server
        address, method=method, headers={"Authorization": f"Bearer {token}"}
    )
    with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310  as above
        return json.load(answer)


def test_a_plan_waits_until_somebody_accepts_it_over_the_api(
    spark, watch, executors, tmp_path
) -> None:
    others = threads()
    watched = watch(skewed(spark), "accepted", "complete")
    first = executors[0]
    watched.placement.move_now(dict.fromkeys(watched.groups(), first))
    watched.batches(2)
    controller = albic.attach(
        watched.query,
        period="2 batches",
        approve=True,
        journal=tmp_path / "journal.jsonl",
        serve=Serving(port=0, token=TOKEN),
    )
    (line,) = asked(f"{controller.page_url}api/jobs")
    job = f"{controller.page_url}api/jobs/{line['id']}"
    wait_until(lambda: asked(f"{job}/proposals")["waiting"] is not None, "no plan came")
    assert set(watched.placement.read_back().values()) == {first.id}, "nothing moves before"
    proposal = asked(f"{job}/proposals")["waiting"]
    assert {move["source"] for move in proposal["moves"]} == {first.id}
    with pytest.raises(urllib.error.HTTPError, match="401"):
        asked(f"{job}/proposals/{proposal['id']}/accept", "POST", token="wrong")  # noqa: S106
    done = asked(f"{job}/proposals/{proposal['id']}/accept", "POST")
    assert done["record"]["status"] == "applied"
    wait_until(lambda: set(watched.placement.read_back().values()) > {first.id}, "nothing moved")
    state = asked(f"{job}/state")["state"]
    assert {bar["id"] for bar in state["executors"]["bars"]} == {each.id for each in executors}
    assert asked(f"{job}/pause", "POST")["record"]["by"] == "api"
    assert controller.status().paused
    assert controller.stop()
    assert len(threads()) <= len(others)
    watched.query.stop()
    exact_counts(spark, "accepted")
    told = [(each.status, each.by) for each in controller.journal.records()]
    assert (Status.APPLIED, "api") in told


def test_an_executor_is_drained_by_name_and_has_state_again_when_released(
    spark, watch, executors, bridge, tmp_path
) -> None:
    watched = watch(skewed(spark), "drained", "complete")
    watched.batches(2)
    controller = albic.attach(
        watched.query,
        period="2 batches",
        journal=tmp_path / "journal.jsonl",
        serve=Serving(port=0, token=TOKEN),
    )
    (line,) = asked(f"{controller.page_url}api/jobs")
    job = f"{controller.page_url}api/jobs/{line['id']}"
    first, second = executors
    wait_until(
        lambda: any(each.snapshot for each in controller.journal.records()), "nothing was measured"
    )
    told = asked(f"{job}/executors/{second.id}/drain", "POST")["record"]
    assert (told["status"], told["by"]) == ("told", "api")
    wait_until(
        lambda: set(watched.placement.read_back().values()) == {first.id}, "it was not emptied"
    )
    more_batches(watched, 4)
    bars = asked(f"{job}/state")["state"]["executors"]["bars"]
    assert {bar["id"]: bar["key_groups"] for bar in bars} == {first.id: 4, second.id: 0}
    later = [each for each in controller.journal.records() if each.number > told["number"]]
    assert {move.target for each in later for move in each.moves} == {first.id}
    assert second.id in bridge.executor_ids(), "but is there"
    with pytest.raises(urllib.error.HTTPError, match="409"):
        asked(f"{job}/executors/{first.id}/drain", "POST")
    asked(f"{job}/executors/{second.id}/release", "POST")
    wait_until(lambda: second.id in watched.placement.read_back().values(), "it has nothing yet")
    assert asked(f"{job}/stop", "POST")["record"]["reason"].startswith("stopped")
    assert controller.status().paused
    assert controller.stop()
    watched.query.stop()
    exact_counts(spark, "drained")
