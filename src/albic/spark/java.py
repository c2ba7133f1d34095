"""Whether there is a Java that Spark can run on."""

import os
import re
import subprocess

from albic.model import InvalidInput

LEAST_VERSION = 17
PATIENCE_S = 30.0


def require_java() -> None:
    """Refuse to go on without a Java for Spark; say what to do."""
    home = os.environ.get("JAVA_HOME")
    command = f"{home}/bin/java" if home else "java"
    remedy = f"install a JRE {LEAST_VERSION} or newer, for example openjdk-17-jre-headless"
    if home:
        remedy += ", or point JAVA_HOME to one"
    try:
        asked = subprocess.run(  # noqa: S603  the Java that Spark itself would start
            [command, "-version"], capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        raise InvalidInput(f"Spark needs Java, and {command!r} does not start; {remedy}") from None
    version = major_version(asked.stderr + asked.stdout)
    if version is None or version < LEAST_VERSION:
        found = "cannot be told" if version is None else str(version)
        raise InvalidInput(f"the version of {command!r} is too old for Spark ({found}); {remedy}")


def major_version(told: str) -> int | None:
    """Return the version out of what ``java -version`` says: 17 of "17.0.15", 8 of "1.8.0_402"."""
    found = re.search(r'version "(?:1\.)?(\d+)', told)
    return int(found[1]) if found else None
