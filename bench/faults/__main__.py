"""Strike running jobs with faults, as plain Spark and with albic, and say what came of it."""

import argparse
import contextlib
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from albic.nodes import missing
from albic.wiring import LocalCluster, local_cluster
from bench.faults.fault import NODES as ISOLATED
from bench.faults.fault import Fault
from bench.faults.page import complaints, table, write
from bench.faults.processes import of_application
from bench.faults.registry import FAULTS, lacking
from bench.faults.running import Outcome, struck_by

QUICK, LONG = 20, 200
NODES = 3
SETTINGS = {"spark.sql.shuffle.partitions": "8"}


@dataclass(frozen=True, slots=True)
class Strike:
    """A fault under one mode; the seed chooses the job, the moment and the victim."""

    fault: Fault
    mode: str
    seed: int


def drawn(faults: Sequence[Fault], count: int, seed: int) -> list[Strike]:
    """Return ``count`` strikes: every fault in every mode as often as any other, in any order.

    The two modes of a fault follow each other and have one seed, so that both meet the same.
    """
    rng = np.random.default_rng(seed)
    found: list[Strike] = []
    while len(found) < count and faults:
        for at in rng.permutation(len(faults)):
            fault = faults[int(at)]
            modes = list(fault.modes)
            ordered = modes if rng.random() < 0.5 else modes[::-1]
            found += [Strike(fault, mode, 1000 * seed + len(found)) for mode in ordered]
    return found[:count]


@contextlib.contextmanager
def _cluster(faults: Sequence[Fault]) -> Iterator[LocalCluster]:
    """Yield a cluster that the faults can strike: isolated where one of them asks for it."""
    isolated = any(fault.needs == ISOLATED for fault in faults)
    nodes = {"cpu": 0.6, "network": "200mbit"} if isolated else {}
    with local_cluster(NODES, settings=SETTINGS, **nodes) as cluster:  # type: ignore[arg-type]
        yield cluster


def strike_all(strikes: Sequence[Strike]) -> list[Outcome]:
    """Run every strike and return what came of it; say so as it goes."""
    outcomes: list[Outcome] = []
    # Executors look after state for a while yet, so the folders go after them.
    with (
        TemporaryDirectory(prefix="albic-faults-", ignore_cleanup_errors=True) as place,
        _cluster([strike.fault for strike in strikes]) as cluster,
    ):
        application = str(cluster.spark.sparkContext.applicationId)
        for number, strike in enumerate(strikes, 1):
            fault, mode = strike.fault, strike.mode
            began_s = time.monotonic()
            folder = Path(place) / str(number)
            folder.mkdir()
            outcome = struck_by(fault, mode, cluster, folder, strike.seed)
            outcomes.append(outcome)
            took_s = time.monotonic() - began_s
            print(
                f"{number:3} {fault.name} ({outcome.job}, {mode}): {outcome.wrong} rows wrong, "
                f"{outcome.query}, stall {outcome.stall_s:.1f} s, took {took_s:.0f} s",
                file=sys.stderr,
                flush=True,
            )
    # Not only Spark's: a cluster that is closed leaves no process at all.
    if left := of_application(application):
        raise RuntimeError(f"processes outlived the cluster: {left}")
    return outcomes


def main() -> int:
    """Run the faults that were asked for; return 1 where something is not as it should be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--faults", type=int, default=LONG, help="how many strikes")
    parser.add_argument("--quick", action="store_true", help=f"only {QUICK} of them")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", help="a fault by name, or a part of it")
    parser.add_argument("--out", type=Path, default=Path("out/faults.json"))
    parser.add_argument("--docs", type=Path, help="put the table into this page")
    options = parser.parse_args()
    wanted = [
        fault
        for fault in FAULTS
        if options.only is None or any(part in fault.name for part in options.only)
    ]
    if not wanted:
        parser.error(f"no fault is called that; there are {', '.join(f.name for f in FAULTS)}")
    for fault in wanted:
        if why := lacking(fault):
            print(f"left out: {fault.name}: {why}", file=sys.stderr)
    there = [fault for fault in wanted if lacking(fault) is None]
    if missing() is None and options.only is None:
        print("on isolated nodes", file=sys.stderr)
    count = QUICK if options.quick else options.faults
    outcomes = strike_all(drawn(there, count, options.seed))
    options.out.parent.mkdir(parents=True, exist_ok=True)
    rows = [asdict(outcome) for outcome in outcomes]
    options.out.write_text(json.dumps({"seed": options.seed, "outcomes": rows}, indent=1))
    print(table(outcomes))
    if options.docs is not None:
        write(options.docs, outcomes)
    wrong = complaints(outcomes)
    for sentence in wrong:
        print(sentence)
    print(f"{len(outcomes)} faults, {sum(each.wrong for each in outcomes)} rows wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
