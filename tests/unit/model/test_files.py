"""Snapshot and plan files: what is written reads back, and what is wrong is named."""

import copy
import json
import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from albic.model import InvalidInput, Objective, Outcome, Snapshot, violations
from albic.model.allocation import Allocation
from albic.model.files import save_document
from albic.model.plan import SearchReport, plan_for
from albic.model.plan_file import plan_document, read_plan, write_plan
from albic.model.snapshot_file import read_snapshot, snapshot_document, write_snapshot
from albic.sim.workload import synthetic
from tests.worlds import request

Document = dict[str, Any]


def document() -> Document:
    """Return a valid document: two operators of two key groups each, on two nodes."""
    return {
        "format": "albic-snapshot/1",
        "period": {"start_s": 0, "end_s": 60},
        "operators": [
            {"name": "count", "key_groups": 2, "stateful": True},
            {"name": "top", "key_groups": 2, "stateful": False},
        ],
        "streams": [[0, 1]],
        "nodes": [
            {"id": "a", "capacity": 1.0, "state": "active"},
            {"id": "b", "capacity": 2, "state": "draining"},
        ],
        "background": [3, 0],
        "owner": [0, 0, 1, 1],
        "usage": {"cpu": [10, 20.5, 30, 0], "memory": [1, 1, 1, 1], "network": [0, 0, 0, 0]},
        "state_bytes": [100, 2e3, 300, 0],
        "traffic": {"from": [0, 1, 0], "to": [2, 3, 2], "bytes_per_s": [5, 7.5, 5]},
    }


def read(tmp_path: Path, content: str | bytes) -> Snapshot:
    path = tmp_path / "s.json"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_snapshot(path)


def test_a_chain_keeps_its_operators_and_their_shares(tmp_path: Path) -> None:
    chain = [{"name": "count", "share": 0.75}, {"name": "sum", "share": 0.25}]
    given = document()
    given["operators"][0] |= {"name": "count > sum", "chain": chain}
    snapshot = read(tmp_path, json.dumps(given))
    assert snapshot.topology.operators[0].chain == ("count", "sum")
    assert snapshot.chain_work == {"count > sum": (0.75, 0.25)}
    assert snapshot_document(snapshot)["operators"] == given["operators"]
    for member in chain:
        del member["share"]
    unmeasured = read(tmp_path, json.dumps(given))
    assert unmeasured.chain_work == {}
    assert snapshot_document(unmeasured)["operators"] == given["operators"]
    chain[0]["share"] = 2
    with pytest.raises(InvalidInput, match=r"operators\[0\].chain\[0\].share is 2"):
        read(tmp_path, json.dumps(given))


def changed(**fields: Any) -> str:
    return json.dumps(document() | fields)


def without(*keys: str) -> Document:
    left = document()
    for key in keys:
        del left[key]
    return left


def same(one: Snapshot, other: Snapshot) -> bool:
    return (
        (one.period, one.topology, one.cluster) == (other.period, other.topology, other.cluster)
        and np.array_equal(one.allocation.owner, other.allocation.owner)
        and np.array_equal(one.usage, other.usage)
        and np.array_equal(one.state_bytes, other.state_bytes)
        and np.array_equal(one.background, other.background)
        and (one.traffic != other.traffic).nnz == 0
    )


def test_every_field_arrives_where_it_belongs(tmp_path):
    snapshot = read(tmp_path, json.dumps(document()))
    assert [operator.name for operator in snapshot.topology.operators] == ["count", "top"]
    assert snapshot.topology.streams == ((0, 1),)
    assert snapshot.cluster.capacities().tolist() == [1, 2]
    assert snapshot.cluster.draining().tolist() == [False, True]
    assert snapshot.background.tolist() == [3, 0]
    assert snapshot.usage.tolist() == [[10, 20.5, 30, 0], [1, 1, 1, 1], [0, 0, 0, 0]]
    assert snapshot.state_bytes.tolist() == [100, 2000, 300, 0]
    assert snapshot.generation == 0


def test_traffic_that_is_listed_twice_is_added_up(tmp_path):
    traffic = read(tmp_path, json.dumps(document())).traffic
    assert traffic.toarray()[0, 2] == 10
    assert traffic.nnz == 2


