"""Two runs of the same job, side by side: without albic and with it."""

from albic.control.journal import RoundRecord
from albic.figures import Chart, Kind, Page, Section, Series, Table
from albic.reports.run_records import RunRecords, faster

#: Batches at the end of a run that show where its load lies: of one phase, and enough for a mean.
LAST = 4


def headline(plain: RunRecords, steered: RunRecords) -> str:
    """Return what came out, in a sentence."""
    share = faster(plain, steered)
    compliance = steered.compliance
    told = "" if compliance is None else f"; {compliance:.1%} of the tasks ran where planned"
    verdict = f"{1 - share:.0%} less" if share < 1 else f"{share - 1:.0%} more"
    return (
        f"With {steered.name} a batch took {steered.batch_s:.2f} s instead of "
        f"{plain.batch_s:.2f} s: {share:.2f} of the time, {verdict}, for {steered.moves} moves of "
        f"state{told}. Against the best placement of its own tasks, {plain.name} took "
        f"{plain.over_bound:.2f} times as long, {steered.name} {steered.over_bound:.2f} times."
    )


def picture(plain: RunRecords, steered: RunRecords) -> tuple[Chart, ...]:
    """Return the two charts that say it all."""
    return batch_chart(plain, steered), load_chart(plain, steered)


def comparison_page(plain: RunRecords, steered: RunRecords, about: str) -> Page:
    """Return the whole report; ``about`` says what job it was and on what."""
    compliance = "–" if steered.compliance is None else f"{steered.compliance:.1%}"
    share = faster(plain, steered)
    return Page(
        title="A stateful Spark job, without and with albic",
        lead=headline(plain, steered),
        tiles=(
            (f"{share:.2f} ×", "batch time of plain Spark"),
            (
                f"{steered.batch_s:.2f} s",
                f"mean batch with {steered.name} (plain: {plain.batch_s:.2f} s)",
            ),
            (
                f"{steered.over_bound:.2f} ×",
                f"the best possible for its tasks (plain: {plain.over_bound:.2f} ×)",
            ),
            (
                f"{steered.distance_pct:.1f}",
                f"points of load distance (plain: {plain.distance_pct:.1f})",
            ),
            (str(steered.moves), "moves of state"),
            (compliance, "of tasks ran where planned"),
        ),
        sections=(
            Section("What was run", about),
            Section(
                "How long batches took",
                "Both runs process the same events. A dotted line is where other keys become hot; "
                "plain Spark keeps all state where it was first put.",
                charts=(batch_chart(plain, steered),),
                tables=(summary_table(plain, steered),),
            ),
            Section(
                "Who had to work",
                f"A batch is as slow as its busiest executor. Work of each in the last {LAST} "
                "batches, and over time the largest gap between an executor and the mean.",
                charts=(load_chart(plain, steered), distance_chart(plain, steered)),
            ),
            Section(
                "What albic did",
                "State moves between batches. The new owner loads it from the checkpoint, once.",
                charts=(moves_chart(steered),),
                tables=(rounds_table(steered.rounds),),
            ),
        ),
        footer="Written by albic demo. Every number is from this run.",
    )


def batch_chart(plain: RunRecords, steered: RunRecords) -> Chart:
    """Return batch times over batches."""
    last = max(record.batch for run in (plain, steered) for record in run.batches)
    runs = [
        Series(run.name, [r.batch for r in run.batches[1:]], [r.batch_s for r in run.batches[1:]])
        for run in (plain, steered)
    ]
    marks = tuple((change, "hot keys change") for change in plain.changes if change <= last)
    title = f"Batch time: {faster(plain, steered):.2f} of plain Spark's"
    return Chart(title, "batch", "seconds", tuple(runs), marks=marks)


def load_chart(plain: RunRecords, steered: RunRecords) -> Chart:
    """Return how long each executor worked, busiest first."""
    runs = [(run.name, list(run.node_busy_s(LAST).values())) for run in (plain, steered)]
    places = [f"{number + 1}." for number in range(plain.nodes)]
    mean_s = sum(runs[1][1]) / len(runs[1][1])
    return Chart(
        "Work per executor, busiest first",
        "executor",
        "seconds of work in a batch",
        tuple(Series(name, places, busy, Kind.BARS) for name, busy in runs),
        levels=((mean_s, "perfectly even"),),
    )


def distance_chart(plain: RunRecords, steered: RunRecords) -> Chart:
    """Return load distances over batches."""
    runs = tuple(
        Series(
            run.name,
            [record.batch for record in run.batches[1:]],
            [record.distance_pct(run.nodes) for record in run.batches[1:]],
        )
        for run in (plain, steered)
    )
    marks = tuple((change, "") for change in plain.changes)
    return Chart("Load distance", "batch", "points off the mean", runs, marks=marks)


def moves_chart(steered: RunRecords) -> Chart:
    """Return how many key groups were loaded elsewhere in each batch."""
    records = steered.batches[1:]
    series = Series("moves", [r.batch for r in records], [r.moved for r in records], Kind.BARS)
    marks = tuple((change, "hot keys change") for change in steered.changes)
    return Chart("Key groups that moved", "batch", "key groups", (series,), marks=marks)


def summary_table(plain: RunRecords, steered: RunRecords) -> Table:
    """Return both runs in numbers."""
    return Table(
        (
            "run",
            "mean s",
            "p50 s",
            "p95 s",
            "best possible s",
            "times the best",
            "load distance",
            "moves",
        ),
        tuple(
            (
                run.name,
                f"{run.batch_s:.2f}",
                f"{run.percentile_s(50):.2f}",
                f"{run.percentile_s(95):.2f}",
                f"{run.bound_s:.2f}",
                f"{run.over_bound:.2f}",
                f"{run.distance_pct:.1f}",
                str(run.moves),
            )
            for run in (plain, steered)
        ),
    )


def rounds_table(rounds: tuple[RoundRecord, ...]) -> Table:
    """Return what the controller decided, round by round."""
    began_s = rounds[0].at_s if rounds else 0.0
    return Table(
        ("after s", "why", "decision", "moves", "in words"),
        tuple(
            (
                f"{record.at_s - began_s:.0f}",
                record.trigger,
                record.status.value,
                str(len(record.moves)),
                record.error or record.reason,
            )
            for record in rounds
        ),
    )
