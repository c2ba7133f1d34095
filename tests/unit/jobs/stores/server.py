"""A PostgreSQL server of our own on loopback, from whatever Debian's packages brought."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

PATIENCE_S = 60


def programs() -> Path | None:
    """Return the folder with initdb and postgres, or nothing."""
    found = shutil.which("initdb")
    places = [Path(found).resolve().parent] if found else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((place for place in places if (place / "postgres").exists()), None)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


class Server:
    """A server that can be stopped and started again; it never runs as root."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._folder = Path(tempfile.mkdtemp(prefix="albic-postgres-"))
        self._process: subprocess.Popen[bytes] | None = None
        self.port = free_port()
        # PostgreSQL refuses to run as root.
        self._user = "nobody" if os.geteuid() == 0 else None
        if self._user is not None:
            owner = pwd.getpwnam(self._user)
            os.chown(self._folder, owner.pw_uid, owner.pw_gid)
        self._run("initdb", "-D", self._data, "-U", "owner", "-A", "trust", "--no-sync")
        with (self._folder / "data" / "postgresql.conf").open("a") as settings:
            settings.write("fsync = off\nshared_buffers = 4MB\nmax_connections = 10\n")
        self.start()

    @property
    def _data(self) -> str:
        return str(self._folder / "data")

    def url(self, user: str = "owner", database: str = "postgres") -> str:
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        command = [str(self._place / "postgres"), "-D", self._data, "-p", str(self.port)]
        command += ["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="]
        self._process = subprocess.Popen(
            command,
            user=self._user,
            extra_groups=None if self._user is None else [],
            cwd=self._folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        ends_s = time.monotonic() + PATIENCE_S
        while not self._answers():
            assert self._process.poll() is None, "the server ended by itself"
            assert time.monotonic() < ends_s, "the server did not come up"
            time.sleep(0.05)

    def _answers(self) -> bool:
        done = subprocess.run(
            [str(self._place / "pg_isready"), "-h", "127.0.0.1", "-p", str(self.port)],
            capture_output=True,
            check=False,
        )
        return done.returncode == 0

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None

    def close(self) -> None:
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [str(self._place / program), *arguments],
            user=self._user,
            extra_groups=None if self._user is None else [],
            cwd=self._folder,
            check=True,
            capture_output=True,
        )
