"""Clusters that albic did not start: the same one line, the same moves."""

import contextlib
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pyspark
import pytest

#: An application as a user has it, in a process of its own: one process has one driver.
APPLICATION = """
import sys, time
from pyspark.sql import SparkSession, functions as fn
import albic
from albic.control.journal import Status

master, folder = sys.argv[1:]
builder = SparkSession.builder.master(master).config("spark.ui.enabled", "false")
builder = builder.config("spark.sql.shuffle.partitions", "4").config("spark.executor.cores", "1")
builder = builder.config("spark.executor.memory", "512m").config("spark.driver.host", "127.0.0.1")
spark = builder.config("spark.local.dir", folder + "/local").getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
context = spark.sparkContext._jsc.sc()
ends_s = time.monotonic() + 240
while context.getExecutorIds().size() < 2 and time.monotonic() < ends_s:
    time.sleep(0.2)
rows = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 400).load()
counts = rows.groupBy((fn.col("value") % 20).alias("key")).count()
# Two of the four partitions are slow, so that one executor has too much when it has all.
slow_ms = fn.expr("CASE WHEN pmod(hash(key), 4) < 2 THEN 150 ELSE 10 END").cast("long")
slow = fn.expr("reflect('java.lang.Thread', 'sleep', slow_ms) AS slept")
result = counts.withColumn("slow_ms", slow_ms).select("key", "count", slow)
writer = result.writeStream.format("memory").queryName("totals").outputMode("complete")
query = writer.option("checkpointLocation", folder + "/checkpoint").start()
while query.lastProgress is None and time.monotonic() < ends_s:
    time.sleep(0.1)
# All state onto one executor, as after a first batch that came before the second executor.
from albic.spark.bridge import Bridge
from albic.spark.executors import Executors
from albic.spark.operators import shape
from albic.spark.placement import KeyGroup, Placement
bridge = Bridge(spark)
executors = Executors(bridge)
executors.look()
placement = Placement(bridge, shape(bridge.plan(query), "totals", str(query.runId)))
def batches(count):
    seen = bridge.last_batch(query)
    while bridge.last_batch(query) < seen + count and time.monotonic() < ends_s:
        time.sleep(0.1)

first = executors.live()[0]
# A batch in flight may take state back to where its tasks run.
while set(placement.read_back().values()) != {first.id} and time.monotonic() < ends_s:
    placement.move_now({KeyGroup(0, p): first for p in range(4)})
    batches(2)
controller = albic.attach(query, period="3 batches")
applied = []
while not applied and time.monotonic() < ends_s:
    time.sleep(0.2)
    applied = [r for r in controller.journal.records() if r.status is Status.APPLIED]
batches(4)
owners = set(placement.read_back().values())
controller.stop()
query.stop()
effects = [(r.judged, r.compliant) for r in controller.journal.records()]
found = {row["count"] for row in spark.table("totals").collect()}
print("executors", len(executors.live()), "owners", len(owners), "applied", len(applied) > 0)
print("exact", len(found) == 1 and found.pop() % 20 == 0, effects)
spark.stop()
"""

#: A driver, its executors and the planner's first compilation, on a machine that may be busy.
pytestmark = pytest.mark.timeout(420)

STARTED = re.compile(r"Starting Spark master at (spark://\S+)")


@contextlib.contextmanager
def daemon(log: Path, *command: str) -> Iterator[None]:
    """Run a program of Spark's for a while; what it says goes to ``log``."""
    home = Path(pyspark.__file__).parent
    with log.open("w") as sink:
        process = subprocess.Popen(
            [str(home / "bin" / "spark-class"), *command],
            stdout=sink,
            stderr=sink,
            env={**os.environ, "SPARK_HOME": str(home), "SPARK_LOCAL_DIRS": str(log.parent)},
        )
        try:
            yield
        finally:
            process.terminate()
            process.wait(30)


@pytest.fixture
def standalone(tmp_path: Path) -> Iterator[str]:
    """Return the address of a master with two workers, each a process of its own."""
    deploy, log = "org.apache.spark.deploy", tmp_path / "master.log"
    ports = ("--port", "0", "--webui-port", "0")
    with contextlib.ExitStack() as running:
        enter = running.enter_context
        enter(daemon(log, f"{deploy}.master.Master", "--host", "127.0.0.1", *ports))
        ends_s = time.monotonic() + 60
        while (found := STARTED.search(log.read_text())) is None:
            assert time.monotonic() < ends_s, log.read_text()
            time.sleep(0.1)
        url = found[1]
        for number in (1, 2):
            folder = tmp_path / f"worker-{number}"
            room = ("--cores", "1", "--memory", "1g", "--work-dir", str(folder))
            place = ("--host", f"127.0.0.{20 + number}", *ports)
            told = tmp_path / f"worker-{number}.log"
            enter(daemon(told, f"{deploy}.worker.Worker", *place, *room, url))
        yield url


def serve(master: str, folder: Path) -> str:
    """Run the application on ``master`` and return what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", APPLICATION, master, str(folder)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_local_cluster_is_served(tmp_path) -> None:
    said = serve("local-cluster[2,1,1024]", tmp_path)
    assert "executors 2 owners 2 applied True\nexact True" in said


def test_a_standalone_cluster_is_served(standalone, tmp_path) -> None:
    said = serve(standalone, tmp_path)
    assert "executors 2 owners 2 applied True\nexact True" in said
