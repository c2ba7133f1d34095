"""The API says how jobs stand, and asks their controllers what people want."""

import json
from dataclasses import asdict

import pytest

from albic.advice import Finding
from albic.control.journal import Status
from albic.model import InvalidInput
from albic.model.fields import Pairs
from albic.model.snapshot_file import snapshot_from
from albic.serve import jobs_of_journals
from tests.unit.live.journals import record, wide, written
from tests.unit.serve.conftest import MAY, Site

SETTINGS = "/api/jobs/orders/settings"


def test_all_jobs_are_listed(site: Site) -> None:
    listed = {line["id"]: line for line in site.client.get("/api/jobs").json()}
    assert set(listed) == {"orders", "old"}
    assert (listed["orders"]["live"], listed["old"]["live"]) == (True, False)
    assert (listed["old"]["records"], listed["old"]["failed"]) == (4, 1)


def test_the_state_of_a_journal_is_told(site: Site) -> None:
    told = site.client.get("/api/jobs/old/state").json()
    assert told["controller"] is None
    assert told["reading"] == {
        "missing": False,
        "damaged": 0,
        "complaint": None,
        "behind_bytes": 0,
    }
    assert [round_["number"] for round_ in told["state"]["rounds"]] == [4, 3, 2, 1]
    assert [bar["id"] for bar in told["state"]["executors"]["bars"]] == ["a", "b"]
    assert "hunter2" not in json.dumps(told)
    assert str(site.journal.parent) not in json.dumps(told)