def test_what_is_optional_and_missing_is_zero(tmp_path):
    bare = without("background", "traffic") | {"usage": {"cpu": [1, 2, 3, 4]}}
    snapshot = read(tmp_path, json.dumps(bare))
    assert not snapshot.background.any()
    assert not snapshot.usage[1:].any()
    assert snapshot.traffic.shape == (4, 4)
    assert snapshot.traffic.nnz == 0


def test_a_byte_order_mark_is_not_a_mistake(tmp_path):
    read(tmp_path, b"\xef\xbb\xbf" + json.dumps(document()).encode())


@given(
    loads=st.lists(st.floats(0, 1e9), min_size=4, max_size=4),
    rates=st.lists(st.floats(0, 1e15), min_size=2, max_size=2),
    state=st.lists(st.integers(0, 2**53), min_size=4, max_size=4),
    capacity=st.floats(1e-6, 1e6),
)
def test_what_is_written_reads_back_exactly(tmp_path_factory, loads, rates, state, capacity):
    links = [(0, 2, rates[0]), (1, 3, rates[1])]
    snapshot = request(
        loads,
        [0, 1, 1, 0],
        capacities=[capacity, 1.0],
        slots=[2, 1],
        background=[loads[0], 0.1],
        operators=[2, 2],
        streams=[(0, 1)],
        state_bytes=state,
        traffic=links,
    ).snapshot
    path = tmp_path_factory.mktemp("exact") / "s.json"
    write_snapshot(path, snapshot)
    assert same(read_snapshot(path), snapshot)


def test_stages_read_back(tmp_path):
    snapshot = request([1, 2, 3, 4], [0, 1, 1, 0], operators=[2, 2]).snapshot
    staged = replace(snapshot, topology=replace(snapshot.topology, stages=(0, 0)))
    write_snapshot(tmp_path / "s.json", staged)
    assert read_snapshot(tmp_path / "s.json").topology.stages == (0, 0)


