"""Faults are drawn from a seed, and their table says what came of them."""

import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path

from bench.faults.__main__ import QUICK, drawn
from bench.faults.fault import ALBIC, PLAIN
from bench.faults.page import BEGIN, complaints, table, write
from bench.faults.registry import FAULTS
from bench.faults.running import Outcome

GOOD = Outcome("kill an executor", "ad_clicks", PLAIN, 1, 0, 0, "went on", 2.0)
PAGE = Path(__file__).parents[2] / "docs" / "faults.md"


def test_every_fault_has_a_name_of_its_own_and_says_what_it_does() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 30
    assert all(fault.about for fault in FAULTS)


def test_the_same_seed_draws_the_same_faults_and_each_as_often_as_any_other() -> None:
    strikes = drawn(FAULTS, 200, seed=1)
    assert strikes == drawn(FAULTS, 200, seed=1)
    assert strikes != drawn(FAULTS, 200, seed=2)
    assert len(strikes) == 200
    times = Counter((strike.fault.name, strike.mode) for strike in strikes)
    assert max(times.values()) - min(times.values()) <= 1
    assert len(drawn(FAULTS, QUICK, seed=1)) == QUICK


def test_both_modes_of_a_fault_meet_the_same_job_and_moment() -> None:
    both = [fault for fault in FAULTS if len(fault.modes) == 2]
    strikes = drawn(both, 2 * len(both), seed=3)
    for first, second in zip(strikes[::2], strikes[1::2], strict=True):
        assert (first.fault, first.seed) == (second.fault, second.seed)
        assert {first.mode, second.mode} == {PLAIN, ALBIC}


def test_the_table_has_both_modes_side_by_side_and_the_page_keeps_the_rest(tmp_path) -> None:
    bad = Outcome("kill an executor", "ad_clicks", ALBIC, 1, 3, 1, "went on", 1.0, told="loss: x")
    assert complaints([GOOD]) == []
    assert complaints([GOOD, bad]) == [
        "kill an executor (ad_clicks, albic, seed 1): 3 rows are missing, 1 too many"
    ]
    row = table([GOOD, bad]).splitlines()[-1]
    assert row == "| kill an executor | 2 | 4 | went on | went on | 2.0 s | 1.0 s | loss: x |"
    copy = tmp_path / "faults.md"
    copy.write_text(PAGE.read_text("utf-8"), "utf-8")
    for _ in range(2):
        write(copy, [GOOD, bad])
        text = copy.read_text("utf-8")
        assert text.count(row) == text.count(BEGIN) == 1
        assert text.startswith(PAGE.read_text("utf-8").partition(BEGIN)[0])
    json.dumps(asdict(bad))
