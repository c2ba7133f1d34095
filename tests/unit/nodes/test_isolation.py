"""What a command line asks for, and what a machine lacks."""

import pytest

from albic.model import InvalidInput
from albic.nodes import isolation, requirements
from albic.nodes.isolation import NOT_ISOLATED, Isolation, isolation_of


def test_words_become_one_value_or_one_a_node() -> None:
    assert isolation_of(None, None) == NOT_ISOLATED
    assert isolation_of("none", "none") == NOT_ISOLATED
    assert isolation_of("0.45", "100mbit") == Isolation(0.45, "100mbit")
    assert isolation_of("0.4, 0.2", "1gbit,unlimited") == Isolation(
        (0.4, 0.2), ("1gbit", "unlimited")
    )


@pytest.mark.parametrize(
    ("cpu", "network", "said"),
    [("half", None, "like 0.45"), ("0.4,", None, "like 0.45"), (None, "fast", "like 100mbit")],
)
def test_words_that_mean_nothing_are_refused(cpu, network, said) -> None:
    with pytest.raises(InvalidInput, match=said):
        isolation_of(cpu, network)


def test_nodes_that_are_not_isolated_need_nothing(monkeypatch) -> None:
    monkeypatch.setattr(isolation, "missing", lambda _: "isolated nodes need the moon")
    assert len(NOT_ISOLATED.checked(3)) == 3
    with pytest.raises(InvalidInput, match="the moon"):
        Isolation(cpu=0.5).checked(3)


def test_a_place_for_checkpoints_that_there_is_not_is_refused() -> None:
    with pytest.raises(InvalidInput, match="storage is 'cloud'"):
        Isolation(storage="cloud").checked(1)


def test_nodes_are_told_in_words() -> None:
    told = Isolation(0.45, ("100mbit", "1gbit"), "network").described()
    assert told == (
        "isolated nodes with 0.45 of a core and a link of 100mbit, 1gbit and checkpoints on a "
        "storage node"
    )
    assert "loopback" in NOT_ISOLATED.described()


def test_a_missing_program_is_named_with_its_package(monkeypatch) -> None:
    monkeypatch.setattr(requirements.sys, "platform", "linux")
    monkeypatch.setattr(requirements.shutil, "which", lambda name, **_: name != "tc" or None)
    assert requirements.missing() == "isolated nodes need the program 'tc'; install iproute2"


def test_another_system_than_linux_is_named(monkeypatch) -> None:
    monkeypatch.setattr(requirements.sys, "platform", "darwin")
    assert requirements.missing() == "isolated nodes need Linux, and this is darwin"


@pytest.mark.parametrize(
    ("name", "answer", "said"),
    [
        ("_is_there", lambda program: program != "sshfs", "install sshfs"),
        ("sftp_server", lambda: None, "install openssh-sftp-server"),
    ],
)
def test_what_network_storage_lacks_is_named_only_where_it_is_wanted(
    name, answer, said, monkeypatch
) -> None:
    monkeypatch.setattr(requirements.sys, "platform", "linux")
    monkeypatch.setattr(requirements, "_is_there", lambda _: True)
    monkeypatch.setattr(requirements, "_rights", lambda: None)
    monkeypatch.setattr(requirements, "sftp_server", lambda: "/sftp-server")
    monkeypatch.setattr(requirements, name, answer)
    assert said in str(requirements.missing("network"))
    if name == "sftp_server":
        assert requirements.missing("local") is None


@pytest.mark.parametrize("held", [0, 1 << 12, 1 << 21])
def test_missing_rights_are_told_with_the_remedy(held, monkeypatch) -> None:
    monkeypatch.setattr(requirements.sys, "platform", "linux")
    monkeypatch.setattr(requirements, "_is_there", lambda _: True)
    monkeypatch.setattr(requirements, "capabilities", lambda: held)
    assert "run as root" in str(requirements.missing())
