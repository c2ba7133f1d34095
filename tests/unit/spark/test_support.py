"""What cannot be served is refused with the reason and the remedy."""

from dataclasses import replace

import pytest

from albic.model import InvalidInput
from albic.spark.support import (
    Facts,
    objections,
    require_classic,
    require_supported,
    require_tested,
)

GOOD = Facts(
    master="spark://host:7077",
    trigger="ProcessingTimeTrigger",
    stream_kinds=frozenset({"Project", "Aggregate"}),
    dynamic_allocation=False,
    unload_on_commit=False,
)


@pytest.mark.parametrize("version", ["3.5.9", "4.0.5", "4.1.4", "4.2.1", "4.3.0", "4.3.1-SNAPSHOT"])
def test_tested_versions_are_served(version) -> None:
    require_tested(version)


@pytest.mark.parametrize("version", ["3.4.4", "3.50.0", "4.10.0", "5.0.0-SNAPSHOT"])
def test_other_versions_are_refused(version) -> None:
    with pytest.raises(InvalidInput, match=rf"Spark {version} was not tested.*use .*4\.3\.x"):
        require_tested(version)


@pytest.mark.parametrize("master", ["spark://a:1", "yarn", "k8s://a", "local-cluster[2,1,512]"])
def test_clusters_are_served(master) -> None:
    assert objections(replace(GOOD, master=master)) == []


@pytest.mark.parametrize(
    ("change", "reason", "remedy"),
    [
        ({"master": "local[*]"}, "one executor", "local_cluster"),
        ({"master": "local"}, "one executor", "local_cluster"),
        ({"dynamic_allocation": True}, "dynamicAllocation", "set it to false"),
        ({"unload_on_commit": True}, "unloadOnCommit", "set it to false"),
        ({"trigger": "RealTimeTrigger"}, "RealTimeTrigger", "processingTime"),
        ({"trigger": "ContinuousTrigger"}, "ContinuousTrigger", "processingTime"),
        ({"stream_kinds": frozenset({"Project"})}, "no stateful operator", "attach to one that"),
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


def test_a_join_that_spark_may_refuse_after_a_move_is_refused_with_the_remedy() -> None:
    checked = replace(GOOD, rechecks_joins=True)
    assert objections(checked) == []
    (reason,) = objections(replace(checked, stream_kinds=frozenset({"Join"})))
    assert "stateSchemaCheck=false" in reason
