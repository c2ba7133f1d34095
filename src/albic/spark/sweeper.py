"""Deletes the files of a cluster whose program was killed."""

import subprocess
from pathlib import Path

#: Deletes a cluster's folder once our end of its input closes, however we end: after a kill -9
#: nobody else is left to do it. Executors may still be writing, so it looks again for a while.
SWEEPER = """
read -r _
quiet=0
while [ "$quiet" -lt 10 ]; do
    if [ -e "$1" ]; then rm -rf "$1"; quiet=0; else quiet=$((quiet + 1)); fi
    sleep 1
done
"""


def sweeper(folder: Path) -> subprocess.Popen[bytes]:
    """Start the process that deletes ``folder`` if we cannot."""
    return subprocess.Popen(  # noqa: S603  our own words
        ["/bin/sh", "-c", SWEEPER, "sh", str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # a Ctrl-C at the terminal is not for it
    )
