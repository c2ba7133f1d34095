"""Lemma 1 and Lemma 2: what the printed program does, and what ours does."""

from functools import partial

from albic.experiments.entries.lines import bars, table
from albic.experiments.experiment import Claim, Experiment, Finding
from albic.experiments.rows import Row, Rows
from albic.experiments.runs.lemmas import ExamplePoint, LemmaPoint, check_lemmas
from albic.experiments.runs.methods import FLUX, JOINT, MILP, REPAIRED, SEARCH, STAGES
from albic.experiments.seed_statistics import judge
from albic.figures import Chart, Table

#: Loads, homes, nodes (the last is marked) and moves; from decision 003.
EXAMPLES: tuple[tuple[int, tuple[float, ...], tuple[int, ...], int, int], ...] = (
    (1, (12.0, 8.0, 12.0, 12.0, 1.0), (0, 0, 1, 2, 3), 4, 1),
    (2, (3.0, 3.0, 1.0), (0, 1, 2), 3, 1),
)
#: Random clusters for each method; HiGHS is left out of these, for it is not needed: every
#: optimum of the printed program is enumerated.
CLUSTERS, BATCHES, QUICK_CLUSTERS = 100, 5, 40
OURS = {SEARCH, STAGES, JOINT, REPAIRED}

NOTES = (
    "Five batches of random clusters, each from a seed of its own: 3 or 4 nodes and 4 to 6 key "
    "groups with whole loads from 1 to 12, one or two nodes marked, 1 to 3 migrations a round. "
    "Every allocation is tried, so the optimum is no solver's opinion. The printed program gets "
    "all benefit of doubt: d_u and d_l are not negative, Lemma 1 counts as broken only where every "
    "optimum breaks it, and among equal optima the one that leaves least on marked nodes is taken, "
    "for 12 rounds. Lemma 2 to the letter allows any number of migrations. The two examples go "
    "through HiGHS, for the printed program and for our milp; on the random clusters our search, "
    "by distance and by stage, and joint stand for ours."
)


def points(clusters: int, batches: int) -> tuple[LemmaPoint | ExamplePoint, ...]:
    """Return random clusters and the examples for every method."""
    methods = (MILP, FLUX, SEARCH, STAGES, JOINT)
    return (
        *(
            LemmaPoint(clusters, method, 1 + batch * clusters)
            for method in methods
            for batch in range(batches)
        ),
        *(ExamplePoint(*example, method) for example in EXAMPLES for method in (MILP, REPAIRED)),
    )


def _random(rows: Rows, method: str, column: str) -> tuple[int, int]:
    """Return on how many random clusters a lemma was broken, and of how many."""
    some = rows.where(case="random", method=method)
    return int(some.total(column)), int(some.total("clusters"))


def _holds(rows: Rows, column: str, why: str) -> Finding:
    """Return whether the printed program never breaks a lemma."""
    broken, of = _random(rows, MILP, column)
    mine = rows.where(case="random", method=MILP)
    batches = judge(mine, lambda some: [some.total(column)], lambda found: found[0] == 0)
    return Finding(
        f"broken on {broken} of {of} random clusters",
        broken == 0 and of > 0,
        f"{why} ({broken} of {of} random clusters)",
        seeds=batches.told,
    )


def _example_holds(rows: Rows, lemma: int) -> Finding:
    """Return whether HiGHS on the printed program keeps to a lemma on its counter-example."""
    (loads, home, _, moves) = next(example[1:] for example in EXAMPLES if example[0] == lemma)
    broken = rows.where(case=f"example {lemma}", method=MILP).total(f"lemma_{lemma}_broken")
    what = "load goes onto the marked node" if lemma == 1 else "the marked node is never emptied"
    told = f"loads {_short(loads)} on nodes {_short(home)}, {moves} move a round"
    return Finding(
        f"{told}: {what if broken else 'it holds'}", not broken, f"{what}; loads {_short(loads)}"
    )


def _short(values: tuple[float, ...]) -> str:
    """Return numbers in a row."""
    return ", ".join(f"{value:g}" for value in values)


def _ours_hold(rows: Rows) -> Finding:
    """Return whether our planners keep to both lemmas everywhere."""
    ours = rows.that(lambda row: row["method"] in OURS)
    first, second = int(ours.total("lemma_1_broken")), int(ours.total("lemma_2_broken"))
    clusters = int(ours.total("clusters")) + len(ours.rows) - len(ours.where(case="random").rows)
    return Finding(
        f"{first} and {second} broken on {clusters} clusters",
        first + second == 0 and clusters > 0,
        "our program breaks a promise of ours",
    )


def _charts(rows: Rows) -> tuple[Chart, ...]:
    """Return the share of random clusters on which each lemma is broken."""
    shares: list[Row] = []
    for method in rows.where(case="random").words("method"):
        for lemma in (1, 2):
            broken, of = _random(rows, method, f"lemma_{lemma}_broken")
            shares.append({"method": method, "lemma": f"Lemma {lemma}", "share": 100 * broken / of})
    return (
        Chart(
            "Broken on random clusters",
            "",
            "clusters, %",
            bars(Rows.of(shares), "method", "lemma", "share"),
        ),
    )


def _tables(rows: Rows) -> tuple[Table, ...]:
    """Return the counts."""
    cells = []
    for method in rows.where(case="random").words("method"):
        (first, of), (second, _) = (
            _random(rows, method, f"lemma_{lemma}_broken") for lemma in (1, 2)
        )
        literal = _random(rows, method, "lemma_2_literally_broken")[0] if method == MILP else "–"
        cells.append([method, of, first, second, literal])
    columns = ("method", "clusters", "Lemma 1 broken", "never emptied", "Lemma 2 to the letter")
    return (table(columns, cells),)


LEMMAS = Experiment(
    name="lemmas",
    figure="Lemma 1 and Lemma 2",
    question="Does nothing move onto marked nodes, and are they always emptied?",
    notes=NOTES,
    points=points(CLUSTERS, BATCHES),
    quick=points(QUICK_CLUSTERS, 1),
    measure=check_lemmas,
    claims=(
        Claim(
            "Lemma 1: no key group will be migrated from A to B",
            "never",
            partial(
                _holds,
                column="lemma_1_broken",
                why="with few moves, the best place for a node's load can be a marked one",
            ),
            lemma=True,
        ),
        Claim(
            "Lemma 1 on its counter-example", "never", partial(_example_holds, lemma=1), lemma=True
        ),
        Claim(
            "Lemma 2: the minimum d is achieved only by emptying B",
            "always",
            partial(
                _holds,
                column="lemma_2_literally_broken",
                why="the least d is also met with key groups left on marked nodes; "
                "the proof compares lower bounds only",
            ),
            lemma=True,
        ),
        Claim(
            "Lemma 2 in use: marked nodes are emptied in the end",
            "always",
            partial(
                _holds,
                column="lemma_2_broken",
                why="d_u rewards staying nodes below the mean, so a marked node may keep its load",
            ),
            lemma=True,
        ),
        Claim(
            "Lemma 2 on its counter-example", "always", partial(_example_holds, lemma=2), lemma=True
        ),
        Claim("both hold for our planners", "", _ours_hold, ours=True),
    ),
    charts=_charts,
    tables=_tables,
)
