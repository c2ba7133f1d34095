"""The page in a real Chromium: it loads, follows a growing journal, and hands on clicks."""

import math
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason='the page needs "albic[serve]"')

from albic.control import Controller, Settings
from albic.control.clock import WallClock
from albic.control.journal import JsonLinesJournal, RoundRecord, Status
from albic.control.planner_choice import ChosenPlanner
from albic.control.ports import Effect
from albic.model.snapshot_file import snapshot_document
from albic.planners import find_planner
from albic.serve import Jobs, PageServer, Serving, job_of_controller, jobs_of_journals
from tests.unit.control.fakes import controller
from tests.unit.live.journals import move, record, story, wide, written
from tests.unit.serve.conftest import TOKEN, Endless, begun
from tests.worlds import request

WITHIN_S = 30.0
#: Screenshots go here, and into the documents when ALBIC_SCREENSHOTS names their folder.
SHOTS = os.environ.get("ALBIC_SCREENSHOTS")


def until(told: Callable[[], object], what: str) -> None:
    """Wait until something is so."""
    ended_s = time.monotonic() + WITHIN_S
    while not told():
        assert time.monotonic() < ended_s, f"it never came to this: {what}"
        time.sleep(0.1)


def text(browser, id_: str) -> str:
    return browser.execute_script("return document.getElementById(arguments[0]).innerText", id_)


def count(browser, selector: str) -> int:
    return browser.execute_script("return document.querySelectorAll(arguments[0]).length", selector)


def click(browser, id_: str) -> None:
    browser.find_element("id", id_).click()


def complaints(browser) -> list[str]:
    """Return what the browser held against the page: errors and broken rules of its policy."""
    return [entry["message"] for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]


@pytest.fixture
def served() -> Iterator[Callable[..., PageServer]]:
    """Return what starts servers; they end with the test."""
    started: list[PageServer] = []

    def start(jobs: Jobs) -> PageServer:
        server = PageServer(jobs, Serving(port=0, token=TOKEN), ("flux", "hold"))
        server.start()
        started.append(server)
        return server

    yield start
    for server in started:
        server.close()


@pytest.fixture
def steady() -> Iterator[Controller]:
    """Return a controller at work on a job that is uneven."""
    job = Endless("a: 30 20 10 | b: 5 | c: 5")
    job.effect_now = Effect(batches=2, batch_s=0.5, read=2, judged=6, compliant=6)
    made = controller(
        job,
        Settings(max_migrations=2),
        planner=ChosenPlanner(find_planner, "flux"),
        clock=WallClock(),
    )
    yield begun(made)
    made.stop()


def test_a_list_comes_first_and_leads_to_the_jobs(browser, served, tmp_path) -> None:
    one = written(tmp_path / "orders.jsonl", *story())
    server = served(jobs_of_journals([one, tmp_path / "clicks.jsonl"]))
    browser.get(server.url)
    until(lambda: count(browser, "#jobs tr") == 2, "two jobs are listed")
    assert "no journal yet" in text(browser, "jobs")
    browser.find_element("link text", "orders").click()
    until(lambda: count(browser, "#bars rect") > 0, "the executors are drawn")
    assert "orders" in browser.title
    assert count(browser, "#courses figure") == 5
    assert count(browser, "#rounds tr") == 4
    assert "hunter2" not in browser.page_source
    assert complaints(browser) == []


def test_the_page_follows_a_journal_that_grows_breaks_goes_and_comes_back(
    browser, served, tmp_path
) -> None:
    path = written(tmp_path / "orders.jsonl", record(1))
    browser.get(served(jobs_of_journals([path])).url + "?job=orders")
    until(lambda: count(browser, "#rounds tr") == 1, "one round")
    written(path, record(2), record(3, "a: 30 | b: 20 | c: 10"))
    until(lambda: count(browser, "#rounds tr") == 3, "three rounds")
    until(lambda: "3 executors" in text(browser, "bars-words"), "three executors")
    with path.open("ab") as stream:
        stream.write(b'{"format": "albic-journal/1", "numb\n')
    written(path, record(4))
    until(lambda: count(browser, "#rounds tr") == 4, "the damaged line is passed over")
    until(lambda: "damaged lines" in text(browser, "health"), "and told")
    path.unlink()
    until(lambda: "not there" in text(browser, "freshness"), "the deletion is told")
    assert count(browser, "#rounds tr") == 4, "what was known stays"
    written(path, record(5))
    until(lambda: count(browser, "#rounds tr") == 5, "another journal is followed")
    path.rename(tmp_path / "orders.jsonl.1")
    written(path, record(6))
    until(lambda: count(browser, "#rounds tr") == 6, "and a rotated one")
    assert complaints(browser) == []