def test_what_has_not_changed_is_not_sent_again(site: Site) -> None:
    first = site.client.get("/api/jobs/old/state")
    again = site.client.get("/api/jobs/old/state", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    written(site.journal, record(5))
    grown = site.client.get("/api/jobs/old/state", headers={"If-None-Match": first.headers["ETag"]})
    assert grown.json()["state"]["records"] == 5


def test_a_damaged_line_and_a_deletion_are_survived(site: Site) -> None:
    with site.journal.open("ab") as stream:
        stream.write(b'{"broken\n')
    told = site.client.get("/api/jobs/old/state").json()
    assert (told["reading"]["damaged"], told["state"]["records"]) == (1, 4)
    site.journal.unlink()
    gone = site.client.get("/api/jobs/old/state").json()
    assert gone["reading"]["missing"]
    assert gone["state"]["records"] == 4, "what was known stays known"
    written(site.journal, record(1))
    assert site.client.get("/api/jobs/old/state").json()["state"]["records"] == 5


def test_rounds_are_paged(site: Site) -> None:
    told = site.client.get("/api/jobs/old/rounds", params={"limit": 2, "before": 4}).json()
    assert [round_["number"] for round_ in told["rounds"]] == [3, 2]


def test_the_newest_snapshot_reads_as_a_snapshot_file(site: Site) -> None:
    answer = site.client.get("/api/jobs/old/snapshot")
    snapshot = snapshot_from(json.loads(answer.text, object_pairs_hook=Pairs.of))
    assert len(snapshot.cluster.nodes) == 2
    empty = site.client.get("/api/jobs/orders/snapshot")
    assert empty.status_code == 404


def test_a_plan_is_asked_for_seen_and_accepted(site: Site) -> None:
    made = site.client.post("/api/jobs/orders/plan", headers=MAY).json()["record"]
    assert (made["status"], made["by"]) == ("waiting", "api")
    told = site.client.get("/api/jobs/orders/proposals").json()
    assert told["waiting"]["id"] == made["proposal"]
    assert told["waiting"]["moves"] == told["last"]["moves"]
    assert len(told["waiting"]["moves"]) == 1
    assert site.job.plans == []
    path = f"/api/jobs/orders/proposals/{made['proposal']}"
    done = site.client.post(f"{path}/accept", headers=MAY).json()["record"]
    assert done["status"] == "applied"
    assert len(site.job.plans) == 1
    again = site.client.post(f"{path}/accept", headers=MAY)
    assert again.status_code == 409
    assert "no plan waits" in again.json()["error"]


def test_a_plan_can_be_rejected_or_carried_out_at_once(site: Site) -> None:
    made = site.client.post("/api/jobs/orders/plan", headers=MAY).json()["record"]
    path = f"/api/jobs/orders/proposals/{made['proposal']}/reject"
    assert site.client.post(path, headers=MAY).json()["record"]["status"] == "rejected"
    acted = site.client.post("/api/jobs/orders/plan", headers=MAY, json={"act": True})
    assert acted.json()["record"]["status"] == "applied"


def test_pause_and_resume(site: Site) -> None:
    assert site.client.post("/api/jobs/orders/pause", headers=MAY).status_code == 200
    assert site.client.get("/api/jobs/orders/settings").json()["controller"]["paused"]
    site.client.post("/api/jobs/orders/resume", headers=MAY)
    assert not site.client.get("/api/jobs/orders/settings").json()["controller"]["paused"]
    told = [(each.status, each.by) for each in site.steady.journal.records()]
    assert told == [(Status.TOLD, "api")] * 2


def test_settings_change_at_run_time(site: Site) -> None:
    wish = {"period": "7s", "max_migrations": 3, "planner": "hold", "approve": True}
    answer = site.client.patch("/api/jobs/orders/settings", headers=MAY, json=wish)
    assert answer.status_code == 200
    now = site.client.get("/api/jobs/orders/settings").json()
    assert {name: now["controller"][name] for name in wish} == wish
    assert now["planners"] == ["flux", "hold"]


@pytest.mark.parametrize(
    "wish",
    [
        {"period": "soon"},
        {"max_migrations": -1},
        {"max_migrations": 2.5},
        {"planner": "nobody"},
        {"colour": "red"},
        {"approve": "yes"},
    ],
)
def test_a_senseless_setting_is_refused_with_a_sentence(site: Site, wish: dict) -> None:
    before = site.client.get("/api/jobs/orders/settings").json()["controller"]
    answer = site.client.patch("/api/jobs/orders/settings", headers=MAY, json=wish)
    assert answer.status_code == 422
    assert answer.json()["error"]
    after = site.client.get("/api/jobs/orders/settings").json()["controller"]
    assert {**after, "worked_s": 0} == {**before, "worked_s": 0}


def test_a_journal_without_its_controller_cannot_be_changed(site: Site) -> None:
    answer = site.client.post("/api/jobs/old/pause", headers=MAY)
    assert answer.status_code == 409
    assert "only its journal is here" in answer.json()["error"]


def test_an_ended_controller_says_so(site: Site) -> None:
    site.steady.stop()
    answer = site.client.post("/api/jobs/orders/pause", headers=MAY)
    assert answer.status_code == 410


def test_a_job_that_is_not_there_is_not_found(site: Site) -> None:
    for path in ("state", "rounds", "snapshot", "proposals", "settings", "advice"):
        answer = site.client.get(f"/api/jobs/none/{path}")
        assert answer.status_code == 404
        assert answer.json()["error"]
    assert site.client.get("/nowhere").status_code == 404


def test_advice_is_told_finding_by_finding(site: Site, monkeypatch) -> None:
    assert site.client.get("/api/jobs/orders/advice").json() == {"advice": []}
    finding = Finding("large key group", 1.5, "s a batch", 0.5, "salt the key", "one is too large")
    monkeypatch.setattr("albic.serve.jobs.advice", lambda _: (finding,))
    told = site.client.get("/api/jobs/orders/advice").json()
    assert told == {"advice": [asdict(finding)]}


def test_a_wide_job_is_told_in_a_small_answer(site: Site) -> None:
    written(site.journal, record(5, snapshot=wide(1000, 40)))
    answer = site.client.get("/api/jobs/old/state")
    assert len(answer.json()["state"]["executors"]["bars"]) == 40
    assert len(answer.content) < 60_000


def test_journals_of_the_same_name_are_told_apart(tmp_path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
    paths = [tmp_path / folder / "albic-journal.jsonl" for folder in ("one", "two")]
    jobs = jobs_of_journals(paths)
    assert [job.name for job in jobs] == ["one/albic-journal", "two/albic-journal"]
    assert [job.id for job in jobs] == ["one-albic-journal", "two-albic-journal"]
    with pytest.raises(InvalidInput, match="listed twice"):
        jobs_of_journals([paths[0], paths[0]])
    with pytest.raises(InvalidInput, match="is a folder"):
        jobs_of_journals([tmp_path])
    with pytest.raises(InvalidInput, match="folder is not there"):
        jobs_of_journals([tmp_path / "gone" / "j.jsonl"])


def test_an_executor_is_drained_and_released_by_name(site: Site) -> None:
    assert site.steady.propose().status is Status.WAITING, "now the executors are known"
    path = "/api/jobs/orders/executors"
    done = site.client.post(f"{path}/b/drain", headers=MAY)
    assert (done.status_code, done.json()["record"]["status"]) == (200, "told")
    now = site.client.get("/api/jobs/orders/settings").json()["controller"]
    assert now["drained"] == ["b"]
    last = site.client.post(f"{path}/a/drain", headers=MAY)
    assert (last.status_code, "the last one" in last.json()["error"]) == (409, True)
    assert site.client.post(f"{path}/z/drain", headers=MAY).status_code == 409
    assert site.client.post(f"{path}/b/release", headers=MAY).status_code == 200
    assert site.client.post(f"{path}/b/release", headers=MAY).status_code == 409
    assert site.client.post(f"{path}/b/drain").status_code == 401


def test_plans_leave_alone_what_was_named(site: Site) -> None:
    site.steady.propose()
    wish = {"exclude_operators": ["o0"], "exclude_executors": ["b"]}
    assert site.client.patch(SETTINGS, json=wish, headers=MAY).status_code == 200
    now = site.client.get(SETTINGS).json()["controller"]
    assert {name: now[name] for name in wish} == wish
    misspelt = site.client.patch(SETTINGS, json={"exclude_operators": ["o00"]}, headers=MAY)
    assert (misspelt.status_code, "did you mean o0" in misspelt.json()["error"]) == (422, True)


def test_moves_that_are_still_to_come_are_stopped(site: Site) -> None:
    site.job.to_come = 2
    done = site.client.post("/api/jobs/orders/stop", headers=MAY).json()["record"]
    assert done["reason"].startswith("stopped: 2 moves still to come")
    assert site.steady.status().paused
