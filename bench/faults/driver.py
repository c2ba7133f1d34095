"""A driver of its own, to be killed: runs a job over all of its files, and says when a batch ended.

Started again, it goes on from the checkpoint and prints what came out as JSON.
"""

import argparse
import json
import time
from pathlib import Path

import albic
from bench.faults.fault import ALBIC
from tests.spark.exactness import FILES, RandomMoves, Stream
from tests.spark.examples_over_files import CASES


def main() -> None:
    """Run the job that the arguments name."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("case", choices=[case.name for case in CASES])
    parser.add_argument("mode")
    parser.add_argument("seed", type=int)
    parser.add_argument("--again", action="store_true")
    options = parser.parse_args()
    case = next(case for case in CASES if case.name == options.case)
    settings = {"spark.sql.shuffle.partitions": "8"}
    with albic.local_cluster(2, settings=settings) as cluster:
        stream = Stream(cluster.spark, case, options.folder, options.seed, resume=options.again)
        began_s = time.monotonic()
        query = stream.start()
        first = stream.released + 1
        if not options.again:
            stream.release(1)
            first = 2
        query.processAllAvailable()
        stall_s = time.monotonic() - began_s
        if options.mode == ALBIC:
            journal = options.folder / "journal.jsonl"
            albic.attach(query, planner=RandomMoves(3), period="1 batch", journal=journal)
        for number in range(first, FILES + 1):
            stream.release(number)
            if not options.again:
                # Said in the middle of the batch, which is when the end is to come.
                print(f"batch {number}", flush=True)
            query.processAllAvailable()
        query.stop()
        found, expected = stream.found(), stream.expected()
    short, extra = (expected - found).total(), (found - expected).total()
    said = {"missing": short, "extra": extra, "query": "started again", "stall_s": stall_s}
    print(json.dumps(said))


if __name__ == "__main__":
    main()
