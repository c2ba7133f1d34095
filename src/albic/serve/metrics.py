"""What Prometheus reads: names and units by its conventions, labels that cannot grow."""

from collections.abc import Iterable, Iterator
from importlib.metadata import version

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector

from albic.serve.jobs import JobPage, Jobs

#: Executors that get a series of their own; a cluster that has more is summed up only.
MOST_EXECUTORS = 500
CONTENT_TYPE = CONTENT_TYPE_LATEST


class JobCollector(Collector):
    """Reads the state of all jobs when it is asked.

    Labels are the job, the status of rounds, and the executors that are there now: one that has
    gone takes its series with it.
    """

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs

    def collect(self) -> Iterable[Metric]:
        """Return all metrics."""
        pages = [job.page(rounds=0) for job in self._jobs]
        yield InfoMetricFamily("albic_build", "Version of albic.", {"version": version("albic")})
        yield from _counters(pages)
        yield from _gauges(pages)
        yield _loads(pages)


def exposition(jobs: Jobs) -> bytes:
    """Return the metrics of all jobs in Prometheus' text format."""
    # A registry of our own: an application's own metrics are not ours to hand out.
    registry = CollectorRegistry(auto_describe=False)
    registry.register(JobCollector(jobs))
    return generate_latest(registry)


def _counters(pages: list[JobPage]) -> Iterator[Metric]:
    """Yield what only grows."""
    rounds = CounterMetricFamily(
        "albic_rounds", "Rounds by how they ended.", labels=["job", "status"]
    )
    for page in pages:
        for status, count in page.state.health.rounds_total.items():
            rounds.add_metric([page.id, status.replace(" ", "_")], count)
    yield rounds
    for name, meaning, attribute in (
        ("albic_batches", "Batches that were observed.", "batches_total"),
        ("albic_moves", "Key groups that were moved.", "moves_total"),
        ("albic_moved_bytes", "State of key groups that were moved.", "moved_bytes_total"),
    ):
        counter = CounterMetricFamily(name, meaning, labels=["job"])
        for page in pages:
            counter.add_metric([page.id], getattr(page.state.health, attribute))
        yield counter
    damaged = CounterMetricFamily(
        "albic_journal_damaged_lines", "Lines of a journal that were no records.", labels=["job"]
    )
    for page in pages:
        damaged.add_metric([page.id], page.reading.damaged)
    yield damaged


def _gauges(pages: list[JobPage]) -> Iterator[Metric]:
    """Yield what goes up and down; what is not known is left out."""
    numbers = [(page.id, _numbers(page)) for page in pages]
    for name, meaning in GAUGES.items():
        gauge = GaugeMetricFamily(name, meaning, labels=["job"])
        for job, told in numbers:
            value = told.get(name)
            if value is not None:
                gauge.add_metric([job], float(value))
        yield gauge


GAUGES = {
    "albic_load_distance_ratio": "Largest gap between an executor's load and the mean.",
    "albic_mean_load_ratio": "Load that every executor would have if all were equal.",
    "albic_load_bound_ratio": "Load of the busiest executor in any placement.",
    "albic_load_index_ratio": "Mean load as a share of the one after start-up.",
    "albic_collocation_ratio": "Share of bytes between key groups that stay on their executor.",
    "albic_batch_duration_seconds": "Mean length of the last batches.",
    "albic_executors": "Executors that stay.",
    "albic_key_groups": "Key groups of the job.",
    "albic_compliance_ratio": "Share of tasks that ran on their owner, in the last rounds.",
    "albic_recent_failed_rounds": "Rounds among the last ones that failed.",
    "albic_recent_not_ready_rounds": "Rounds among the last ones that had too few measurements.",
    "albic_last_record_timestamp_seconds": "When the journal got its last record.",
    "albic_last_batch_timestamp_seconds": "When the end of a batch was noticed last.",
    "albic_silent": "Whether no rounds are run because nothing was to be won.",
    "albic_paused": "Whether somebody paused the controller.",
    "albic_stopped": "Whether a rule was broken, so that nothing is moved any more.",
    "albic_proposal_waiting": "Whether a plan waits for an answer.",
    "albic_controller_running": "Whether the controller in this process is at work.",
    "albic_journal_missing": "Whether there is no journal to read.",
    "albic_journal_unread_bytes": "What of the journal is still to be read.",
}


def _numbers(page: JobPage) -> dict[str, float | None]:
    """Return the gauges of one job."""
    state, health, status = page.state, page.state.health, page.controller
    executors, courses = state.executors, state.courses
    last_batch_s = None if status is None else status.last_batch_s
    return {
        "albic_load_distance_ratio": None if executors is None else executors.distance_pct / 100,
        "albic_mean_load_ratio": None if executors is None else executors.mean_pct / 100,
        "albic_load_bound_ratio": None if executors is None else executors.bound_pct / 100,
        "albic_load_index_ratio": _last(courses.load_index),
        "albic_collocation_ratio": _last(courses.collocation),
        "albic_batch_duration_seconds": _last(courses.batch_s),
        "albic_executors": _last(courses.executors),
        "albic_key_groups": None if executors is None else executors.key_groups,
        "albic_compliance_ratio": health.compliance,
        "albic_recent_failed_rounds": health.failed,
        "albic_recent_not_ready_rounds": health.not_ready,
        "albic_last_record_timestamp_seconds": health.last_record_s,
        "albic_last_batch_timestamp_seconds": last_batch_s or health.last_batch_s,
        "albic_silent": health.silent,
        "albic_paused": health.paused if status is None else status.paused,
        "albic_stopped": None if status is None else status.stopped is not None,
        "albic_proposal_waiting": status is not None and status.proposal is not None,
        "albic_controller_running": None if status is None else status.running,
        "albic_journal_missing": page.reading.missing,
        "albic_journal_unread_bytes": page.reading.behind_bytes,
    }


def _loads(pages: list[JobPage]) -> Metric:
    """Return the load of each executor that is there now."""
    gauge = GaugeMetricFamily(
        "albic_executor_load_ratio", "Load of an executor.", labels=["job", "executor"]
    )
    for page in pages:
        bars = () if page.state.executors is None else page.state.executors.bars
        for bar in bars if len(bars) <= MOST_EXECUTORS else ():
            gauge.add_metric([page.id, bar.id], bar.load_pct / 100)
    return gauge


def _last(values: tuple[float | None, ...]) -> float | None:
    """Return the newest number there is."""
    return next((value for value in reversed(values) if value is not None), None)
