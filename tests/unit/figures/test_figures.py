"""Charts and pages come out whole, labelled, and the same every time."""

import pytest

from albic.figures import Chart, Kind, Page, Section, Series, Table

plots = pytest.importorskip("albic.figures.plots", reason="the extra albic[figures] is missing")


def chart(*series, **more):
    return Chart("Batch time", "batch", "seconds", series, **more)


def test_a_chart_carries_its_title_labels_and_legend():
    drawn = plots.svg([chart(Series("plain", [1, 2], [3, 4]), Series("albic", [1, 2], [2, 2]))])
    for word in ("Batch time", "batch", "seconds", "plain", "albic"):
        assert f">{word}<" in drawn


def test_charts_with_the_same_lines_tell_them_once():
    lines = [Series(name, [1, 2], [3, 4]) for name in ("plain", "albic", "flux")]
    drawn = plots.svg([chart(*lines), chart(*lines[1:])])
    assert all(drawn.count(f">{name}<") == 1 for name in ("plain", "albic", "flux"))
    apart = plots.svg([chart(*lines[:2]), chart(*lines[1:])])
    assert apart.count(">albic<") == 2


def test_a_line_has_one_colour_in_all_charts_that_it_is_among():
    first, second = (Series(name, [1, 2], [3, 4]) for name in ("plain", "albic"))
    alone = plots.svg([chart(second)], among=[chart(first, second)])
    assert plots.COLOURS[1].lower() in alone.lower()
    assert plots.COLOURS[0].lower() not in alone.lower()


def test_many_lines_are_told_below_the_chart():
    lines = [Series(f"line {number}", [1, 2], [number, 4]) for number in range(plots.CROWDED + 1)]
    few, many = (plots.svg([chart(*some)]) for some in (lines[:-1], lines))
    heights = [float(text.partition('height="')[2].partition("pt")[0]) for text in (few, many)]
    assert heights[1] > heights[0]


def test_the_same_chart_is_drawn_the_same():
    asked = [chart(Series("plain", [1, 2], [3, 4], band=([2, 3], [4, 5])), marks=((1.5, "drift"),))]
    assert plots.svg(asked) == plots.svg(asked)


def test_bars_stand_side_by_side_over_words():
    bars = (Series("a", ["x", "y"], [1, 2], Kind.BARS), Series("b", ["x", "y"], [2, 1], Kind.BARS))
    drawn = plots.svg([chart(*bars)])
    assert ">x<" in drawn
    assert ">y<" in drawn


def test_bars_with_a_band_carry_its_ends():
    plain = Series("a", ["x", "y"], [1, 2], Kind.BARS)
    banded = Series("a", ["x", "y"], [1, 2], Kind.BARS, band=([0.5, 1], [1.5, 3]))
    assert "LineCollection" not in plots.svg([chart(plain)])
    assert "LineCollection" in plots.svg([chart(banded)])


def test_a_figure_is_saved_twice_under_its_whole_name(tmp_path):
    png, vector = plots.save([chart(Series("a", [1], [1]))] * 4, tmp_path / "new" / "fig-0.5")
    assert png.read_bytes().startswith(b"\x89PNG")
    assert vector.read_text().startswith("<?xml")
    assert (png.name, vector.name) == ("fig-0.5.png", "fig-0.5.svg")


def test_a_page_needs_nothing_but_itself_and_escapes_what_it_shows():
    page = Page(
        "Report <1>",
        "went well",
        (
            Section(
                "Times", "a & b", (chart(Series("a", [1], [1])),), (Table(("x",), (("<b>",),)),)
            ),
        ),
    ).html()
    assert "Report &lt;1&gt;" in page
    assert "a &amp; b" in page
    assert "&lt;b&gt;" in page
    assert "<svg" in page
    assert 'src="' not in page
    assert "<script" not in page
    assert "<link" not in page
