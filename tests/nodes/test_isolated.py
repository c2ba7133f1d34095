"""Nodes keep to their link and their share, and reach each other and nobody else."""

import socket
import subprocess
import sys
import time

import pytest

from albic.model import InvalidInput
from albic.nodes import names
from albic.nodes.limits import NodeLimits, link_rate
from tests.nodes.programs import BURNING, SENDING, answer, left, megabits_per_s, number_of, on

SLOW, FAST = NodeLimits(rate=link_rate("10mbit")), NodeLimits(rate=link_rate("1gbit"))


def test_a_link_carries_what_it_may_each_way_and_can_be_changed(made) -> None:
    nodes = made()
    slow, fast = nodes.add(SLOW), nodes.add(FAST)
    for ends in ((slow, fast), (fast, slow)):
        assert 5 < megabits_per_s(nodes, nodes, ends) < 14
    nodes.slow(slow, FAST)
    assert megabits_per_s(nodes, nodes, (slow, fast)) > 50
    nodes.slow(fast, NodeLimits())
    nodes.slow(slow, NodeLimits())
    assert megabits_per_s(nodes, nodes, (slow, fast)) > 50


def test_a_node_stays_within_its_share_with_all_that_it_starts(made) -> None:
    nodes = made()
    host = nodes.add(NodeLimits(cpu=0.2))
    both = [on(nodes, host, BURNING, 1.5) for _ in range(2)]
    # Two programs of one node share what the node has.
    assert sum(float(answer(each)) for each in both) < 0.26
    nodes.slow(host, NodeLimits(cpu=0.6))
    assert 0.26 < float(answer(on(nodes, host, BURNING, 1.0))) < 0.7


def test_nodes_have_no_way_out_of_the_machine(made) -> None:
    nodes = made()
    host = nodes.add(NodeLimits())
    for address in ("8.8.8.8", "198.19.255.1"):
        process = on(nodes, host, SENDING, address, 1)
        assert "Network is unreachable" in process.communicate(timeout=20)[1]


def test_two_clusters_do_not_meet(made) -> None:
    one, other = made(), made()
    ends = one.add(NodeLimits()), other.add(NodeLimits())
    assert ends[0] != ends[1]
    process = on(one, ends[0], SENDING, ends[1], 1)
    assert "Network is unreachable" in process.communicate(timeout=20)[1]
    one.close()
    assert megabits_per_s(other, other, (ends[1], ends[1])) > 0


def test_a_node_that_is_cut_off_goes_on_and_is_back_when_it_rejoins(made) -> None:
    nodes = made()
    ends = nodes.add(NodeLimits()), nodes.add(NodeLimits())
    nodes.cut_off(ends[0])
    process = on(nodes, ends[0], SENDING, ends[1], 1)
    said = process.communicate(timeout=20)[1]
    assert "timed out" in said or "No route to host" in said
    nodes.rejoin(ends[0])
    assert megabits_per_s(nodes, nodes, ends) > 0


def test_storage_is_one_folder_for_all_and_each_byte_crosses_the_link(made, tmp_path) -> None:
    folder = tmp_path / "storage"
    folder.mkdir()
    nodes = made(folder)
    hosts = nodes.add(SLOW), nodes.add(FAST)
    (folder / "big").write_bytes(bytes(1_000_000))
    reading = "import pathlib, sys; print(len(pathlib.Path(sys.argv[1]).read_bytes()))"
    took_s = []
    for host in hosts:
        began_s = time.monotonic()
        assert answer(on(nodes, host, reading, folder / "big")) == "1000000\n"
        took_s.append(time.monotonic() - began_s)
    # 8 Mbit over 10 Mbit/s, but for what may pass at once.
    assert took_s[0] > 0.4
    renaming = (
        "import pathlib, sys; new = pathlib.Path(sys.argv[1]); new.write_text(sys.argv[2]); "
        "new.rename(new.with_name('renamed'))"
    )
    for host, text in zip(hosts, ("one", "two"), strict=True):
        answer(on(nodes, host, renaming, folder / "new", text))
        for other in hosts:
            # What one wrote the others see at once, here too.
            seen = "import pathlib, sys; print(pathlib.Path(sys.argv[1]).read_text())"
            assert answer(on(nodes, other, seen, folder / "renamed")) == f"{text}\n"
        assert (folder / "renamed").read_text() == text


def test_the_machine_itself_cannot_ask_the_storage_node(made, tmp_path) -> None:
    address = made(tmp_path).address.removesuffix(".1") + ".2"
    with pytest.raises(OSError, match="timed out"), socket.create_connection((address, 2222), 0.5):
        pass


def test_a_killed_node_leaves_no_process(made) -> None:
    nodes = made()
    host = nodes.add(NodeLimits())
    process = on(nodes, host, "import time; time.sleep(100)")
    time.sleep(0.1)
    nodes.kill(host)
    process.communicate(timeout=10)
    assert process.returncode == -9


def test_closing_removes_everything_and_can_be_done_twice(made, tmp_path) -> None:
    nodes = made(tmp_path)
    for _ in range(2):
        host = nodes.add(SLOW)
    process = on(nodes, host, "import time; time.sleep(100)")
    number = number_of(nodes.address)
    assert len(left(number)) >= 6
    nodes.close()
    nodes.close()
    process.communicate(timeout=10)
    assert left(number) == []


def test_a_folder_that_cannot_be_served_is_refused_and_nothing_stays(made, tmp_path) -> None:
    before = made()
    nodes = made(tmp_path / "gone")
    number = number_of(nodes.address)
    with pytest.raises(InvalidInput, match="cannot be made here"):
        nodes.add(NodeLimits())
    nodes.close()
    assert left(number) == []
    assert left(number_of(before.address)) != []


def test_more_nodes_than_addresses_are_refused(made, monkeypatch) -> None:
    monkeypatch.setattr("albic.nodes.isolated.MOST_NODES", 1)
    nodes = made()
    nodes.add(NodeLimits())
    with pytest.raises(InvalidInput, match="used its 1 addresses"):
        nodes.add(NodeLimits())


def test_when_all_networks_are_taken_one_sentence_says_so(made, monkeypatch) -> None:
    monkeypatch.setattr("albic.nodes.isolated.taken", lambda _: True)
    with pytest.raises(InvalidInput, match=f"all {names.NETWORKS} networks"):
        made()


def test_sweeping_loads_nothing_heavy() -> None:
    script = "import albic.nodes.sweeping, sys; print('numpy' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"
