"""What the paper says of the MILP's solving time, as checks: of the method, and of HiGHS alone."""

import math
from collections.abc import Callable, Sequence
from functools import partial

from albic.experiments.experiment import Claim, Finding
from albic.experiments.rows import Rows, Value, amount
from albic.experiments.runs.methods import FLUX, MILP, REPAIRED, SCRATCH, SEARCH
from albic.experiments.seed_statistics import judge

#: What the paper calls a few seconds. The started program is held to the shorter of its times,
#: which has five seeds.
FEW_S = {MILP: 1.0, REPAIRED: 1.0, SCRATCH: 5.0}
#: The search with as many seconds as the start gets.
START_S = 0.2
#: Differences below this are rounding, in points.
SAME_PCT = 1e-6
#: What the paper may mean by "improved only slightly", in points.
SLIGHTLY_PCT = 0.5
#: How much lower HiGHS may end than a search that is as good, in points.
AS_GOOD_PCT = 0.01

STARTED = "HiGHS starts from our search's plan; alone it is the line from scratch"


def claims(*, largest: bool) -> tuple[Claim, ...]:
    """Return the claims about one cluster."""
    said: list[tuple[str, str, Callable[..., Finding]]] = [
        (
            "the MILP outperforms Flux even after a few seconds",
            "always",
            partial(_beats_flux, few=True),
        ),
        (
            "the MILP outperforms Flux, given the longest time here",
            "always",
            partial(_beats_flux, few=False),
        ),
        (
            "improved only slightly by further solving"
            + (" (the paper excepts this cluster)" if largest else ""),
            "a few seconds are enough",
            _more_time,
        ),
    ]
    return (
        *(Claim(words, paper, partial(check, method=MILP)) for words, paper, check in said),
        *(
            Claim(
                f"solver from scratch: {words}",
                paper,
                partial(check, method=SCRATCH),
                from_scratch=True,
            )
            for words, paper, check in said
        ),
        Claim(
            "our MILP (repaired, started by the search) is never worse than Flux",
            "",
            partial(_beats_flux, method=REPAIRED, few=True),
            ours=True,
        ),
        Claim(
            "the search in a blink is as good as HiGHS from scratch after its longest time",
            "",
            _search_against_scratch,
            ours=True,
        ),
    )


def settings(rows: Rows) -> list[tuple[Value, Value]]:
    """Return every number of moves with every varies, each pair once."""
    return list(dict.fromkeys((row["moves"], row["varies"]) for row in rows.rows))


def _at(rows: Rows, setting: tuple[Value, Value]) -> float:
    """Return the load distance of a setting."""
    return rows.where(moves=setting[0], varies=setting[1]).mean("distance")


def _beats_flux(rows: Rows, method: str, *, few: bool) -> Finding:
    """Return on how many settings a method has a smaller distance than Flux."""
    every = settings(rows)
    mine = rows.where(method=method)
    times = [s for s in mine.amounts("limit_s") if not few or s <= FEW_S[method]]
    limit_s = max(times or mine.amounts("limit_s"), default=math.nan)

    def ahead(some: Rows) -> list[float]:
        ours, flux = some.where(method=method, limit_s=limit_s), some.where(method=FLUX)
        return [_at(flux, setting) - _at(ours, setting) for setting in every]

    def never_worse(by: Sequence[float]) -> bool:
        return min(by) >= -SAME_PCT and max(by) > SAME_PCT

    found = judge(rows, ahead, never_worse)
    better = sum(lead > SAME_PCT for lead in found.medians)
    same = sum(abs(lead) <= SAME_PCT for lead in found.medians)
    worse = len(every) - better - same
    told = f"better on {better} of {len(every)}, equal on {same} (after {limit_s:g} s)"
    return found.finding(
        told + (_changed(rows, limit_s) if method == MILP else ""),
        f"on {worse} of {len(every)} settings it is worse than Flux after {limit_s:g} s, by up to "
        f"{amount(-min(found.medians, default=math.nan))} points",
        STARTED if method == MILP else "",
    )


def _changed(rows: Rows, limit_s: float) -> str:
    """Return on how many plans HiGHS ended elsewhere than the search that it began with."""
    began = rows.where(method=SEARCH, limit_s=START_S)
    ended = rows.where(method=MILP, limit_s=limit_s)
    if not began.rows:
        return ""
    plans = [
        (_at(ended.where(seed=seed), setting), _at(began.where(seed=seed), setting))
        for seed in ended.distinct("seed")
        for setting in settings(ended.where(seed=seed))
    ]
    other = sum(abs(after - before) > SAME_PCT for after, before in plans)
    return f"; HiGHS changed the start's distance on {other} of {len(plans)} plans"


def _more_time(rows: Rows, method: str) -> Finding:
    """Return what the longest solving brings over the next shorter one."""
    mine = rows.where(method=method)
    times = mine.amounts("limit_s")
    if len(times) < 2:
        return Finding.missing("this run has one time limit only")

    def both(some: Rows) -> list[float]:
        return [some.where(limit_s=limit_s).mean("distance") for limit_s in times[-2:]]

    found = judge(mine, both, lambda both: both[0] - both[1] <= SLIGHTLY_PCT)
    early, late = found.spreads
    return found.finding(
        f"{early} points after {times[-2]:g} s, {late} after {times[-1]:g} s",
        f"HiGHS still gains {amount(early.median - late.median)} points on average after "
        f"{times[-2]:g} s",
        STARTED if method == MILP else "",
    )


def _search_against_scratch(rows: Rows) -> Finding:
    """Return how the shortest search compares with the longest solve from scratch."""
    theirs = rows.where(method=SCRATCH)
    short, long_ = rows.where(method=SEARCH).least("limit_s"), theirs.most("limit_s")
    every = settings(theirs)

    def behind(some: Rows) -> list[float]:
        ours = some.where(method=SEARCH, limit_s=short)
        solved = some.where(method=SCRATCH, limit_s=long_)
        gaps = (_at(ours, setting) - _at(solved, setting) for setting in every)
        return [ours.mean("distance"), solved.mean("distance"), *gaps]

    found = judge(rows, behind, lambda numbers: max(numbers[2:]) <= AS_GOOD_PCT)
    ours, solved, *gaps = found.spreads
    lower = sum(gap.median > AS_GOOD_PCT for gap in gaps)
    return found.finding(
        f"{ours} points in {1000 * short:g} ms against {solved} in {long_:g} s",
        f"on {lower} of {len(gaps)} settings HiGHS from scratch ends more than {AS_GOOD_PCT:g} "
        "points lower",
    )