def test_a_hundred_thousand_key_groups_take_a_few_seconds(tmp_path):
    snapshot = synthetic(1000, 100_000, 10, 40, 1.0, seed=1)
    path = tmp_path / "s.json"
    started_s = time.process_time()
    write_snapshot(path, snapshot)
    assert same(read_snapshot(path), snapshot)
    assert time.process_time() - started_s < 6


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        pytest.param(b"", "is not JSON: .* line 1, column 1", id="empty file"),
        pytest.param(b'{"format": ', "is not JSON", id="cut off"),
        pytest.param(b"\xff\xfe{}", r"is not UTF-8 text \(byte 0\)", id="not UTF-8"),
        pytest.param(b"[" * 100_000, "nested too deeply", id="a tower of brackets"),
        pytest.param(b"[" + b"9" * 5000 + b"]", "thousands of digits", id="endless number"),
        pytest.param("[]", "the document is an array; it must be an object", id="not an object"),
        pytest.param("{}", "format is missing", id="nothing in it"),
        pytest.param(changed(format="albic-plan/1"), 'format is "albic-plan/1"', id="other format"),
        pytest.param(changed(format=1), "format is 1; it must be", id="format is a number"),
        pytest.param(json.dumps(without("owner")), "owner is missing", id="no owner"),
        pytest.param(
            changed(ovner=[]), "ovner is not a known field; did you mean owner", id="typo"
        ),
        pytest.param(changed(xyz=[]), "xyz is not a known field; known are", id="stranger"),
        pytest.param(changed(**{"\n\x1b": 1}), r'"\\n\\u001b" is not a known', id="ugly stranger"),
        pytest.param('{"owner": 1, "owner": 2}', "owner is given twice", id="given twice"),
        pytest.param(
            changed(operators=[{"name": "a", "key_groups": 4}]),
            r"operators\[0\].stateful is missing",
            id="missing inside",
        ),
        pytest.param(changed(nodes=[]), "nodes is empty", id="no nodes"),
        pytest.param(
            changed(nodes={}), "nodes is an object; it must be an array", id="wrong shape"
        ),
        pytest.param(changed(nodes=[3]), r"nodes\[0\] is 3; it must be an object", id="not a node"),
        pytest.param(
            changed(nodes=[{"id": "a", "capacity": 0, "state": "active"}]),
            r"nodes\[0\].capacity is 0",
            id="no capacity",
        ),
        pytest.param(
            changed(nodes=[{"id": "a", "capacity": 1, "state": "active", "slots": 0}]),
            r"nodes\[0\].slots is 0",
            id="no slots",
        ),
        pytest.param(
            changed(nodes=[{"id": "a", "capacity": 1, "state": "dead"}]),
            r'nodes\[0\].state is "dead"; it must be "active" or "draining"',
            id="unknown state",
        ),
        pytest.param(
            changed(nodes=[{"id": "a", "capacity": 1, "state": "draining"}] * 1),
            "every node is draining",
            id="all draining",
        ),
        pytest.param(
            changed(nodes=[{"id": "a", "capacity": 1, "state": "active"}] * 2),
            r"nodes\[1\]: the id 'a' is used twice",
            id="twins",
        ),
        pytest.param(
            changed(nodes=[{"id": "\x1b[2J", "capacity": 1, "state": "active"}]),
            r"nodes\[0\].id is .* unprintable",
            id="a name that clears the screen",
        ),
        pytest.param(
            changed(nodes=[{"id": "\ud800", "capacity": 1, "state": "active"}]),
            r"nodes\[0\].id is .* unprintable",
            id="half a character",
        ),
        pytest.param(
            changed(nodes=[{"id": "", "capacity": 1, "state": "active"}]),
            r"nodes\[0\].id is empty",
            id="no name",
        ),
        pytest.param(changed(streams=[[0, 2]]), r"streams\[0\] names operator 2", id="no such op"),
        pytest.param(changed(streams=[[0]]), r"streams\[0\] must be a pair", id="half a stream"),
        pytest.param(changed(streams=[[0, 0.5]]), r"streams\[0\]\[1\] is 0.5", id="half an op"),
        pytest.param(changed(streams=[[0, 1], [1, 0]]), "streams form a cycle", id="cycle"),
        pytest.param(changed(stages=[0]), "stages has 1 entries", id="half of the stages"),
        pytest.param(changed(stages=[0, 2**53]), "numbered from 0", id="stage astray"),
        pytest.param(
            changed(owner=[0, 0, 1, 2]), r"owner\[3\] is node 2; there are 2", id="astray"
        ),
        pytest.param(changed(owner=[0, 0, 1, -1]), r"owner\[3\] is -1", id="negative owner"),
        pytest.param(changed(owner=[0, 0, 1]), "owner has 3 entries; .* 4 key groups", id="few"),
        pytest.param(
            changed(owner=[0, 0, 1, True]), r"owner\[3\] is true; .* number", id="boolean"
        ),
        pytest.param(changed(owner=[0, 0, 1, "1"]), r'owner\[3\] is "1"; .* number', id="a string"),
        pytest.param(changed(owner=[0, 0, 1, None]), r"owner\[3\] is null", id="nothing"),
        pytest.param(changed(owner=[0, 0, 1, 10**400]), r"owner\[3\] is 1000", id="huge"),
        pytest.param(changed(owner=[0, 0, 1, 0.5]), r"owner\[3\] is 0.5; .* whole", id="between"),
        pytest.param(
            changed(usage={"cpu": [1, 2, float("nan"), 4]}), r"usage.cpu\[2\] is NaN;", id="NaN"
        ),
        pytest.param(
            changed(usage={"cpu": [1, 2, float("inf"), 4]}), r"usage.cpu\[2\] is Inf", id="infinite"
        ),
        pytest.param(changed(usage={"cpu": [1, 2, -3, 4]}), r"usage.cpu\[2\] is -3", id="negative"),
        pytest.param(
            changed(usage={"cpu": [1, 2, 1e300, 4]}), r"usage.cpu\[2\] is 1e", id="absurd"
        ),
        pytest.param(changed(usage={"memory": [1] * 4}), "usage.cpu is missing", id="no cpu"),
        pytest.param(
            changed(usage={"cpu": [1] * 4, "disk": []}), "usage.disk is not a known", id="disk"
        ),
        pytest.param(
            changed(usage={"cpu": [1] * 4, "memory": [1]}), "usage.memory has 1 entries", id="short"
        ),
        pytest.param(changed(background=[1]), "background has 1 entries; .* 2 nodes", id="dim"),
        pytest.param(changed(background=[1, -1]), r"background\[1\] is -1", id="idle below zero"),
        pytest.param(changed(state_bytes=[1, 2, 3, 2**70]), r"state_bytes\[3\] is", id="endless"),
        pytest.param(
            changed(traffic={"from": [0], "to": [4], "bytes_per_s": [1]}),
            r"traffic.to\[0\] is key group 4; there are 4",
            id="to nowhere",
        ),
        pytest.param(
            changed(traffic={"from": [0, 9], "to": [1, 1], "bytes_per_s": [1, 1]}),
            r"traffic.from\[1\] is key group 9",
            id="from nowhere",
        ),
        pytest.param(
            changed(traffic={"from": [0, 1], "to": [1], "bytes_per_s": [1, 1]}),
            "traffic.to has 1 entries and traffic.from has 2",
            id="half a pair",
        ),
        pytest.param(
            changed(traffic={"from": [3, 0], "to": [2, 1], "bytes_per_s": [-1, 5]}),
            r"traffic.bytes_per_s\[0\] is -1",
            id="rate below zero, by its place in the file",
        ),
        pytest.param(changed(period={"start_s": 5, "end_s": 5}), "period ends at 5", id="no time"),
        pytest.param(changed(period={"start_s": 5}), "period.end_s is missing", id="half a period"),
    ],
)
def test_a_mistake_is_named_with_file_field_and_position(tmp_path, content, complaint):
    with pytest.raises(InvalidInput, match=complaint) as told:
        read(tmp_path, content)
    assert str(told.value).startswith(f"'{tmp_path / 's.json'}': ")
    assert "\n" not in str(told.value)
    assert len(str(told.value)) < 300 + len(str(tmp_path))


