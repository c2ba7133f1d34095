"""Every figure in a tiny setting: measured, drawn, tabled and judged."""

from dataclasses import replace

import pytest

pytest.importorskip("matplotlib", reason="the extra albic[figures] is missing")

from albic.experiments.catalogue import EXPERIMENTS
from albic.experiments.entries import balance, jobs, lemmas, migrations, scale_in
from albic.experiments.rows import Rows
from albic.experiments.runs.collocation import CollocationPoint
from albic.experiments.runs.jobs import POTC, SEED, SPARK, UNRESTRICTED, JobPoint
from albic.experiments.runs.lemmas import LemmaPoint
from albic.experiments.runs.methods import (
    ALBIC,
    COLA,
    FLUX,
    JOINT,
    MILP,
    REPAIRED,
    SCRATCH,
    SEARCH,
    STAGES,
)
from albic.experiments.runs.scale_in import SEPARATE, ScaleInPoint
from albic.experiments.runs.solver import SolverPoint
from albic.figures.plots import svg


def solver(method, limit_s):
    return SolverPoint(4, 24, 2, 20.0, 3, method, limit_s, seed=1)


def scaling(label, weight, method=SEARCH, limit_s=0.02):
    return ScaleInPoint(6, 30, 2, 1, 1, 4, 12, label, method, weight, limit_s, seed=1)


def collocating(method, nodes=4):
    return CollocationPoint(nodes, 10 * nodes, 2, 50.0, 20.0, 4, 10.0, method, 3, 0.02, seed=1)


def job(number, method, periods, moves=13):
    limit_s = 0.3 if method in {MILP, REPAIRED} else 0.03
    return JobPoint(number, method, method, moves, 10.0, periods, limit_s, seed=1, trace=SEED)


SOLVER = [
    *(solver(FLUX, 0.1), solver(MILP, 0.5), solver(MILP, 1.0), solver(SCRATCH, 1.0)),
    *(solver(REPAIRED, 0.5), solver(SEARCH, 0.02)),
]
COLLOCATION = [collocating(method) for method in (ALBIC, COLA, JOINT)]
AIRPLANES = [job(2, method, 3, moves=10) for method in (ALBIC, COLA, JOINT)]
TINY = {
    "fig-solver-20": SOLVER,
    "fig-scale-in": [
        scaling(SEPARATE, 1.5),
        scaling(scale_in.INTEGRATED, 0.05, MILP, 0.3),
        scaling(scale_in.URGENT, 0.05),
        scaling(scale_in.DRAINING, 1.5),
    ],
    "fig-job1-balance": [
        *(job(1, method, balance.SETTLED + 2) for method in (FLUX, POTC, SEARCH, STAGES)),
        *(job(1, method, balance.SETTLED + 1) for method in (MILP, REPAIRED)),
    ],
    "fig-job1-migrations": [
        replace(point, time_limit_s=0.1, trace=SEED)
        for point in migrations.points(
            (MILP, SEARCH), (10, 13, UNRESTRICTED), balance.SETTLED + 2, (1,)
        )
    ],
    "fig-collocation": COLLOCATION,
    "fig-configurations": [*COLLOCATION, collocating(ALBIC, 6), collocating(COLA, 6)],
    "fig-job2": [*AIRPLANES, *(replace(point, costs=SPARK) for point in AIRPLANES)],
    "fig-job3": [replace(point, job=3) for point in AIRPLANES],
    "fig-job4": [
        *(replace(point, job=4) for point in AIRPLANES if point.method != COLA),
        replace(jobs.JOB_4.points[5], periods=3, trace=SEED),
    ],
    "fig-job1-collocation": [replace(point, job=1) for point in AIRPLANES],
    "lemmas": [
        LemmaPoint(3, MILP, 1),
        LemmaPoint(3, SEARCH, 1),
        *(lemmas.ExamplePoint(*example, REPAIRED) for example in lemmas.EXAMPLES),
    ],
}


@pytest.mark.parametrize("name", TINY)
def test_a_figure_is_measured_drawn_and_judged(name):
    experiment = EXPERIMENTS[name]
    rows = Rows.of(row for point in TINY[name] for row in experiment.measure(point))
    assert rows.rows
    drawn = svg(experiment.charts(rows))
    for chart in experiment.charts(rows):
        assert f">{chart.title}<" in drawn
        assert chart.y_label
        assert all(len(series.x) == len(series.y) > 0 for series in chart.series)
    for table in experiment.tables(rows):
        assert table.rows
        assert all(len(row) == len(table.columns) for row in table.rows)
    for claim in experiment.claims:
        finding = claim.check(rows)
        assert finding.measured
        assert finding.holds or finding.remark


def test_nothing_is_left_out_but_the_figures_that_take_long():
    assert set(EXPERIMENTS) - set(TINY) == {"fig-solver-40", "fig-solver-60", "scale"}


def test_the_bound_of_a_solver_figure_is_one_on_load_distance():
    def row(method, limit_s, bound):
        about = {"method": method, "limit_s": limit_s, "moves": 10, "varies": 20.0}
        return {**about, "distance": 1.0, "bound": bound}

    rows = Rows.of([row(FLUX, 1.0, None), row(SEARCH, 0.1, 0.4), row(STAGES, 0.1, 90.0)])
    (chart,) = EXPERIMENTS["fig-solver-20"].charts(rows)
    (bound,) = [series for series in chart.series if series.label == "proven bound"]
    assert set(bound.y) == {0.4}
