"""What the code must not do, looked up in the code; and what packages say of their licences."""

import ast
import importlib.util
import re
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from albic.jobs.datasets.archives import members
from albic.model.files import save_text
from tests.unit.jobs.datasets.test_damage import zipped

ROOT = Path(__file__).parent.parent
SOURCES = sorted((ROOT / "src").rglob("*.py"))
#: Modules that turn bytes into running code.
LOADERS = {"cloudpickle", "dill", "joblib", "marshal", "pickle", "shelve"}
#: Calls that run what a text says, or make a file that others can guess.
FORBIDDEN = {"eval", "exec", "os.system", "os.popen", "tempfile.mktemp", "subprocess.getoutput"}
#: Licences that ask for nothing but to be named, and one that asks for no more of those who import.
KNOWN = re.compile(
    r"^(0BSD|Apache-2\.0|BSD(-[23]-Clause)?|CC0-1\.0|ISC|LGPL-3\.0(-only)?|MIT|MIT-CMU|MPL-2\.0|NCSA"
    r"|PSF-2\.0|Zlib|LLVM-exception)$"
)


def calls(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), node


def keyword(call: ast.Call, name: str) -> str | None:
    return next((ast.unparse(each.value) for each in call.keywords if each.arg == name), None)


@pytest.fixture(scope="module")
def trees() -> dict[str, ast.AST]:
    return {str(path.relative_to(ROOT)): ast.parse(path.read_text("utf-8")) for path in SOURCES}


def test_nothing_is_unpickled(trees) -> None:
    found = []
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = [alias.name for alias in node.names]
                names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                found += [path for name in names if name.partition(".")[0] in LOADERS]
        for name, call in calls(tree):
            if name == "np.load" and keyword(call, "allow_pickle") != "False":
                found.append(path)
    assert found == []


def test_no_text_is_run(trees) -> None:
    found = []
    for path, tree in trees.items():
        for name, call in calls(tree):
            spoken = name.startswith("subprocess.") and (
                keyword(call, "shell") not in (None, "False")
                or (call.args and isinstance(call.args[0], ast.Constant | ast.JoinedStr))
            )
            if name in FORBIDDEN or spoken:
                found.append(f"{path}: {name}")
    assert found == []


def test_no_shared_folder_is_named(trees) -> None:
    found = [
        path
        for path, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and str(node.value).startswith(("/tmp", "/var/tmp"))  # noqa: S108
    ]
    assert found == []


def test_nothing_is_downloaded(trees) -> None:
    homes = ("urllib.request", "http.client", "requests", "httpx", "ftplib", "aiohttp")
    found = [
        path
        for path, tree in trees.items()
        for node in ast.walk(tree)
        if (isinstance(node, ast.ImportFrom) and (node.module or "").startswith(homes))
        or (isinstance(node, ast.Import) and any(n.name.startswith(homes) for n in node.names))
    ]
    assert found == []


def test_a_member_of_an_archive_is_read_and_never_written(tmp_path: Path) -> None:
    path = tmp_path / "inner" / "a.zip"
    path.parent.mkdir()
    path.write_bytes(zipped(b"x").replace(b"folder/a.csv", b"../../ab.csv"))
    names = [member.name for member in members(path)]
    assert names == ["../../ab.csv"]
    assert [each.name for each in tmp_path.rglob("*")] == ["inner", "a.zip"]


def test_what_is_half_written_is_gone_or_whole(tmp_path: Path, monkeypatch) -> None:
    save_text(tmp_path / "a", "before")

    def fail(*_: object) -> None:
        raise OSError(28, "no space left on device")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(Exception, match="no space left"):
        save_text(tmp_path / "a", "after")
    assert [each.name for each in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_text() == "before"


def licences():
    spec = importlib.util.spec_from_file_location("licences", ROOT / "scripts" / "licences.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_of_licences_names_what_is_installed() -> None:
    told = (ROOT / "docs" / "licences.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| ([\w.-]+) \| (.+?) \| [\w.-]+ \|$", told, re.MULTILINE))
    installed = {name: licence for name, (licence, _) in licences().table().items()}
    assert {name: licence for name, licence in installed.items() if rows.get(name) != licence} == {}


def test_every_licence_is_one_that_we_know() -> None:
    for name, (licence, _) in licences().table().items():
        words = re.split(r" (?:AND|OR|WITH) ", licence.replace("(", "").replace(")", ""))
        assert all(KNOWN.match(word.strip()) for word in words), f"{name}: {licence}"


def audited(folder: Path, words: str) -> subprocess.CompletedProcess[str]:
    """Run an audit with a tool that says ``words``."""
    tool = folder / ".venv" / "audit" / "bin" / "pip-audit"
    tool.parent.mkdir(parents=True)
    tool.write_text(f"#!/bin/sh\n{words}\n")
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    command = ["sh", str(ROOT / "scripts" / "audit.sh")]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "words",
    [
        "echo 'requests.exceptions.ConnectionError: no route' >&2; exit 1",
        "echo 'a not found and could not be audited'; echo 'b could not be audited'",
    ],
)
def test_an_audit_that_cannot_be_made_says_so_in_a_sentence(tmp_path: Path, words: str) -> None:
    (tmp_path / "requirements.lock").write_text("a==1\nb==2\n")
    done = audited(tmp_path, words)
    assert (done.returncode, done.stdout.count("\n")) == (0, 1)
    assert done.stdout.startswith("not audited: ")


def test_a_weakness_that_is_known_fails_the_audit(tmp_path: Path) -> None:
    (tmp_path / "requirements.lock").write_text("a==1\nb==2\n")
    done = audited(tmp_path, "echo 'a 1 PYSEC-1'; exit 1")
    assert (done.returncode, done.stdout) == (1, "a 1 PYSEC-1\n")
