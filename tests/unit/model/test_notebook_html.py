"""Snapshots, plans and controllers show themselves in a notebook, in HTML that is well-formed."""

from xml.etree import ElementTree as ET

import pytest

from albic.control import Settings
from albic.model.notebook_html import MOST_BARS, sketch
from albic.planners.flux import FluxPlanner
from tests.unit.control.fakes import World, controller
from tests.worlds import world


def parsed(html: str) -> ET.Element:
    assert "<script" not in html
    assert "http" not in html
    return ET.fromstring(html)  # noqa: S314  it is our own


def bars(html: str) -> list[float]:
    return [float(bar.get("width", "")) for bar in parsed(html).iter("rect")]


def test_a_snapshot_has_a_bar_for_each_node() -> None:
    told = world("a: 30 10 | b: 20").snapshot
    html = told._repr_html_()
    one, other = bars(html)
    assert one == pytest.approx(2 * other, rel=0.01)
    assert "3 key groups of 1 operators" in html


def test_a_plan_says_where_key_groups_go() -> None:
    asked = world("a: 30 20 10 | b:")
    plan = FluxPlanner().plan(asked)
    html = plan._repr_html_()
    assert "node 0 → 1" in html
    assert plan.reason.split(";")[0] in html
    assert len(bars(html)) == 1


def test_a_plan_without_moves_is_a_sentence() -> None:
    plan = FluxPlanner().plan(world("a: 30 | b: 30"))
    assert bars(plan._repr_html_()) == []
    assert "0 moves" in plan._repr_html_()


def test_a_controller_shows_what_it_saw_last() -> None:
    steady = controller(World("a: 30 20 10 | b:"), Settings(approve=True))
    assert "nothing was measured yet" in steady._repr_html_()
    steady.run_round("period")
    html = steady._repr_html_()
    assert len(bars(html)) == 2
    assert "waits for an answer" in html
    assert "load distance 30 points" in html
    steady.pause()
    assert "albic is paused" in steady._repr_html_()


def test_names_are_text_and_many_bars_are_cut() -> None:
    many = [(f"<b>{at}</b> & more than fits", float(at)) for at in range(MOST_BARS + 5)]
    html = sketch('a "sentence" & <more>', many, " %", 3.0)
    assert len(bars(html)) == MOST_BARS
    assert "and 5 more" in html
    assert "<b>" not in html


def test_nothing_but_zeros_can_be_drawn() -> None:
    assert bars(sketch("idle", [("a", 0.0), ("b", 0.0)], "")) == [0.0, 0.0]
