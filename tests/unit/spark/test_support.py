"""What cannot be served is refused with the reason and the remedy."""

from dataclasses import replace

import pytest

from albic.model import InvalidInput
from albic.spark.support import Facts, objections, require_classic, require_supported

GOOD = Facts(
    version="4.3.0",
    master="spark://host:7077",
    trigger="ProcessingTimeTrigger",
    dynamic_allocation=False,
    unload_on_commit=False,
)


@pytest.mark.parametrize("master", ["spark://a:1", "yarn", "k8s://a", "local-cluster[2,1,512]"])
def test_clusters_are_served(master) -> None:
    assert objections(replace(GOOD, master=master)) == []


@pytest.mark.parametrize(
    ("change", "reason", "remedy"),
    [
        ({"version": "3.5.1"}, "Spark 3.5.1 was not tested", r"use .*4\.3\.x"),
        ({"version": "5.0.0-SNAPSHOT"}, "was not tested", "add it"),
        ({"master": "local[*]"}, "one executor", "local_cluster"),
        ({"master": "local"}, "one executor", "local_cluster"),
        ({"dynamic_allocation": True}, "dynamicAllocation", "set it to false"),
        ({"unload_on_commit": True}, "unloadOnCommit", "set it to false"),
        ({"trigger": "RealTimeTrigger"}, "RealTimeTrigger", "processingTime"),
        ({"trigger": "ContinuousTrigger"}, "ContinuousTrigger", "processingTime"),
    ],
)
def test_refusals_name_reason_and_remedy(change, reason, remedy) -> None:
    with pytest.raises(InvalidInput, match=f"{reason}.*{remedy}"):
        require_supported(replace(GOOD, **change))


def test_all_reasons_are_told_at_once() -> None:
    assert len(objections(replace(GOOD, master="local[2]", unload_on_commit=True))) == 2


def test_a_connect_query_is_sent_to_classic_spark() -> None:
    query = type("StreamingQuery", (), {"__module__": "pyspark.sql.connect.streaming.query"})()
    with pytest.raises(InvalidInput, match=r"Spark Connect.*classic"):
        require_classic(query)


def test_a_frame_is_no_query() -> None:
    with pytest.raises(InvalidInput, match="writeStream"):
        require_classic("query")
