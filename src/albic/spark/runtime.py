"""A Spark application as the loop sees it: it is measured and moved through one object.

Measuring and moving share the executors and the batches, so one object answers both ports. Only
the loop's thread calls it, and a second one makes newcomers warm.
"""

import time
from collections.abc import Iterable, Mapping, Sequence

from pyspark.sql.streaming.query import StreamingQuery

from albic.advice.surroundings import HDFS_BACKED, PROVIDER
from albic.control.invariants import Ground
from albic.control.move_costs import MeasuredMove
from albic.control.ports import Effect, News
from albic.model import NotReady, Plan, PlanRejected, Snapshot, Throughput
from albic.spark import observing
from albic.spark.batch_summary import Seen
from albic.spark.bridge import Bridge
from albic.spark.executors import Executor, Executors
from albic.spark.locality import LONGEST_WAIT_S, LocalityWait, placed_anew
from albic.spark.operators import Named
from albic.spark.period_estimate import Gauge
from albic.spark.plan_delivery import deliver
from albic.spark.query_copies import NO_COPIES, CopyRules
from albic.spark.warming import Warmth
from albic.spark.watched_queries import WatchedQueries

#: A lost executor stops a batch for longer than this anyway: Spark has to notice first.
ROLL_CALL_EVERY_S = 0.25