def test_pause_plan_and_accept_by_clicking(browser, served, steady: Controller) -> None:
    server = served(Jobs([job_of_controller(steady, "orders")]))
    browser.get(f"{server.url}?job=orders#token={TOKEN}")
    until(lambda: browser.find_element("id", "pause").is_displayed(), "the controls are there")
    assert TOKEN not in browser.current_url
    click(browser, "pause")
    until(lambda: steady.status().paused, "the controller is paused")
    until(lambda: "paused" in text(browser, "health"), "and the page says so")
    click(browser, "plan-now")
    until(lambda: browser.find_element("id", "accept").is_displayed(), "a plan waits")
    proposal = steady.waiting.id
    click(browser, "accept")
    until(lambda: steady.waiting is None, "the plan was answered")
    until(lambda: "applied" in text(browser, "answer"), "the page says what came of it")
    applied = [each for each in steady.journal.records() if each.status is Status.APPLIED]
    assert [(each.proposal, each.by) for each in applied] == [(proposal, "api")]
    click(browser, "resume")
    until(lambda: not steady.status().paused, "the controller goes on")
    assert complaints(browser) == []


def test_an_executor_is_drained_and_released_and_moves_are_stopped_by_clicking(
    browser, served, steady: Controller
) -> None:
    steady.propose()
    server = served(Jobs([job_of_controller(steady, "orders")]))
    browser.get(f"{server.url}?job=orders#token={TOKEN}")
    until(lambda: count(browser, "#executor option") == 3, "executors can be chosen")
    browser.find_element("css selector", "#executor option[value=b]").click()
    click(browser, "drain")
    until(lambda: steady.status().drained == ("b",), "the executor is to be emptied")
    until(lambda: "drained" in text(browser, "bars"), "and the page says so")
    until(lambda: browser.find_element("id", "release").is_enabled(), "it can be released")
    click(browser, "release")
    until(lambda: steady.status().drained == (), "and is")
    click(browser, "stop")
    until(lambda: steady.status().paused, "nothing moves any more")
    until(lambda: "stopped" in text(browser, "answer"), "and the page says so")
    assert complaints(browser) == []


def test_settings_are_changed_on_the_page(browser, served, steady: Controller) -> None:
    server = served(Jobs([job_of_controller(steady, "orders")]))
    browser.get(f"{server.url}?job=orders#token={TOKEN}")
    until(lambda: browser.find_element("id", "change").is_displayed(), "the form is there")
    until(lambda: browser.find_element("id", "period").get_property("value"), "it is filled in")
    field = browser.find_element("id", "period")
    field.clear()
    field.send_keys("7s")
    field.submit()
    until(lambda: steady.status().period == "7s", "the period is another one")
    browser.find_element("id", "exclude-executors").send_keys("b, c")
    click(browser, "change")
    until(lambda: steady.status().exclude_executors == ("b", "c"), "two receive nothing")


def test_without_the_token_a_click_changes_nothing(browser, served, steady: Controller) -> None:
    server = served(Jobs([job_of_controller(steady, "orders")]))
    browser.get(f"{server.url}?job=orders")
    browser.execute_script("sessionStorage.clear()")
    browser.get(f"{server.url}?job=orders&again")
    until(lambda: browser.find_element("id", "pause").is_displayed(), "the controls are there")
    click(browser, "pause")
    until(lambda: "takes the token" in text(browser, "answer"), "the page says why not")
    assert not steady.status().paused
    browser.get_log("browser")  # the refusal is an error to the browser, and is meant


def test_everything_can_be_reached_and_read_without_a_mouse(browser, served, steady) -> None:
    from selenium.webdriver.common.keys import Keys  # noqa: PLC0415  skipped without it

    steady.propose()
    server = served(Jobs([job_of_controller(steady, "orders")]))
    browser.get(f"{server.url}?job=orders#token={TOKEN}")
    until(lambda: browser.find_element("id", "accept").is_displayed(), "a plan waits")
    reached = set()
    for _ in range(40):
        browser.switch_to.active_element.send_keys(Keys.TAB)
        reached.add(browser.switch_to.active_element.get_property("id"))
    wanted = {"home", "pause", "stop", "plan-now", "token", "accept", "reject", "period", "change"}
    assert wanted | {"executor", "drain"} <= reached
    nameless = browser.execute_script(
        """return [...document.querySelectorAll("button, input, select, svg[role=img]")]
             .filter((each) => !(each.getAttribute("aria-label") || each.innerText
               || (each.labels && each.labels.length))).map((each) => each.outerHTML)"""
    )
    assert nameless == []
    spoken = browser.execute_script(
        "return [...document.querySelectorAll('[aria-live], [role=alert]')].map((each) => each.id)"
    )
    assert spoken == ["trouble", "answer"], "what counts seconds would never let anybody listen"


