"""The set-up script on machines that lack something, played by a PATH of small fakes."""

import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / "scripts" / "setup.sh"
#: What the script takes from the machine as it is.
TOOLS = ("dirname", "head", "sed")


class Machine:
    """A machine with a checkout and with the programs that a test gives it."""

    def __init__(self, folder: Path) -> None:
        self.programs, self.checkout = folder / "bin", folder / "albic"
        self.programs.mkdir()
        (self.checkout / "scripts").mkdir(parents=True)
        shutil.copy(SCRIPT, self.checkout / "scripts")
        for tool in TOOLS:
            (self.programs / tool).symlink_to(str(shutil.which(tool)))
        self.give("id", "echo 1000")
        self.give("apt-get", f'echo "$@" >> {folder}/asked; exit 1')

    def give(self, name: str, body: str) -> None:
        program = self.programs / name
        program.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        program.chmod(0o755)

    def setup(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["/bin/sh", str(self.checkout / "scripts" / "setup.sh"), *arguments],
            env={"PATH": str(self.programs), **environment},
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.mark.parametrize(
    "told",
    [
        pytest.param('openjdk version "17.0.15" 2025-04-15', id="17"),
        pytest.param('openjdk version "21" 2023-09-19', id="no minor number"),
        pytest.param('java version "25-ea" 2025-09-16', id="early access"),
        pytest.param('Picked up JAVA_TOOL_OPTIONS: -Xmx1g\nopenjdk version "17.0.1"', id="options"),
    ],
)
def test_a_recent_java_is_found_without_a_word(machine: Machine, told: str) -> None:
    machine.give("java", f"echo '{told}' >&2")
    done = machine.setup("java")
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(None, id="none"),
        pytest.param("echo 'openjdk version \"1.8.0_392\"' >&2", id="8"),
        pytest.param("echo 'openjdk version \"11.0.2\"' >&2", id="11"),
        pytest.param("echo 'Unable to locate a Java Runtime.' >&2; exit 1", id="the stub of macOS"),
    ],
)
def test_without_a_recent_java_one_line_says_what_to_install(
    machine: Machine, body: str | None
) -> None:
    if body:
        machine.give("java", body)
    done = machine.setup("java")
    assert done.returncode == 0
    (line,) = done.stderr.splitlines()
    assert "install a JRE" in line


def test_a_wrong_java_home_is_named(machine: Machine, tmp_path: Path) -> None:
    machine.give("java", "echo 'openjdk version \"17.0.15\"' >&2")
    done = machine.setup("java", JAVA_HOME=str(tmp_path / "gone"))
    assert done.returncode == 0
    (line,) = done.stderr.splitlines()
    assert str(tmp_path / "gone") in line


@pytest.mark.skipif(not Path("/etc/debian_version").exists(), reason="apt-get belongs to Debian")
def test_root_on_debian_gets_java_installed(machine: Machine) -> None:
    machine.give("id", "echo 0")
    java = machine.programs / "java"
    machine.give(
        "apt-get",
        f"""case "$*" in *openjdk-17-jre-headless*)
            printf '#!/bin/sh\\necho openjdk version \\\\"17.0.1\\\\" >&2\\n' > {java}
            /bin/chmod +x {java};;
        esac""",
    )
    done = machine.setup("java")
    assert done.returncode == 0
    assert done.stderr.splitlines() == ["setup: installing openjdk-17-jre-headless"]


@pytest.mark.skipif(not Path("/etc/debian_version").exists(), reason="apt-get belongs to Debian")
def test_a_failing_installation_of_java_does_not_stop_the_setup(machine: Machine) -> None:
    machine.give("id", "echo 0")
    done = machine.setup("java")
    assert done.returncode == 0
    assert "install a JRE" in done.stderr.splitlines()[-1]


def test_an_ordinary_user_installs_nothing(machine: Machine, tmp_path: Path) -> None:
    machine.setup("java")
    assert not (tmp_path / "asked").exists()


def test_a_server_of_postgresql_is_found_without_a_word(machine: Machine, tmp_path: Path) -> None:
    machine.give("initdb", "exit 0")
    assert machine.setup("postgres", POSTGRES_HOME=str(tmp_path)).stderr == ""
    (machine.programs / "initdb").rename(tmp_path / "initdb")
    place = tmp_path / "15" / "bin"
    place.mkdir(parents=True)
    (tmp_path / "initdb").rename(place / "initdb")
    assert machine.setup("postgres", POSTGRES_HOME=str(tmp_path)).stderr == ""


