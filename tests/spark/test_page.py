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
from tests.spark.test_attach import compiled, threads, wait_until  # noqa: F401  a fixture

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
    assert threads() == []
    watched.query.stop()
    exact_counts(spark, "accepted")
    told = [(each.status, each.by) for each in controller.journal.records()]
    assert (Status.APPLIED, "api") in told
