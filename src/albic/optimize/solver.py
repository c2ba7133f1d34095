"""Solves programs with HiGHS in a process that can be stopped.

HiGHS looks at its clock too seldom on large programs: with 2 million columns it came back after
four times its limit. So it runs in a child that streams what it finds; at the deadline the child is
killed, and the best solution until then is the answer.
"""

import math
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self, cast

import numpy as np
import numpy.typing as npt

from albic.arrays import Floats
from albic.optimize.program import Program
from albic.optimize.solver_messages import Message, Status, receive, send

#: What the child runs. It looks last where we are, in case only we know how to find ourselves.
CHILD = "import sys; sys.path.append(sys.argv[1]); from albic.optimize.highs import main; main()"
#: How it is started; ``-P`` keeps files of the working directory from posing as modules.
COMMAND = (sys.executable, "-P", "-c", CHILD, str(Path(__file__).parents[2]))
#: HiGHS is told to stop this much before it is killed, so that it can still say how far it came.
NOTICE_S = 0.03


@dataclass(frozen=True, slots=True)
class Limits:
    """When a solve may end.

    Parameters
    ----------
    time_limit_s
        When HiGHS is asked to stop.
    patience_s
        When it is killed; without it, at the time limit.
    gap
        How far above the proven bound the answer may be and still be called optimal.
    """

    time_limit_s: float
    patience_s: float | None = None
    gap: float = 1e-6
    seed: int = 0

    def patience(self) -> float:
        """Return the seconds after which HiGHS is killed."""
        return self.time_limit_s if self.patience_s is None else self.patience_s


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """What came of a solve; ``x`` is the best solution found, ``bound`` what none can beat."""

    status: Status
    x: Floats | None
    objective: float
    bound: float
    wall_s: float
    detail: str = ""


class Solver:
    """A HiGHS process for one program after the other: entered it starts, left it is gone.

    It needs a fraction of a second to get ready, so enter it before the program is built. After a
    failure or a kill it answers no more, and every further solve says why.
    """

    def __init__(self, command: tuple[str, ...] = COMMAND) -> None:
        self._command = command
        self._process: subprocess.Popen[bytes] | None = None
        self._threads: list[threading.Thread] = []
        self._news: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self._ended = ""

    @property
    def pid(self) -> int | None:
        """Return the id of the process, if it could be started."""
        return self._process.pid if self._process else None

    def __enter__(self) -> Self:
        try:
            self._process = subprocess.Popen(  # noqa: S603 - our own module, nothing of a user's
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        except OSError as error:
            self._ended = f"the solver cannot be started: {error}"
            return self
        self._in_background(_listen, cast("BinaryIO", self._process.stdout), self._news)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process is None:
            return
        self._process.kill()
        self._process.wait()
        for thread in self._threads:
            thread.join()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            # What the child never read cannot be flushed any more.
            with suppress(BrokenPipeError):
                cast("BinaryIO", pipe).close()

    def solve(self, program: Program, limits: Limits, start: Floats | None = None) -> Solution:
        """Return the best solution within ``limits``."""
        began_s = time.monotonic()
        best = Solution(Status.FAILED, None, math.inf, -math.inf, 0.0, self._ended)
        if self._process is None or self._ended:
            return best
        pipe = cast("BinaryIO", self._process.stdin)
        self._in_background(_hand_over, pipe, job_of(program, limits, start))
        while True:
            left_s = began_s + limits.patience() - time.monotonic()
            try:
                message = self._news.get(timeout=max(left_s, 0.0))
            except queue.Empty:
                self._process.kill()
                self._process.wait()
                self._ended = "the solver was stopped at its time limit"
                return _final(best, Status.TIME_LIMIT, began_s, self._ended)
            if message is None:
                self._ended = _last_words(self._process)
                return _final(best, Status.FAILED, began_s, self._ended)
            best = _better(best, message, program)
            status = Status(str(message["status"]))
            if status is not Status.RUNNING:
                return _final(best, status, began_s)

    def _in_background(self, task: Callable[..., None], *arguments: object) -> None:
        """Start a thread; all of them end when the process does."""
        thread = threading.Thread(target=task, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()


def _listen(pipe: BinaryIO, news: "queue.SimpleQueue[Message | None]") -> None:
    """Queue what the child says, and None when it has ended."""
    while message := receive(pipe):
        news.put(message)
    news.put(None)


def _hand_over(pipe: BinaryIO, job: dict[str, npt.ArrayLike]) -> None:
    """Send a job; a child that dies meanwhile is noticed by the one who waits for its answer."""
    with suppress(BrokenPipeError):
        send(pipe, **job)


def job_of(program: Program, limits: Limits, start: Floats | None) -> dict[str, npt.ArrayLike]:
    """Return what the child needs to know, under the names it knows."""
    return {
        "cost": program.cost,
        "offset": program.offset,
        "row_start": program.rows.indptr.astype(np.int32),
        "column": program.rows.indices.astype(np.int32),
        "value": program.rows.data,
        "row_low": program.row_low,
        "row_high": program.row_high,
        "col_low": program.col_low,
        "col_high": program.col_high,
        "integer": program.integer.astype(np.int32),
        "start": np.zeros(0) if start is None else start,
        "time_limit_s": max(limits.time_limit_s - NOTICE_S, NOTICE_S),
        "gap": limits.gap,
        # HiGHS takes seeds of 31 bits.
        "seed": limits.seed % 2**31,
    }


def _better(best: Solution, message: Message, program: Program) -> Solution:
    """Return the better of what was known and what the child now says."""
    bound = max(best.bound, float(message["bound"]))
    x: Floats = message["x"]
    if x.size and (value := program.value(x)) <= best.objective:
        return replace(best, x=x, objective=value, bound=bound)
    return replace(best, bound=bound)


def _final(best: Solution, status: Status, began_s: float, detail: str = "") -> Solution:
    """Return ``best`` as the answer."""
    return replace(best, status=status, wall_s=time.monotonic() - began_s, detail=detail)


def _last_words(process: "subprocess.Popen[bytes]") -> str:
    """Return how a process ended that nobody told to; one that talks nonsense is ended here."""
    process.kill()
    said = cast("BinaryIO", process.stderr).read().decode(errors="replace").strip()
    last = said.splitlines()[-1] if said else "without a word"
    return f"the solver ended with code {process.wait()}: {last}"
