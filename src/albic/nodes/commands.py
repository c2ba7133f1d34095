"""The programs of the operating system that are called, and what they say when they fail."""

import os
import subprocess
from collections.abc import Mapping, Sequence

#: Debian keeps ``ip`` and ``tc`` where the path of a plain user does not look.
PATH = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"


class CommandFailed(Exception):
    """A program ended with an error; the message has its words and ours."""


def environment() -> Mapping[str, str]:
    """Return the environment for a program: ours, with a path that has the system's tools."""
    return {**os.environ, "PATH": PATH}


def run(*words: str) -> str:
    """Run a program to its end and return what it printed."""
    done = subprocess.run(  # noqa: S603  our own words
        words, capture_output=True, text=True, check=False, env=environment()
    )
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise CommandFailed(f"`{' '.join(words)}` failed: {said[0] if said else 'silently'}")
    return done.stdout


def ip(lines: Sequence[str]) -> None:
    """Run commands of ``ip`` one after the other; the first that fails ends it."""
    for line in lines:
        run("ip", *line.split())
