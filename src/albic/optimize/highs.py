"""The solver's process: programs come in on stdin, incumbents and answers go out on stdout.

Started by ``solver`` as a program of its own, because HiGHS overshoots its time limit on large
programs and can only be stopped from outside. It loads nothing but numpy and HiGHS, so that it is
ready in a fraction of a second. The only file that imports highspy.
"""

import os
import queue
import sys
import threading
from functools import partial
from typing import BinaryIO

import highspy
import numpy as np
import numpy.typing as npt
from highspy import HighsModelStatus, HighsStatus

from albic.optimize.solver_messages import Message, Status, receive, send

STATUS = {
    HighsModelStatus.kOptimal: Status.OPTIMAL,
    HighsModelStatus.kTimeLimit: Status.TIME_LIMIT,
    HighsModelStatus.kInfeasible: Status.INFEASIBLE,
    HighsModelStatus.kUnbounded: Status.UNBOUNDED,
    HighsModelStatus.kUnboundedOrInfeasible: Status.UNBOUNDED,
}
IMPROVED = highspy.cb.HighsCallbackType.kCallbackMipImprovingSolution
PROGRESS = highspy.cb.HighsCallbackType.kCallbackMipLogging


def main() -> None:
    """Solve one program after the other until the parent is gone."""
    # Whatever a library prints must not get between the answers.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    jobs: queue.SimpleQueue[Message] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, jobs), daemon=True).start()
    while True:
        answer(jobs.get(), answers)


def _listen(stream: BinaryIO, jobs: "queue.SimpleQueue[Message]") -> None:
    """Queue what the parent sends; when it has gone, go too, even in the middle of a solve."""
    while job := receive(stream):
        jobs.put(job)
    os._exit(0)


def answer(job: Message, answers: BinaryIO) -> None:
    """Solve one program, telling of each better solution and bound on the way."""
    highs = _loaded(job)
    highs.setCallback(partial(_report, answers), None)
    highs.startCallback(IMPROVED)
    highs.startCallback(PROGRESS)
    failed = highs.run() == HighsStatus.kError
    info, status = highs.getInfo(), STATUS.get(highs.getModelStatus(), Status.FAILED)
    found = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
    send(
        answers,
        status=Status.FAILED if failed else status,
        bound=info.mip_dual_bound if job["integer"].any() else info.objective_function_value,
        x=np.array(highs.getSolution().col_value if found else []),
    )


def _loaded(job: Message) -> "highspy._core._Highs":
    """Return HiGHS with the job's program, settings and start."""
    # The plain class: highspy's own adds a modelling layer that we have no use for.
    highs = highspy._core._Highs()
    options: dict[str, bool | int | float | str] = {
        # The progress callback fires only where there is output to speak of.
        "output_flag": True,
        "log_to_console": False,
        "mip_min_logging_interval": 0.1,
        "threads": 1,
        "parallel": "off",
        "random_seed": int(job["seed"]),
        "time_limit": float(job["time_limit_s"]),
        # A relative gap would be coarse for large objectives and endless for those near 0.
        "mip_rel_gap": 0.0,
        "mip_abs_gap": float(job["gap"]),
        # Below the judge's tolerance, so that a solution that HiGHS accepts is one to us.
        "mip_feasibility_tolerance": 1e-7,
    }
    for option, value in options.items():
        _expect_ok(highs.setOptionValue(option, value), option)
    _expect_ok(_pass_program(highs, job), "the program")
    if job["start"].size:
        columns = np.arange(job["start"].size, dtype=np.int32)
        _expect_ok(highs.setSolution(columns.size, columns, job["start"]), "the start")
    return highs


def _pass_program(highs: "highspy._core._Highs", job: Message) -> HighsStatus:
    """Hand the program over, row by row."""
    return highs.passModel(
        job["cost"].size,
        job["row_low"].size,
        job["value"].size,
        int(highspy.MatrixFormat.kRowwise),
        int(highspy.ObjSense.kMinimize),
        float(job["offset"]),
        job["cost"],
        job["col_low"],
        job["col_high"],
        job["row_low"],
        job["row_high"],
        job["row_start"],
        job["column"],
        job["value"],
        job["integer"],
    )


def _report(
    answers: BinaryIO,
    kind: highspy.cb.HighsCallbackType,
    _text: str,
    news: highspy.cb.HighsCallbackOutput,
    _reply: highspy.cb.HighsCallbackInput,
    _user: object,
) -> None:
    """Tell the parent of a better solution or of how far the search is."""
    x: npt.ArrayLike = news.mip_solution if kind == IMPROVED else []
    send(answers, status=Status.RUNNING, bound=news.mip_dual_bound, x=np.array(x, np.float64))


def _expect_ok(status: HighsStatus, what: str) -> None:
    """Stop where HiGHS refuses what it is given."""
    if status == HighsStatus.kError:
        raise ValueError(f"HiGHS refuses {what}")
