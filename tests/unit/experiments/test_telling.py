"""Claims come out both ways, and the report says which."""

import json
from dataclasses import replace

import pytest

from albic.experiments.catalogue import EXPERIMENTS, chosen
from albic.experiments.experiment import Claim, Finding
from albic.experiments.manifest import beginning, commit, versions
from albic.experiments.report import (
    BEGIN,
    END,
    markdown,
    write_docs,
    write_report,
    write_result,
)
from albic.experiments.result import result_of
from albic.experiments.rows import Rows, amount
from albic.experiments.runner import measured
from albic.experiments.store import Store
from albic.experiments.summary import explained, overview, verdict
from albic.model import InvalidInput
from tests.unit.experiments.small import rows_of, small


@pytest.fixture
def result(tmp_path):
    """Return a function that runs an experiment."""

    def run(experiment, *, quick=False):
        done = measured(experiment, Store(tmp_path / "points", "code"), quick=quick)
        return result_of(experiment, done, beginning(), quick=quick)

    return run


def test_a_claim_that_does_not_hold_needs_a_sentence():
    with pytest.raises(ValueError, match="needs a sentence"):
        Finding("7", holds=False)
    assert Finding("7", holds=True).remark == ""


def test_what_was_not_measured_counts_neither_way(result):
    unknown = Claim("squares are round", "always", lambda _: Finding.missing("no rows"))
    asked = small(least=10)
    told = result(replace(asked, claims=(*asked.claims, unknown)))
    assert verdict([told]).startswith("1 of 2 statements")
    assert "| not measured | – | no rows |" in markdown([told], "")


def test_the_same_claim_holds_or_fails_with_what_was_measured(result):
    assert [each.finding.holds for each in result(small(least=9)).judged()] == [True, True]
    assert [each.finding.holds for each in result(small(least=10)).judged()] == [False, True]


