"""One query under watch: its batches are read, its state is steered."""

import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean, median

from pyspark.sql.streaming.query import StreamingQuery

from albic.control.batch_sampling import Attention
from albic.control.change_detection import growth
from albic.control.polling import look_in_s, sure_until_s
from albic.model import Throughput
from albic.spark.batch import BatchSample
from albic.spark.batch_summary import Seen, seen_in
from albic.spark.bridge import Bridge, EndedBatch, Followers
from albic.spark.checkpoint import StateSizes
from albic.spark.executors import Executor
from albic.spark.local_files import NearFiles
from albic.spark.measures import SeenMove, busiest_stage_s, moves_in, settled_s, stages_s
from albic.spark.operators import Named, QueryShape, runs_python, shape
from albic.spark.placement import KeyGroup, Placement
from albic.spark.query_copies import NO_COPIES, Copying, CopyRules
from albic.spark.statistics import StatisticsReader

#: Batches before the period that are kept, for key groups that only moved in the period.
KEPT = 16
#: When the next batch may end is told by so many before it.
ALIKE = 2
#: How often to look while too few batches tell when one will end.
UNKNOWN_S = 0.2
#: How often a query is asked whether it still runs: each answer wakes two processes.
ASK_EVERY_S = 2.0


class QueryWatch:
    """Reads and steers one run of a query from its first whole batch on."""

    def __init__(
        self,
        bridge: Bridge,
        query: StreamingQuery,
        *,
        steers: bool,
        named: Named | None = None,
        followers: Followers | None = None,
        copies: CopyRules = NO_COPIES,
    ) -> None:
        plan = bridge.plan(query)
        if plan is None:
            raise RuntimeError("a query is watched once its first batch has ended")
        run_id = str(query.runId)
        self.python = runs_python(plan)
        self.shape: QueryShape = shape(
            plan, query.name or "", run_id, None if named is None else named.topology
        )
        # Asked for after every batch, and always the same.
        self._groups = tuple(
            KeyGroup(stage, partition)
            for stage, info in enumerate(self.shape.stages)
            for partition in range(info.partitions)
        )
        self.sizes = StateSizes(NearFiles(bridge.files), self.shape)
        self.placement = Placement(bridge, self.shape, steers=steers)
        self.copying = Copying(bridge, followers, query, self.shape, self.placement, copies)
        self.period: list[BatchSample] = []
        self.earlier: deque[BatchSample] = deque(maxlen=KEPT)
        self._bridge = bridge
        self._query = query
        self._named = named
        self.interval_s = bridge.interval_s(query)
        self._attention = Attention()
        self._wanted: tuple[int, bool] = -1, True
        self._asked_s = 0.0
        # The executors that loaded what is to move to them since the last batch was read.
        self._loading: frozenset[str] = frozenset()
        self._took_s: dict[int, float] = {}
        self._period_s: list[float] = []
        self._busiest_s: deque[float] = deque(maxlen=KEPT)
        # What ran before us may be a thousand jobs, and says little about now.
        self._last, self._read_to = EndedBatch(-1), -1
        self._note(bridge.last_ended(query) or self._last)
        self._reader = StatisticsReader(bridge, self.shape, after=bridge.last_ended_job(run_id))

    @property
    def active(self) -> bool:
        """Return whether the query still runs; an answer counts for a while."""
        now_s = time.time()
        if now_s < self._asked_s + ASK_EVERY_S:
            return True
        self._asked_s = now_s
        return bool(self._query.isActive)

    def chain_work(self) -> Mapping[str, tuple[float, ...]]:
        """Return who in a chain does how much of its work, if anybody counts it."""
        return {} if self._named is None else self._named.chain_work()

    @property
    def busiest_stage_s(self) -> float:
        """Return the longest that an executor worked in one stage of a recent batch.

        Not of the last alone: a batch that only closes windows is short, and the next one is not.
        """
        return max(self._busiest_s, default=0.0)

    @property
    def last_batch_s(self) -> float:
        """Return how long the last batch took, as far as that is known."""
        return next(reversed(self._took_s.values()), 0.0)

    def quiet_s(self, now_s: float) -> float:
        """Return how long the present batch is sure to run yet, going by the last ones."""
        return max(self._sure_until_s() - now_s, 0.0)

    def look_in_s(self, now_s: float) -> float:
        """Return how long it does no harm to look for no batch."""
        sure_s = self._sure_until_s()
        return look_in_s(now_s, sure_s) if sure_s else UNKNOWN_S

    def _sure_until_s(self) -> float:
        """Return until when the present batch is sure to run; 0 while too few tell."""
        recent_s = list(self._took_s.values())[-ALIKE:]
        if len(recent_s) < ALIKE or self._last.ended_s is None or self._last.started_s is None:
            return 0.0
        return sure_until_s(
            self._last.ended_s, self._last.started_s, min(recent_s), self.interval_s or 0.0
        )

    def rouse(self) -> None:
        """Read the next batches whatever they take: something was moved, or somebody came."""
        self._attention.rouse()

    def prepare(
        self, moves: Mapping[KeyGroup, Executor], *, together: bool
    ) -> Mapping[KeyGroup, Executor]:
        """Let new owners load what moves before it does; return the moves that go without."""
        cold = self.copying.prepare(moves, self._last.batch_id + 1, together=together)
        self._loading |= self.copying.loading()
        return cold

    def arrange(self, live: Sequence[Executor]) -> None:
        """See to it that large key groups have a second copy, if that is wanted."""
        if self.copying.keeps:
            sizes = dict(zip(self.groups(), self.sizes.sizes().tolist(), strict=True))
            self.copying.arrange(sizes, live, self._last.batch_id + 1)

    def groups(self) -> tuple[KeyGroup, ...]:
        """Return all key groups, stage after stage."""
        return self._groups

    def take_in(self, live: Sequence[Executor]) -> Seen:
        """Take in the batches that ended since, and reconcile with those that are read."""
        before = self._read_to
        samples = self._new_samples(live)
        if samples and self._loading:
            samples = [sample.beside_loads(self._loading) for sample in samples]
            self._loading = self.copying.loading()
        answers = [self.placement.after_batch(sample, live) for sample in samples]
        if any(answer.resent or answer.sent or answer.waiting for answer in answers):
            self.rouse()
        moves: list[SeenMove] = []
        for sample in samples:
            moves += moves_in(sample, (*self.earlier, *self.period))
            self.period.append(sample)
        self._busiest_s.extend(busiest_stage_s(sample) for sample in samples)
        took_s = self._period_of(range(before + 1, self._read_to + 1), samples)
        return seen_in(
            samples,
            answers,
            tuple(moves),
            took_s,
            fed_by_state=self.shape.fed_by_state,
            interval_s=self.interval_s,
        )

    def _new_samples(self, live: Sequence[Executor]) -> list[BatchSample]:
        """Return the batches that ended and are worth reading; asks only when one may have."""
        if self.quiet_s(time.time()) > 0:
            return []
        last = self._bridge.last_ended(self._query)
        if last is None or last.batch_id == self._read_to:
            return []
        # First of all: the tasks of the next batch are about to be placed.
        if self.copying.hand_over(live):
            self.rouse()
        if self._wanted[0] != last.batch_id:
            # One that was wanted may not be in the books yet; and without one before it there is
            # none that a batch could be like.
            owed = self._wanted[1] and self._wanted[0] > self._read_to
            wanted = (
                self._attention.wants(last.batch_s) or owed or not (self.period or self.earlier)
            )
            self._wanted = last.batch_id, wanted
        if not self._wanted[1]:
            self._pass_over(last)
            return []
        samples = self._reader.read(last.batch_id)
        if self._reader.read_to == last.batch_id:
            self._note(last)
        # Or only some of them are in the books already.
        self._read_to = max(self._read_to, self._reader.read_to)
        return samples

    def _pass_over(self, last: EndedBatch) -> None:
        """Let the batch that was read last stand for this one too, and for any between."""
        self._reader.pass_over(last.batch_id)
        kept = self.period or self.earlier
        for batch in range(self._read_to + 1, last.batch_id + 1):
            kept[-1] = kept[-1].and_one_more(last.ended_s or kept[-1].ended_s)
            self._note(replace(last, batch_id=batch))

    def _note(self, last: EndedBatch) -> None:
        """Remember that a batch is dealt with, and how long it took."""
        self._last, self._read_to = last, last.batch_id
        if last.batch_s is not None:
            self._took_s[last.batch_id] = last.batch_s

    def _period_of(self, batches: Iterable[int], samples: Sequence[BatchSample]) -> list[float]:
        """Return how long these batches took, as far as that is known; they are the period's."""
        spans = {sample.batch_id: sample.ended_s - sample.started_s for sample in samples}
        spans = {**spans, **self._took_s}
        took_s = [spans[batch] for batch in batches if batch in spans]
        self._period_s += took_s
        return took_s

    def throughput(self) -> Throughput:
        """Return how the query kept up in this period."""
        arrived, processed = self._bridge.rates(self._query)
        beside_s = [self._whole_s(sample) - stages_s(sample) for sample in self.period]
        return Throughput(
            batch_s=fmean(self._period_s) if self._period_s else None,
            interval_s=self.interval_s,
            # Spark gives no rate for a first batch.
            arrived_share=max(arrived / processed, 1.0) if processed > 0 <= arrived else 1.0,
            growth=growth([settled_s(sample) for sample in self.period]),
            beside_s=max(median(beside_s), 0.0) if beside_s else 0.0,
        )

    def _whole_s(self, sample: BatchSample) -> float:
        """Return how long a batch took; where Spark's word was missed, as long as its jobs."""
        return self._took_s.get(sample.batch_id, sample.ended_s - sample.started_s)

    def new_period(self) -> None:
        """Begin another period."""
        self.earlier.extend(self.period)
        self.period, self._period_s = [], []
        self._took_s = {b: took_s for b, took_s in self._took_s.items() if b > self._read_to - KEPT}
        # Now, for the round is over: a look takes longer than a plan.
        self.sizes.look()
