"""What the live page costs: a thousand key groups, ten thousand rounds.

``python -m bench.live_page`` writes a journal, serves it, and prints how long a server takes to
read it, to answer the page and to take in one more round, and whether its memory stays as it is
when as many rounds come again. Where Chromium and its driver are installed, a real browser loads
the page and draws an update.
"""

import gc
import json
import shutil
import statistics
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from albic.control.journal import JsonLinesJournal, MoveRecord, RoundRecord, Status
from albic.model.snapshot_file import snapshot_document
from albic.serve import PageServer, Serving, jobs_of_journals
from albic.sim import synthetic
from bench.goals import Goal

KEY_GROUPS, NODES, OPERATORS, ROUNDS = 1000, 40, 4, 10_000
REPEATS = 20
#: A page within a second, an update within a tenth; memory may waver by a little. A journal is read
#: whole only when somebody looks at it for the first time.
MOST_PAGE_S, MOST_UPDATE_S, MOST_GROWTH_MB, MOST_READING_S = 1.0, 0.1, 5.0, 30.0


def main() -> int:
    """Measure, print, and return whether all goals are reached."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "orders.jsonl"
        journal = JsonLinesJournal(path, max_bytes=0)
        _written(journal, 1, ROUNDS)
        server = PageServer(jobs_of_journals([path]), Serving(port=0))
        server.start()
        try:
            goals = [*_served(server, journal), *_browsed(server)]
        finally:
            server.close()
    for goal in goals:
        verdict = "holds" if goal.holds else "MISSED"
        sys.stdout.write(f"{goal.what}: {goal.measured_text} ({goal.wanted_text}: {verdict})\n")
    return 0 if all(goal.holds for goal in goals) else 1


def _served(server: PageServer, journal: JsonLinesJournal) -> Iterator[Goal]:
    """Yield what the server takes, without a browser."""
    state = f"{server.url}api/jobs/orders/state"
    began_s = time.perf_counter()
    _read_all(state)
    read_s = time.perf_counter() - began_s
    yield Goal("read ten thousand rounds, once", MOST_READING_S, read_s, "s")
    answer_s = _median_s(lambda: _asked(state))
    yield Goal("answer with the page", MOST_PAGE_S, answer_s, "s")
    # What is timed begins when the round is in the journal.
    more = lambda: _written(journal, ROUNDS + 1, 1)  # noqa: E731  one line of no other use
    yield Goal(
        "take in one more round and answer",
        MOST_UPDATE_S,
        _median_s(lambda: _asked(state), before=more),
        "s",
    )
    before_mb = _memory_mb()
    _written(journal, ROUNDS + REPEATS + 1, ROUNDS)
    _read_all(state)
    grown_mb = _memory_mb() - before_mb
    yield Goal("memory for as many rounds again", MOST_GROWTH_MB, grown_mb, "MB")


def _browsed(server: PageServer) -> Iterator[Goal]:
    """Yield what a browser takes; nothing where there is none."""
    with _browser() as browser:
        if browser is None:
            sys.stderr.write("no Chromium here: scripts/setup.sh page\n")
            return

        there = "return document.querySelectorAll('#bars rect').length"

        def loaded() -> None:
            browser.get(f"{server.url}?job=orders")
            while not browser.execute_script(there):
                time.sleep(0.005)

        drawn = "const b = performance.now(); drawJob(); return performance.now() - b"
        heap = "return performance.memory.usedJSHeapSize / 1e6"
        yield Goal("a browser loads and draws the page", MOST_PAGE_S, _median_s(loaded), "s")
        updates_s = [browser.execute_script(drawn) / 1000 for _ in range(REPEATS)]
        yield Goal("a browser draws an update", MOST_UPDATE_S, statistics.median(updates_s), "s")
        browser.execute_script("window.gc && gc()")
        before_mb = browser.execute_script(heap)
        for _ in range(10 * REPEATS):
            browser.execute_script(drawn)
        browser.execute_script("window.gc && gc()")
        grown_mb = browser.execute_script(heap) - before_mb
        yield Goal("memory of the browser for 200 updates", MOST_GROWTH_MB, grown_mb, "MB")


@contextmanager
def _browser() -> Iterator[Any]:
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        yield None
        return
    from selenium import webdriver  # noqa: PLC0415  only where there is a browser

    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"):
        options.add_argument(argument)
    options.add_argument("--js-flags=--expose-gc")
    options.add_argument("--enable-precise-memory-info")
    started = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    try:
        yield started
    finally:
        started.quit()


def _written(journal: JsonLinesJournal, first: int, count: int) -> None:
    """Append rounds; the last one of them measured the whole job, as all do on Spark."""
    snapshot = synthetic(NODES, KEY_GROUPS, OPERATORS, 20, 0.5, first)
    document = snapshot_document(snapshot)
    for number in range(first, first + count):
        journal.add(
            RoundRecord(
                number,
                1_760_000_000.0 + 20 * number,
                "period",
                Status.APPLIED,
                "one move brings the busiest executor closer to the mean",
                planner="auto",
                objective="distance",
                distance_before=5.0 + number % 7,
                distance_after=4.0,
                collocation_before=0.5,
                mean_load_pct=40.0,
                moves=(MoveRecord("o0", number % 100, "node-001", "node-002", 1000),),
                nodes=NODES,
                batches=4,
                batch_s=1.5,
                judged=KEY_GROUPS,
                compliant=KEY_GROUPS,
                snapshot=document if number % 100 == 0 or number == first + count - 1 else None,
            )
        )


def _read_all(state: str) -> None:
    """Ask until the server has read all that is written."""
    while _asked(state)["reading"]["behind_bytes"]:
        pass


def _asked(address: str) -> dict[str, Any]:
    with urllib.request.urlopen(address, timeout=60) as answer:  # noqa: S310  our own server
        found: dict[str, Any] = json.load(answer)
        return found


def _median_s(task: Callable[[], object], before: Callable[[], object] = lambda: None) -> float:
    """Return the median of some runs; what comes ``before`` each does not count."""
    took_s = []
    for _ in range(REPEATS):
        before()
        began_s = time.perf_counter()
        task()
        took_s.append(time.perf_counter() - began_s)
    return statistics.median(took_s)


def _memory_mb() -> float:
    """Return what this process holds in memory now."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 / 1e6


if __name__ == "__main__":
    sys.exit(main())
