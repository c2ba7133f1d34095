"""One fault under one run of one job: feed, strike, heal, finish, and hold against all input."""

import re
import statistics
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from pyspark.sql.streaming.query import StreamingQuery

import albic
from albic.control import Controller, RoundRecord, read_journal
from albic.control.journal import Status
from albic.model import AlbicError, Snapshot
from albic.spark.attaching import bridge_of_process
from albic.wiring import LocalCluster
from bench.faults.fault import ALBIC, MOUNTS, Fault, Struck
from bench.faults.of_the_driver import KILL, killed_and_restarted
from bench.faults.on_the_storage import mount, unmount
from tests.spark.exactness import FILES, Case, RandomMoves, Stream
from tests.spark.examples_over_files import CASES

#: Files before the strike: the first starts everything, the others show how long a batch takes.
BEFORE = 4
PATIENCE_S = 150.0
#: How long a batch may take to begin once its file is there.
START_S = 5.0
#: How long the round after a struck batch is waited for; some faults leave none.
ROUND_S = 15.0
WENT_ON, FAILED = "went on", "failed"
ALL_MOVES = 10_000
#: What every failure of a query is wrapped into.
OUTER = "STREAM_FAILED"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a fault.

    ``missing`` and ``extra`` count rows that are not as a computation over all input has them.
    ``stall_s`` is how much longer the struck batch took than those before it. ``left`` names what
    should be gone, ``told`` is what the journal says of it.
    """

    fault: str
    job: str
    mode: str
    seed: int
    missing: int
    extra: int
    query: str
    stall_s: float
    left: tuple[str, ...] = ()
    told: str | None = None
    stopped: str | None = None

    @property
    def wrong(self) -> int:
        """Return how many rows are wrong."""
        return self.missing + self.extra


def struck_by(fault: Fault, mode: str, cluster: LocalCluster, folder: Path, seed: int) -> Outcome:
    """Run a job under a fault and return what came of it."""
    rng = np.random.default_rng(seed)
    jobs = [case for case in CASES if not fault.python or case.name == "account_balances"]
    case: Case = jobs[int(rng.integers(len(jobs)))]
    if fault.name == KILL:
        said = killed_and_restarted(folder, case.name, mode, seed)
        return Outcome(fault.name, case.name, mode, seed, **said)
    run = _Run(fault, mode, cluster, folder, rng, Stream(cluster.spark, case, folder, seed))
    try:
        run.go()
    finally:
        run.end()
    return run.outcome(seed)


class _Run:
    """One run, from the first file to the last."""

    def __init__(
        self,
        fault: Fault,
        mode: str,
        cluster: LocalCluster,
        folder: Path,
        rng: np.random.Generator,
        stream: Stream,
    ) -> None:
        self._fault = fault
        self._mode = mode
        self._cluster = cluster
        self._folder = folder
        self._rng = rng
        self._stream = stream
        self._journal = folder / "journal.jsonl"
        self._controller: Controller | None = None
        self._stopped: str | None = None
        self._told: list[RoundRecord] = []
        self._query = WENT_ON
        self._took_s: list[float] = []
        self._stall_s = 0.0
        self._missed: str | None = None
        self._nodes = len(cluster.hosts)
        if fault.needs == MOUNTS:
            mount(folder / "checkpoint")

    def go(self) -> None:
        """Feed all files, one a batch; strike in the middle of one."""
        self._begin()
        for number in range(2, BEFORE + 1):
            self._took_s.append(self._fed(number))
        struck_at = int(self._rng.integers(BEFORE + 1, FILES - 1))
        for number in range(BEFORE + 1, FILES + 1):
            took_s = self._struck(number) if number == struck_at else self._fed(number)
            if number == struck_at:
                self._stall_s = max(took_s - statistics.median(self._took_s), 0.0)
            if self._over:
                return

    @property
    def _over(self) -> bool:
        """Return whether nobody could go on from here."""
        return self._fault.fatal and self._query != WENT_ON

    def _begin(self) -> None:
        self._cluster.wait_for_executors(len(self._cluster.hosts))
        self._stream.release(1)
        self._stream.start()
        self._processed()
        self._attach()

    def _attach(self) -> None:
        """Attach a controller where the mode has one; it may already see half a query."""
        if self._mode != ALBIC:
            return
        more: dict[str, Any] = {}
        if self._fault.moving:
            more = {"planner": RandomMoves(7), "max_migrations": ALL_MOVES, "least_gain": 0.0}
        query = self._stream.query
        self._controller = albic.attach(query, period="1 batch", journal=self._journal, **more)  # type: ignore[arg-type]
        if self._fault.moving:
            _weightless(self._controller)

    def _fed(self, number: int) -> float:
        """Let one more file in and return how long its batch took."""
        began_s = time.monotonic()
        self._stream.release(number)
        self._survive(self._processed)
        return time.monotonic() - began_s

    def _struck(self, number: int) -> float:
        """Let one more file in and strike while it is worked on."""
        query = self._stream.query
        assert query is not None  # noqa: S101  it was started
        struck = Struck(
            self._cluster, query, self._controller, self._folder, self._journal, self._rng
        )
        pause_s = float(self._rng.uniform(0.1, 0.7)) * _batch_s(query)
        began_s = time.monotonic()
        self._stream.release(number)
        while not query.status["isTriggerActive"] and time.monotonic() < began_s + START_S:
            time.sleep(0.005)
        time.sleep(pause_s)
        # Not here: a fault that lasts for ten seconds is not to keep us from seeing the batch end.
        striking = threading.Thread(target=self._strike, args=(struck,), daemon=True)
        striking.start()

        def whole_again() -> None:
            striking.join(PATIENCE_S)
            while struck.healing:
                with suppress(FileNotFoundError, AttributeError):
                    struck.healing.pop()()

        rounds = self._rounds()
        self._survive(self._processed, whole_again)
        took_s = time.monotonic() - began_s
        striking.join(PATIENCE_S)
        # What is wrong with the controller shows in the round after the batch.
        ends_s = time.monotonic() + ROUND_S
        while self._fault.moving and self._rounds() == rounds and time.monotonic() < ends_s:
            time.sleep(0.05)
        whole_again()
        return took_s

    def _rounds(self) -> int:
        """Return how many lines the journal has."""
        return self._journal.read_bytes().count(b"\n") if self._journal.exists() else 0

    def _strike(self, struck: Struck) -> None:
        try:
            self._fault.strike(struck)
        except Exception as wrong:  # noqa: BLE001  a thread has nobody else to tell
            self._missed = f"{type(wrong).__name__}: {wrong}"

    def _survive(self, work: Callable[[], None], heal: Callable[[], None] = lambda: None) -> None:
        """Do something; where the query fails on it, heal and start it again where it stopped."""
        for _ in range(3):
            try:
                work()
            except Exception as wrong:  # noqa: BLE001  whatever Spark fails with
                self._query = f"{FAILED}: {_kind(wrong)}"
                heal()
                if self._over:
                    return
                self._leave()
                self._stream.start()
                with suppress(AlbicError):
                    self._attach()
            else:
                return
        raise RuntimeError(f"{self._fault.name}: the query does not come back")

    def _processed(self) -> None:
        """Return when all files that there are were worked on; refuse to wait for ever."""
        query = self._stream.query
        assert query is not None  # noqa: S101  it was started
        done = threading.Event()
        wrong: list[Exception] = []

        def wait() -> None:
            try:
                query.processAllAvailable()
            except Exception as error:  # noqa: BLE001  told to whoever waits
                wrong.append(error)
            done.set()

        threading.Thread(target=wait, daemon=True).start()
        if not done.wait(PATIENCE_S):
            raise RuntimeError(f"{self._fault.name}: no batch ended within {PATIENCE_S:g} s")
        if wrong:
            raise wrong[0]

    def _leave(self) -> None:
        """Stop the controller, if there is one, and keep what it wrote."""
        if self._controller is not None:
            self._stopped = self._stopped or self._controller.status().stopped
            self._controller.stop()
            self._controller = None

    def end(self) -> None:
        """Stop everything, whatever happened."""
        if self._stream.query is not None:
            self._stream.query.stop()
        self._leave()
        if self._journal.exists():
            with suppress(AlbicError):
                self._told = list(read_journal(self._journal))
        self._complete()

    def _complete(self) -> None:
        """Make the cluster whole, and its checkpoint plain, for whoever comes next."""
        while len(self._cluster.hosts) < self._nodes:
            self._cluster.add_node()
        if self._fault.needs == MOUNTS:
            unmount(self._folder / "checkpoint")
        bridge, ends_s = bridge_of_process(), time.monotonic() + PATIENCE_S
        while len(bridge.executor_ids()) != self._nodes and time.monotonic() < ends_s:
            time.sleep(0.1)

    def outcome(self, seed: int) -> Outcome:
        """Return what came of it."""
        if self._missed is not None:
            raise RuntimeError(f"{self._fault.name} did not strike: {self._missed}")
        found, expected = self._stream.found(), self._stream.expected()
        short: Counter[Any] = Counter() if self._over else expected - found
        return Outcome(
            self._fault.name,
            self._stream.case.name,
            self._mode,
            seed,
            missing=short.total(),
            extra=(found - expected).total(),
            query=self._query,
            stall_s=self._stall_s,
            left=tuple(_left()),
            told=_sentence(self._told),
            stopped=self._stopped,
        )


def _weightless(controller: Controller) -> None:
    """Let loads be nothing: moves at random make things worse, and the judge refuses such."""
    runtime = controller._parts.statistics
    truly = runtime.snapshot

    def snapshot() -> Snapshot:
        seen = truly()
        return replace(seen, usage=np.zeros_like(seen.usage))

    runtime.snapshot = snapshot  # type: ignore[method-assign]


def _batch_s(query: StreamingQuery) -> float:
    """Return how long a batch with rows took lately."""
    took_ms = [
        progress["durationMs"]["triggerExecution"]
        for progress in query.recentProgress
        if progress["numInputRows"]
    ]
    return statistics.median(took_ms[-BEFORE:]) / 1e3 if took_ms else 0.5


def _kind(wrong: Exception) -> str:
    """Return what kind of failure it is, in Spark's own word for it where it has one."""
    codes = [code for code in re.findall(r"\[([A-Z][A-Z0-9_.]+)\]", str(wrong)) if code != OUTER]
    causes = re.findall(r"(\w+(?:Exception|Error)): ", str(wrong))
    return (codes or causes or [type(wrong).__name__])[-1]


def _left() -> list[str]:
    """Return the threads of ours that outlived a run."""
    ends_s = time.monotonic() + 10
    while time.monotonic() < ends_s:
        names = [t.name for t in threading.enumerate() if t.name.startswith("albic")]
        if not names:
            return []
        time.sleep(0.1)
    return names


def _sentence(records: list[RoundRecord]) -> str | None:
    """Return what a journal tells of a fault: an error, a loss, or else how the last round went."""
    for record in reversed(records):
        if record.error is not None:
            return record.error
    for record in reversed(records):
        if record.trigger == "loss":
            return f"loss: {record.reason}"
    done = [record for record in records if record.status is not Status.NOT_READY]
    return done[-1].reason if done else None