@pytest.mark.parametrize("name", [".", "missing.json", "a\0b"])
def test_what_is_no_file_cannot_be_read(tmp_path, name):
    with pytest.raises(InvalidInput, match="read"):
        read_snapshot(tmp_path / name)


def test_every_number_of_a_document_may_be_wrong_without_another_error_than_ours(tmp_path):
    for poison in (float("nan"), -1, 1e308, 10**400, True, "x", None, [], {}):
        for spoilt in spoiled(document(), poison):
            try:
                read(tmp_path, json.dumps(spoilt))
            except InvalidInput as told:
                assert str(told)  # noqa: PT017 - some poisons are allowed in some places


def spoiled(whole: Document, poison: Any) -> list[Document]:
    """Return copies of ``whole``, each with one value replaced."""
    copies = []

    def visit(part: Any, replace: Callable[[Document], Any]) -> None:
        keys = part if isinstance(part, dict) else range(len(part))
        for key in keys:
            spoilt = copy.deepcopy(whole)
            replace(spoilt)[key] = poison
            copies.append(spoilt)
            if isinstance(part[key], dict | list):
                visit(part[key], lambda w, key=key, replace=replace: replace(w)[key])

    visit(whole, lambda w: w)
    return copies


def asked(**more: Any):
    links = [(0, 2, 5.0), (1, 3, 5.0)]
    world = {"operators": [2, 2], "streams": [(0, 1)], "state_bytes": [7, 8, 9, 10]}
    return request([10, 20, 30, 40], [0, 0, 1, 1], traffic=links, **world, **more)


def planned(wanted, owner):
    report = SearchReport("hand", Outcome.HEURISTIC, "because", bound=0.5, wall_s=0.25)
    return plan_for(wanted, Allocation(np.array(owner)), report)


def test_a_plan_file_has_exactly_the_promised_fields(tmp_path):
    wanted = asked()
    write_plan(tmp_path / "p.json", planned(wanted, [1, 0, 1, 0]), wanted.snapshot)
    assert json.loads((tmp_path / "p.json").read_text()) == {
        "format": "albic-plan/1",
        "planner": "hand",
        "objective": "distance",
        "outcome": "heuristic",
        "reason": "because",
        "load_distance": {"before": 20, "after": 10, "bound": 0.5},
        "collocation": {"before": 0, "after": 1},
        "moves": [
            {"key_group": 0, "operator": "o0", "partition": 0, "from": "n0", "to": "n1", "cost": 7},
            {
                "key_group": 3,
                "operator": "o1",
                "partition": 1,
                "from": "n1",
                "to": "n0",
                "cost": 10,
            },
        ],
        "wall_s": 0.25,
    }