def test_without_postgresql_one_line_says_what_is_skipped(machine: Machine, tmp_path: Path) -> None:
    done = machine.setup("postgres", POSTGRES_HOME=str(tmp_path))
    assert done.returncode == 0
    (line,) = done.stderr.splitlines()
    assert "tests will be skipped" in line
    assert not (tmp_path / "asked").exists()


@pytest.mark.skipif(not Path("/etc/debian_version").exists(), reason="apt-get belongs to Debian")
def test_root_on_debian_gets_postgresql_installed(machine: Machine, tmp_path: Path) -> None:
    machine.give("id", "echo 0")
    initdb = machine.programs / "initdb"
    machine.give(
        "apt-get",
        f"""case "$*" in *postgresql*)
            printf '#!/bin/sh\\n' > {initdb}; /bin/chmod +x {initdb};;
        esac""",
    )
    done = machine.setup("postgres", POSTGRES_HOME=str(tmp_path))
    assert done.returncode == 0
    assert done.stderr.splitlines() == ["setup: installing postgresql"]


def test_what_isolated_nodes_need_is_found_without_a_word(machine: Machine) -> None:
    for program in ("ip", "tc", "nsenter", "unshare", "sshfs"):
        machine.give(program, "exit 0")
    server = machine.programs / "sshfs"
    assert machine.setup("nodes", SFTP_SERVER=str(server)).stderr == ""


def test_without_sftp_one_line_says_what_isolated_nodes_need(machine: Machine) -> None:
    done = machine.setup("nodes", SFTP_SERVER="gone")
    assert done.returncode == 0
    (line,) = done.stderr.splitlines()
    assert "openssh-sftp-server" in line
    assert "tests are skipped" in line


@pytest.mark.skipif(not Path("/etc/debian_version").exists(), reason="apt-get belongs to Debian")
def test_root_on_debian_gets_what_isolated_nodes_need(machine: Machine, tmp_path: Path) -> None:
    machine.give("id", "echo 0")
    machine.give("apt-get", f'echo "$@" >> {tmp_path}/asked')
    machine.setup("nodes", SFTP_SERVER="gone")
    asked = (tmp_path / "asked").read_text(encoding="utf-8")
    for package in ("iproute2", "util-linux", "sshfs", "openssh-sftp-server"):
        assert f"install {package}" in asked


def test_what_tests_the_page_is_found_without_a_word(machine: Machine) -> None:
    for program in ("prometheus", "promtool", "chromium", "chromedriver"):
        machine.give(program, "exit 0")
    assert machine.setup("page").stderr == ""


def test_without_a_browser_one_line_says_what_is_skipped(machine: Machine, tmp_path: Path) -> None:
    done = machine.setup("page")
    assert done.returncode == 0
    (line,) = done.stderr.splitlines()
    assert "skipped" in line
    assert not (tmp_path / "asked").exists()


@pytest.mark.skipif(not Path("/etc/debian_version").exists(), reason="apt-get belongs to Debian")
def test_root_on_debian_gets_what_tests_the_page_and_no_service(
    machine: Machine, tmp_path: Path
) -> None:
    machine.give("id", "echo 0")
    machine.give("apt-get", f'echo "$RUNLEVEL $@" >> {tmp_path}/asked')
    machine.setup("page")
    asked = (tmp_path / "asked").read_text(encoding="utf-8")
    for package in ("prometheus", "chromium", "chromium-driver"):
        assert f"install {package}" in asked
    assert all(line.startswith("1 ") for line in asked.splitlines())


def test_a_part_that_is_not_there_is_refused(machine: Machine) -> None:
    done = machine.setup("oracle")
    assert done.returncode == 1
    assert "java, postgres, nodes and page" in done.stderr


def test_an_old_python_is_refused_in_one_line(machine: Machine) -> None:
    machine.give("python3", 'if [ "$1" = --version ]; then echo Python 3.9.2; else exit 1; fi')
    done = machine.setup()
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert "Python 3.11 or newer" in line
    assert "Python 3.9.2" in line
    assert not (machine.checkout / ".venv").exists()


def test_without_any_python_one_line_says_so(machine: Machine) -> None:
    done = machine.setup()
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert "here is no python3" in line


def test_a_python_that_cannot_make_environments_is_told_apart(machine: Machine) -> None:
    machine.give("python3", 'case "$*" in *ensurepip*) exit 1;; esac')
    done = machine.setup()
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert "install python3-venv" in line
