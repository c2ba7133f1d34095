"""Traces are workloads, and a file gives back what was written or says what is wrong."""

from dataclasses import replace

import numpy as np
import pytest

from albic.model import Allocation, Cluster, InvalidInput, Node, Operator, Topology
from albic.sim import Trace, load_trace, save_trace


@pytest.fixture
def trace() -> Trace:
    return example()


def example() -> Trace:
    """Return two operators of two key groups on two nodes for three periods."""
    return Trace(
        topology=Topology((Operator("up", 2), Operator("down", 2, stateful=False)), ((0, 1),)),
        cluster=Cluster((Node("a"), Node("b", 2.0))),
        allocation=Allocation(np.array([0, 1, 1, 0])),
        step_s=10.0,
        effort=np.array([1.0, 2.5]),
        tuples_per_s=np.arange(12.0).reshape(3, 4),
        source_bytes_per_s=np.ones((3, 4)),
        state_bytes=100 * np.ones((3, 4)),
        sender=np.array([1, 0]),
        receiver=np.array([2, 3]),
        traffic_bytes_per_s=np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]),
    )


def test_a_period_of_a_trace_is_its_demand(trace: Trace) -> None:
    demand = trace.begin().demand(1, trace.allocation.owner)
    assert demand.tuples_per_s.tolist() == [4, 5, 6, 7]
    assert demand.effort.tolist() == [1, 1, 2.5, 2.5]
    assert demand.state_bytes.tolist() == [100] * 4
    expected = np.zeros((4, 4))
    expected[1, 2], expected[0, 3] = 3.0, 4.0
    assert np.array_equal(demand.traffic.toarray(), expected)
    assert trace.length == 3


def test_a_file_gives_back_what_was_written(trace: Trace, tmp_path) -> None:
    save_trace(tmp_path / "t.npz", trace)
    found = load_trace(tmp_path / "t.npz")
    assert (found.topology, found.cluster, found.step_s) == (
        trace.topology,
        trace.cluster,
        trace.step_s,
    )
    assert np.array_equal(found.allocation.owner, trace.allocation.owner)
    for name in ("effort", "tuples_per_s", "state_bytes", "sender", "traffic_bytes_per_s"):
        assert np.array_equal(getattr(found, name), getattr(trace, name))
    assert [path.name for path in tmp_path.iterdir()] == ["t.npz"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"tuples_per_s": np.ones((3, 5))}, "tuples_per_s has shape"),
        ({"tuples_per_s": np.ones((0, 4))}, "no period"),
        ({"state_bytes": np.full((3, 4), np.nan)}, "state_bytes has a number"),
        ({"source_bytes_per_s": -np.ones((3, 4))}, "source_bytes_per_s has a number"),
        ({"receiver": np.array([2, 4])}, "outside of 0 to 3"),
        ({"sender": np.array([0, 0]), "receiver": np.array([3, 3])}, "listed twice"),
        ({"step_s": 0.0}, "step_s is 0"),
        ({"allocation": Allocation(np.array([0, 1, 2, 0]))}, "one of 2 nodes"),
        ({"effort": np.ones(3)}, "effort has shape"),
    ],
)
def test_a_trace_that_makes_no_sense_is_refused(trace: Trace, change, told: str) -> None:
    with pytest.raises(InvalidInput, match=told):
        replace(trace, **change)


def spoilt(path, **changes) -> None:
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    arrays |= changes
    np.savez(path, **{name: value for name, value in arrays.items() if value is not None})


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"format": np.array("albic-trace/9")}, "expected 'albic-trace/1'"),
        ({"owner": None}, "has no array 'owner'"),
        ({"owner": np.array([0.5, 1, 1, 0])}, "owner has numbers of the kind float64"),
        ({"streams": np.array([0, 1])}, "expected pairs"),
        ({"nodes": np.array(["a"])}, "nodes and capacities"),
        ({"key_groups": np.array([4])}, "same length"),
        ({"step_s": np.array([1.0, 2.0])}, "step_s must be one value"),
    ],
)
def test_a_spoilt_file_is_named_with_its_mistake(trace, tmp_path, change, told: str) -> None:
    path = tmp_path / "t.npz"
    save_trace(path, trace)
    spoilt(path, **change)
    with pytest.raises(InvalidInput, match=told) as wrong:
        load_trace(path)
    assert "t.npz" in str(wrong.value)


@pytest.mark.parametrize("content", [b"", b"{}", b"PK\x03\x04nothing", b"\x93NUMPY\x01\x00v\x00"])
def test_what_is_no_trace_is_refused(tmp_path, content: bytes) -> None:
    path = tmp_path / "t.npz"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=r"t\.npz"):
        load_trace(path)


def test_one_array_is_no_trace_and_no_file_is_none(tmp_path) -> None:
    np.save(tmp_path / "one.npy", np.ones(3))
    with pytest.raises(InvalidInput, match="one array"):
        load_trace(tmp_path / "one.npy")
    with pytest.raises(InvalidInput, match="no such file"):
        load_trace(tmp_path / "none.npz")