def test_a_bound_of_the_makespan_is_not_one_of_the_load_distance():
    wanted = asked(objective=Objective.MAKESPAN)
    written = plan_document(planned(wanted, [0, 1, 1, 0]), wanted.snapshot)
    assert written["makespan"] == {"before": 30 + 70, "after": 20 + 40, "bound": 0.5}
    assert written["load_distance"] == {"before": 20, "after": 0, "bound": None}


@pytest.mark.parametrize("objective", list(Objective))
def test_a_plan_reads_back_and_satisfies_the_judge(tmp_path, objective):
    wanted = asked(objective=objective)
    plan = planned(wanted, [0, 1, 1, 0])
    write_plan(tmp_path / "p.json", plan, wanted.snapshot)
    again = read_plan(tmp_path / "p.json", wanted.snapshot)
    assert again.moves == plan.moves
    assert again.target.owner.tolist() == plan.target.owner.tolist()
    assert (again.outcome, again.bound, again.wall_s) == (plan.outcome, plan.bound, plan.wall_s)
    assert violations(again, wanted) == []


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        pytest.param({"to": "n9"}, "names a node that the snapshot does not have", id="no node"),
        pytest.param({"partition": 1}, "are not key group 0", id="two names for one"),
        pytest.param({"operator": "o9"}, "are not key group 0", id="no such operator"),
        pytest.param({"from": "n1", "to": "n0"}, "is not on 'n1'", id="not there"),
        pytest.param({"key_group": 4}, r"moves\[0\].key_group is 4", id="no such key group"),
        pytest.param({"cost": -1}, r"moves\[0\].cost is -1", id="a gift"),
    ],
)
def test_a_plan_for_another_snapshot_is_refused(tmp_path, change, complaint):
    wanted = asked()
    written = plan_document(planned(wanted, [1, 0, 1, 1]), wanted.snapshot)
    written["moves"] = [written["moves"][0] | change]  # type: ignore[index]
    (tmp_path / "p.json").write_text(json.dumps(written))
    with pytest.raises(InvalidInput, match=complaint):
        read_plan(tmp_path / "p.json", wanted.snapshot)


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "s.json"
    path.write_text("old")
    with pytest.raises(ValueError, match="not JSON compliant"):
        save_document(path, {"a": float("nan")})
    path.unlink()
    path.mkdir()
    with pytest.raises(InvalidInput, match="cannot be written: is a directory"):
        save_document(path, {"a": 1})
    assert [each.name for each in tmp_path.iterdir()] == ["s.json"]


@pytest.mark.parametrize("name", ["no/such/folder.json", "x" * 300, "a\0b"])
def test_a_target_that_cannot_be_written_is_named(tmp_path, name):
    with pytest.raises(InvalidInput, match="written"):
        save_document(tmp_path / name, {"a": 1})
    assert list(tmp_path.iterdir()) == []


def test_a_link_stays_a_link_and_a_device_a_device(tmp_path):
    (tmp_path / "real.json").write_text("old")
    (tmp_path / "link.json").symlink_to(tmp_path / "real.json")
    save_document(tmp_path / "link.json", {"a": 1})
    assert (tmp_path / "link.json").is_symlink()
    assert json.loads((tmp_path / "real.json").read_text()) == {"a": 1}
    save_document(Path(os.devnull), {"a": 1})
    assert Path(os.devnull).is_char_device()


def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path):
    (tmp_path / "plain").touch()
    save_document(tmp_path / "s.json", {"a": 1})
    assert (tmp_path / "s.json").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_synthetic_snapshot_writes_what_is_needed_and_no_more():
    written = snapshot_document(synthetic(4, 40, 2, 20, 0.5, seed=3))
    assert "background" not in written
    assert list(written["usage"]) == ["cpu"]  # type: ignore[call-overload]