def test_a_figure_is_written_with_all_that_is_needed_to_make_it_again(result, tmp_path):
    write_result(result(small(), quick=True), tmp_path)
    kept = json.loads((tmp_path / "small.json").read_text())
    assert kept["command"] == "albic reproduce small --quick"
    assert kept["parameters"] == {"value": [1], "seed": [1]}
    assert kept["rows"] == [{"value": 1, "square": 1}]
    assert kept["versions"]["highspy"]
    assert kept["claims"][0]["holds"] is False
    assert {"commit", "code", "seconds", "when", "machine", "notes"} <= set(kept)
    assert (tmp_path / "small.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "small.svg").exists()


def test_the_report_tells_claims_numbers_and_why_not(result, tmp_path):
    write_report([result(small(least=10))], tmp_path)
    page = (tmp_path / "report.html").read_text()
    text = (tmp_path / "report.md").read_text()
    for told in ("squares reach 10", "no: they are too small", "1 of 2 statements"):
        assert told in page
        assert told in text
    assert "![How large are squares?](small.svg)" in text
    assert "`albic reproduce small`" in text
    assert "<svg" in page


KINDS = (
    Claim("plain", "said", lambda _: Finding("7", holds=True)),
    Claim("noted", "said", lambda _: Finding("7", holds=True, note="with our start")),
    Claim("noted too", "said", lambda _: Finding("8", holds=True, note="with our start")),
    Claim("wrong", "said", lambda _: Finding("9", holds=False, remark="it is 9", seeds="1 of 5")),
    Claim("proven", "said", lambda _: Finding("3", holds=False, remark="see 3"), lemma=True),
    Claim("alone", "said", lambda _: Finding("2", holds=False, remark="slow"), from_scratch=True),
    Claim("dearer", "said", lambda _: Finding("5", holds=True), other_costs=True),
    Claim("our own", "", lambda _: Finding("1", holds=True), ours=True),
)


def test_the_summary_keeps_apart_what_holds_how(result):
    told = [result(replace(small(), claims=KINDS))]
    assert overview(told).rows == (
        ("holds", "1", "small"),
        ("holds with a note", "2", "small 2"),
        ("does not hold", "1", "small"),
        ("false as stated", "1", "small"),
    )
    assert dict(explained(told)) == {
        "holds with a note": ["with our start (small 2)"],
        "does not hold": ["small, wrong: it is 9"],
        "false as stated": ["small, proven: see 3"],
    }
    assert verdict(told) == (
        "3 of 5 statements of the paper hold here, 2 of them with a note; of HiGHS from scratch 0 "
        "of 1 do, with the costs of Spark 1 of 1, and 1 of 1 of ours."
    )


def test_the_summary_comes_first_and_the_solver_alone_has_its_own_table(result):
    text = markdown([result(replace(small(), claims=KINDS))], "")
    order = [
        "## Summary",
        "false as stated",
        "## small",
        "## Statements of the paper",
        "## The same of HiGHS from scratch",
        "## The same with costs that Spark has",
        "## Statements of ours",
    ]
    places = [text.index(words) for words in order]
    assert places == sorted(places)
    before, _, after = text.partition("## The same of HiGHS from scratch")
    assert "| alone |" in after
    assert "| alone |" not in before
    assert "| wrong | said | 9 | 1 of 5 | no: it is 9 |" in text


def test_a_quick_report_says_that_it_is_one(result):
    assert "quick" in verdict([result(small(), quick=True)])
    assert "quick" not in verdict([result(small())])


def test_the_page_of_the_documentation_is_written_between_its_lines(result, tmp_path):
    page = tmp_path / "experiments.md"
    page.write_text(f"# Experiments\n{BEGIN}\nstale words\n{END}\nafter\n")
    write_docs([result(small())], tmp_path)
    text = page.read_text()
    assert text.startswith("# Experiments\n")
    assert text.endswith(f"{END}\nafter\n")
    assert "stale words" not in text
    assert "(figures/small.svg)" in text
    assert [path.name for path in (tmp_path / "figures").iterdir()] == ["small.svg"]


@pytest.mark.parametrize("text", [None, "# no lines\n", f"{BEGIN} only\n"])
def test_a_page_without_a_place_for_the_report_is_refused_untouched(result, tmp_path, text):
    if text is not None:
        (tmp_path / "experiments.md").write_text(text)
    with pytest.raises(InvalidInput, match=r"experiments\.md"):
        write_docs([result(small())], tmp_path)
    assert not (tmp_path / "figures").exists()
    if text is not None:
        assert (tmp_path / "experiments.md").read_text() == text


def test_a_bar_in_a_cell_does_not_break_the_table(result):
    one = result(small())
    assert all(
        line.count("|") == 7
        for line in markdown([one], "").splitlines()
        if "squares" in line and "|" in line
    )


def test_names_choose_experiments_once_and_in_order():
    names = list(EXPERIMENTS)
    assert [each.name for each in chosen([names[1], names[0], names[1]])] == names[:2]
    assert [each.name for each in chosen(["all", names[0]])] == names


def test_an_unknown_name_gets_a_hint():
    with pytest.raises(InvalidInput, match="did you mean fig-solver-20"):
        chosen(["fig-solver20"])
    with pytest.raises(InvalidInput, match="known are"):
        chosen(["xyz"])


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=EXPERIMENTS)
def test_every_experiment_is_complete(experiment):
    assert experiment.claims
    assert experiment.quick
    assert len(set(experiment.points)) == len(experiment.points)
    for words in (experiment.figure, experiment.question, experiment.notes):
        assert words
    for claim in experiment.claims:
        assert claim.statement
        assert claim.ours or claim.paper


def test_rows_answer_questions_and_say_where_nothing_was_measured():
    rows = rows_of({"m": "a", "x": 2, "y": 1.0}, {"m": "a", "x": 1, "y": 3}, {"m": "b", "x": 1})
    assert rows.where(m="a").curve("x", "y") == ([1, 2], [3, 1])
    assert (rows.mean("y"), rows.most("y"), rows.least("y"), rows.total("y")) == (2, 3, 1, 4)
    assert rows.words("m") == ["a", "b"]
    assert amount(rows.where(m="b").mean("y")) == "not measured"
    assert amount(Rows(()).most("y")) == "not measured"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.00012, "0.0001"),
        (0.1234, "0.123"),
        (12.345, "12.3"),
        (1234.5, "1,234"),
        (20, "20"),
    ],
)
def test_numbers_are_short(value, text):
    assert amount(value) == text


def test_a_run_says_where_it_was_made():
    assert beginning().machine.cores >= 1
    assert set(versions()) >= {"python", "albic", "highspy", "numpy"}
    assert commit()