@pytest.mark.parametrize("width", [360, 1200])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone_and_a_laptop_by_day_and_by_night(
    browser, served, tmp_path, width: int, scheme: str
) -> None:
    path = written(tmp_path / "orders.jsonl", *story())
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
    )
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600},
    )
    try:
        browser.get(served(jobs_of_journals([path])).url + "?job=orders")
        until(lambda: count(browser, "#bars rect") > 0, "the executors are drawn")
        wide_px = browser.execute_script("return document.documentElement.scrollWidth")
        assert wide_px <= width, "nothing sticks out"
        paper = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
        assert (paper == "rgb(255, 255, 255)") == (scheme == "light")
        assert _contrast(browser) >= 4.5
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def _contrast(browser) -> float:
    """Return the least contrast of words with the page, as WCAG reckons it."""
    colours = browser.execute_script(
        """const paper = getComputedStyle(document.body).backgroundColor;
           return [paper, ...[...document.querySelectorAll("p, td, th, dt, a, #freshness")]
             .map((each) => getComputedStyle(each).color)]"""
    )
    paper, *words = [_luminance(colour) for colour in colours]
    return min((max(paper, word) + 0.05) / (min(paper, word) + 0.05) for word in words)


def _luminance(colour: str) -> float:
    parts = [float(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.nightly
def test_ten_thousand_rounds_of_a_thousand_key_groups_stay_fluid(browser, served, tmp_path) -> None:
    path, document = tmp_path / "orders.jsonl", wide(1000, 40)
    with path.open("w", encoding="utf-8"):
        pass
    lean = [record(at, None, moves=(move(),), mean_load_pct=30.0) for at in range(1, 10_001)]
    written(path, *lean, record(10_001, snapshot=document))
    server = served(jobs_of_journals([path]))
    browser.get(server.url + "?job=orders")
    until(lambda: "10,001 records" in text(browser, "freshness"), "all is read")
    began_s = time.monotonic()
    browser.get(server.url + "?job=orders")
    until(lambda: count(browser, "#bars rect") > 0, "the page is there")
    assert time.monotonic() - began_s < 1.0
    update_ms = browser.execute_script(
        "const began = performance.now(); drawJob(); return performance.now() - began"
    )
    assert update_ms < 100


def course_of_a_day(path: Path) -> Path:
    """Write the journal of a job that is balanced, loses an executor and gets another."""
    journal = JsonLinesJournal(path)
    for number in range(1, 61):
        uneven = 18 * math.exp(-((number % 20) / 4))
        lost = number == 41
        loads = [9.0 + uneven / 3, 8.0, 7.0] + [6.0 + (at % 5) for at in range(21)]
        nodes = 3 if 41 <= number < 48 else 4
        home = [min(at % nodes, nodes - 1) for at in range(24)]
        asked = request(
            loads,
            home,
            names=[f"executor {at}" for at in range(nodes)],
            operators=[12, 12],
            streams=[(0, 1)],
            traffic=[(at, 12 + (at * 5) % 12, 40_000.0 + 900 * at) for at in range(12)],
            background=[4.0] * nodes,
        )
        acted = number % 20 in {1, 2, 3} or lost
        journal.add(
            RoundRecord(
                number,
                1_760_000_000.0 + 20 * number,
                "loss" if lost else "arrival" if number == 48 else "period",
                Status.APPLIED if acted else Status.HELD,
                "3 moves bring every executor within 1 point of the mean"
                if acted
                else "no plan wins 5 % of the makespan; nothing moves",
                planner="auto",
                objective="distance",
                distance_before=1 + uneven,
                distance_after=1.0 + uneven / 4,
                collocation_before=0.3 + 0.4 * min(number / 30, 1),
                moves=tuple(move(at) for at in range(3)) if acted else (),
                nodes=nodes,
                batches=4,
                batch_s=1.6 + uneven / 15 + (0.5 if 41 <= number < 48 else 0),
                judged=96,
                compliant=95,
                mean_load_pct=55.0,
                snapshot=snapshot_document(asked.snapshot),
            )
        )
    return path


@pytest.mark.parametrize(
    ("name", "width", "scheme"), [("live-page", 1200, "light"), ("live-page-phone", 390, "dark")]
)
def test_the_pictures_of_the_documents(browser, served, tmp_path, name, width, scheme) -> None:
    """The screenshots in docs/ are made by this test, where ALBIC_SCREENSHOTS names that folder."""
    path = course_of_a_day(tmp_path / "orders.jsonl")
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
    )
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 1500, "deviceScaleFactor": 1, "mobile": width < 600},
    )
    try:
        browser.get(served(jobs_of_journals([path])).url + "?job=orders")
        until(lambda: count(browser, "#bars rect") > 0, "the executors are drawn")
        folder = tmp_path if SHOTS is None else Path(SHOTS)
        target = folder / f"{name}.png"
        assert browser.save_screenshot(str(target))
        assert target.stat().st_size > 20_000, "the picture shows something"
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