class SparkRuntime:
    """Answers the loop's ports StatisticsSource and Placement for the queries of a session.

    Parameters
    ----------
    named
        The queries that brought their operators along, by run id.
    per_batch
        How many moves of a plan go into one batch; more make that batch late.
    steers
        Whether state is moved at all; if not, nothing of the application is touched.
    copies
        Which copies of state there are: for moves, and for losses.
    """

    def __init__(
        self,
        bridge: Bridge,
        queries: Iterable[StreamingQuery],
        named: Mapping[str, Named],
        *,
        per_batch: int,
        steers: bool,
        copies: CopyRules = NO_COPIES,
    ) -> None:
        self._bridge = bridge
        self._copies = copies if steers else NO_COPIES
        self._queries = WatchedQueries(bridge, queries, named, self._copies)
        self._per_batch = per_batch
        self._steers = steers
        self._executors = Executors(bridge)
        self._executors.look()
        self._wait = LocalityWait(bridge)
        self._warmth = Warmth(bridge, self._executors.live())
        self._lost: list[str] = []
        self._seen: list[tuple[Seen, tuple[MeasuredMove, ...]]] = []
        self._gauge = Gauge()
        # RocksDB keeps state on disk, with a cache that does not grow with it.
        self._in_memory = bridge.setting(PROVIDER, HDFS_BACKED) == HDFS_BACKED
        self._lost_at_s = 0.0
        self._roll_call_s = 0.0
        self._generation = 0

    def begin(self, patience_s: float) -> None:
        """Wait for the first batch of every query, but not for long; refuse what has no state."""
        ends_s = time.monotonic() + patience_s
        self._take_on()
        while self._queries.pending and time.monotonic() < ends_s:
            time.sleep(0.05)
            self._take_on()

    # Measuring

    def observe(self) -> News:
        """Read new batches and executors; repeat where Spark did not follow us."""
        self._call_the_roll()
        live = self._executors.live()
        seen = [watch.take_in(live) for watch in self._queries.watches]
        self._seen += [
            (one, observing.measured_moves(self._queries.watches, watch, one.moves))
            for watch, one in zip(self._queries.watches, seen, strict=True)
            if one.batches
        ]
        read = any(one.read for one in seen)
        if read:
            self._after_batches(seen)
        avoidable, moved = None, None
        # Who loads a copy is slow for other reasons than its place.
        if read and not self._preparing():
            avoidable, moved = self._gauge.newest(
                observing.newest(self._queries.watches, self._usable())
            )
        ended = any(one.batches for one in seen)
        if ended and self._steers:
            # Whether batches are read or not: copies that nobody asks for end by themselves.
            for watch in self._queries.watches:
                watch.arrange(self._usable())
        now_s, (lost, self._lost) = time.time(), (tuple(self._lost), [])
        return News(
            batches=max((one.batches for one in seen), default=0),
            joined=self._warmth.newcomers(live),
            lost=lost,
            over=not self._queries.watches and not self._queries.pending,
            avoidable=avoidable,
            quiet_s=min((watch.look_in_s(now_s) for watch in self._queries.watches), default=0.0),
            pace=max((one.pace for one in seen if one.pace is not None), default=None),
            batch_s=sum(watch.last_batch_s for watch in self._queries.watches) if ended else None,
            moved=moved,
        )

    def snapshot(self) -> Snapshot:
        """Return what the queries did in this period; raise NotReady while something is missing."""
        if self._queries.pending or not self._queries.watches:
            raise NotReady("a query has not ended its first batch yet")
        if under_way := self._preparing():
            raise NotReady(f"{under_way} moves of the last plan are being prepared")
        memory_bytes = self._bridge.executor_memory_bytes() if self._in_memory else None
        seen = observing.observation(
            self._queries.watches, self._usable(), self._generation, memory_bytes
        )
        return self._gauge.period(seen)

    def throughput(self) -> Throughput:
        """Return how the slowest query kept up in this period."""
        return observing.slowest(self._queries.watches)

    def new_period(self) -> None:
        """Begin another period."""
        for watch in self._queries.watches:
            watch.new_period()

    # Who is needed

    def holding(self) -> frozenset[str]:
        """Return the executors that own a key group, or are about to."""
        return observing.holding(self._queries.watches)

    def usable(self) -> frozenset[str]:
        """Return the executors that may be given state."""
        return frozenset(executor.id for executor in self._usable())

    # Moving

    def apply(self, plan: Plan, snapshot: Snapshot) -> None:
        """Point what lay on lost executors at once, and the rest over the next batches."""
        self._look()
        if plan.generation != self._generation:
            raise PlanRejected(["executors came or went while the plan was made"])
        deliver(plan, snapshot, self._queries.watches, self._executors.live(), self._per_batch)

    def drop(self) -> int:
        """Leave out the moves that are not made yet, and the copies that were made for them."""
        left = sum(len(watch.placement.waiting()) for watch in self._queries.watches)
        for watch in self._queries.watches:
            watch.copying.drop()
            watch.placement.drop()
        return left

    def spread(self, per_batch: int) -> None:
        """Let so many moves of a plan go into one batch from now on."""
        self._per_batch = per_batch

    def effect(self) -> Effect:
        """Return what the batches since the last question showed."""
        seen, self._seen = self._seen, []
        return observing.effect_of(seen, self._queries.watches)

    def ground(self) -> Ground:
        """Return how things stand now, by what we keep of it: nobody is asked."""
        return observing.ground(self._queries.watches, self._generation, self.usable())

    def close(self) -> None:
        """Put back what the application had; its state stays where it is, and is only followed."""
        self._warmth.close()
        for watch in self._queries.watches:
            watch.copying.stop()
            watch.placement.follow_only()
        if self._steers:
            self._wait.restore()
        self._steers = False

    def _call_the_roll(self) -> None:
        """Notice which queries and executors there are; looks for a batch's end come faster."""
        now_s = time.monotonic()
        if now_s >= self._roll_call_s + ROLL_CALL_EVERY_S:
            self._roll_call_s = now_s
            self._take_on()
            self._look()
            for watch in self._queries.watches:
                watch.sizes.first_look()

    def _take_on(self) -> None:
        """Watch queries whose first batch has ended, and let go of those that stopped."""
        for _ in self._queries.newcomers(steers=self._steers):
            self._generation += 1
            if self._steers:
                # How long its stages are is not known yet, and its next one is about to begin.
                self._wait.fit(LONGEST_WAIT_S)
        if self._queries.let_go():
            self._generation += 1

    def _look(self) -> None:
        """Notice who came and who is gone, and keep it for the next news."""
        change = self._executors.look()
        if not change.joined and not change.lost:
            return
        self._generation += 1
        for watch in self._queries.watches:
            watch.rouse()
        self._lost += change.lost
        self._warmth.forget(change.lost)
        if change.lost and self._steers:
            self._rescue(change.lost)

    def _rescue(self, lost: Sequence[str]) -> None:
        """Let tasks that wait for lost executors go where there is a copy, else anywhere."""
        self._lost_at_s = time.time()
        live = self._executors.live()
        left = [group for watch in self._queries.watches for group in watch.copying.rescue(live)]
        if self._copies.standby_bytes is None or not placed_anew(self._bridge, lost) or left:
            self._wait.suspend()

    def _after_batches(self, seen: Sequence[Seen]) -> None:
        """Fit the wait to the batches that ended, and make idle executors warm."""
        if self._steers and max(one.last_ended_s for one in seen) > self._lost_at_s:
            # Queries share the executors, so a task may wait for a stage of each.
            self._wait.fit(sum(watch.busiest_stage_s for watch in self._queries.watches))
        owners = [
            o.id for watch in self._queries.watches for o in watch.placement.owners().values()
        ]
        self._warmth.noted(owners)
        if self._steers:
            python = any(watch.python for watch in self._queries.watches)
            self._warmth.make(self._executors.live(), python=python)
        else:
            self._warmth.noted(executor.id for executor in self._executors.live())

    def _preparing(self) -> int:
        """Return how many moves are on their way."""
        return sum(len(watch.placement.held()) for watch in self._queries.watches)

    def _usable(self) -> list[Executor]:
        """Return the executors that may get state."""
        return self._warmth.warm(self._executors.live())
