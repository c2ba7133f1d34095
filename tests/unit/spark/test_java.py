"""Without a Java for Spark, one sentence says what to do."""

import pytest

from albic.model import InvalidInput
from albic.spark.java import major_version, require_java


@pytest.mark.parametrize(
    ("told", "version"),
    [
        ('openjdk version "17.0.15" 2025-04-15', 17),
        ('java version "1.8.0_402"', 8),
        ('openjdk version "21" 2023-09-19', 21),
        ("bash: java: command not found", None),
    ],
)
def test_the_version_is_read_out_of_what_java_says(told: str, version: int | None) -> None:
    assert major_version(told) == version


def java_that_says(folder, words: str) -> str:
    (folder / "bin").mkdir()
    script = folder / "bin" / "java"
    script.write_text(f"#!/bin/sh\necho '{words}' >&2\n", encoding="utf-8")
    script.chmod(0o755)
    return str(folder)


def test_a_missing_java_is_told_with_the_remedy(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nowhere"))
    with pytest.raises(InvalidInput, match="does not start; install a JRE 17"):
        require_java()


def test_an_old_java_is_told(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("JAVA_HOME", java_that_says(tmp_path, 'openjdk version "11.0.2"'))
    with pytest.raises(InvalidInput, match=r"too old for Spark \(11\)"):
        require_java()


def test_a_new_java_will_do(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("JAVA_HOME", java_that_says(tmp_path, 'openjdk version "21.0.1"'))
    require_java()
