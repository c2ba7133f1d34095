"""What ended a query, and where its state begins, without a cluster."""

import pytest

from albic.spark.batch_recorder import cause
from albic.spark.placement import KeyGroup
from albic.spark.starting_places import dealt

PROCESSOR = """[STREAM_FAILED] Query [id = 1, runId = 2] terminated with exception: Job aborted.
Caused by: org.apache.spark.api.python.PythonException: Traceback (most recent call last):
  File "stage.py", line 250, in answered
albic.model.errors.ProcessorFailed: operator 'sum', key group 3: KeyError: 'airplane'
\tat org.apache.spark.api.python.BasePythonRunner
"""


@pytest.mark.parametrize(
    ("told", "line"),
    [
        pytest.param(PROCESSOR, "operator 'sum', key group 3: KeyError: 'airplane'", id="ours"),
        pytest.param("[STREAM_FAILED] Disk full.\n\tat x", "[STREAM_FAILED] Disk full.", id="not"),
        pytest.param("it was stopped", "it was stopped", id="one line"),
    ],
)
def test_the_cause_is_one_line(told: str, line: str) -> None:
    assert cause(told) == line


@pytest.mark.parametrize("nodes", [2, 3, 4])
def test_a_shift_parts_all_pairs_of_neighbouring_stages_and_none_keeps_them(nodes: int) -> None:
    stages = (8, 8, 6)
    together = {shift: dealt(stages, nodes, shift) for shift in (0, 1)}
    pairs = [(KeyGroup(s, p), KeyGroup(s + 1, p)) for s in (0, 1) for p in range(stages[s + 1])]
    assert all(together[0][up] == together[0][down] for up, down in pairs)
    assert all(together[1][up] != together[1][down] for up, down in pairs)


def test_every_node_gets_as_many_of_a_stage_as_the_others() -> None:
    owners = dealt((8, 8), 4, 1)
    for stage in (0, 1):
        nodes = [node for group, node in owners.items() if group.stage == stage]
        assert sorted(nodes) == [0, 0, 1, 1, 2, 2, 3, 3]
