"""A Spark cluster on isolated nodes: exact over moves, with its state behind the links."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import albic
from albic.model import InvalidInput
from albic.nodes import missing
from tests.nodes.programs import left, number_of

LACKS = missing("network")
pytestmark = [
    pytest.mark.nodes,
    pytest.mark.timeout(300),
    pytest.mark.skipif(LACKS is not None, reason=str(LACKS)),
]

#: One process has one cluster, so this one gets a process of its own.
SCRIPT = """
import time
import albic
from albic.jobs.observed_run import batches
from albic.spark.starting_places import Dealer

cluster = albic.local_cluster(
    nodes=2, cpu=[0.6, 0.5], network="100mbit", storage="network",
    settings={"spark.sql.shuffle.partitions": "4"},
)
print(cluster.logs, *cluster.hosts, flush=True)
source = cluster.spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 400)
counts = source.load().selectExpr("value % 20 AS key").groupBy("key").count()
writer = counts.writeStream.format("memory").queryName("counts").outputMode("complete")
query = writer.option("checkpointLocation", str(cluster.storage / "checkpoint")).start()

seen = batches(query)
next(seen)
# State goes to one node and to the other, over and over, out of the storage node.
moved = 0
for turn in range(3):
    dealer = Dealer(query, shift=0)
    owners = list(dealer._wanted.values())
    wanted = {group: owners[(group.partition + turn) % 2] for group in dealer._wanted}
    # A batch under way takes state along to where it runs, so once may not be enough.
    for _ in range(8):
        dealer._placement.move_now(wanted)
        record = next(seen)
        moved += record.moved
        if list(record.node) == [owner.id for owner in wanted.values()]:
            break
cluster.slow(cluster.hosts[0], cpu=0.3, network="50mbit")
cluster.remove_node(cluster.hosts[1])
for _ in range(2):
    next(seen)
query.stop()
rows = cluster.spark.table("counts").collect()
print(len(rows), len({row["count"] for row in rows}), moved, flush=True)
time.sleep(100)
"""


@pytest.fixture
def script() -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen([sys.executable, "-c", SCRIPT], stdout=subprocess.PIPE, text=True)
    yield process
    process.kill()
    process.communicate(timeout=20)


def test_state_behind_the_links_is_exact_over_moves_and_a_lost_node_and_nothing_stays(
    script: subprocess.Popen[str],
) -> None:
    assert script.stdout is not None
    folder, *hosts = script.stdout.readline().split()
    assert len(hosts) == 2
    number = number_of(hosts[0])
    keys, counts, moved = map(int, script.stdout.readline().split())
    # Every key has as many rows as every other: none was lost and none came twice.
    assert (keys, counts) == (20, 1)
    assert moved >= 4
    script.kill()
    ends_s = time.monotonic() + 60
    while left(number) or Path(folder).exists():
        assert time.monotonic() < ends_s, left(number)
        time.sleep(0.1)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"cpu": 0.001}, "cpu is 0.001"),
        ({"cpu": [0.2]}, "cpu has 1 values for 2 nodes"),
        ({"network": "quick"}, "network is 'quick'"),
        ({"storage": "cloud"}, "storage is 'cloud'"),
    ],
)
def test_what_cannot_be_isolated_is_refused_before_anything_starts(asked, said) -> None:
    with pytest.raises(InvalidInput, match=said.replace("[", r"\[")):
        albic.local_cluster(nodes=2, **asked)


def test_plain_nodes_cannot_be_slowed(cluster) -> None:
    host = cluster.hosts[0]
    for change in (lambda: cluster.slow(host, cpu=0.5), lambda: cluster.cut_off(host)):
        with pytest.raises(InvalidInput, match="not isolated"):
            change()
    assert cluster.storage.is_dir()
