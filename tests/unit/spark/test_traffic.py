"""Spark's one-byte sizes become bytes again."""

import base64

import numpy as np
import pytest

from albic.spark.traffic import StreamTraffic, block_sizes


def output(*logs):
    return {"compressedSizes": base64.b64encode(bytes(logs)).decode(), "_mapTaskId": 1}


def test_sizes_are_powers_and_nothing_stays_nothing() -> None:
    sizes = block_sizes([output(0, 1, 100), output(255, 0, 50)])
    assert sizes is not None
    np.testing.assert_allclose(sizes, [[0, 1, 13780], [1.1**255, 0, 117]], rtol=1e-3)


@pytest.mark.parametrize(
    "outputs",
    [
        pytest.param([], id="no map tasks"),
        pytest.param([output(1), None], id="a map task has not ended"),
        pytest.param([{"avgSize": 3}], id="averages only, above 2000 partitions"),
    ],
)
def test_what_is_not_whole_is_unknown(outputs) -> None:
    assert block_sizes(outputs) is None


def test_traffic_refuses_writes() -> None:
    stream = StreamTraffic(0, 1, np.zeros((2, 2)))
    with pytest.raises(ValueError, match="read-only"):
        stream.sent_bytes[0, 0] = 1
