"""Answers each connection with OpenSSH's sftp-server; runs as a program inside the storage node.

``python sftp.py ADDRESS PORT SERVER``. Started as a file, so it loads the standard library alone.
"""

import contextlib
import socket
import subprocess
import sys


def serve(address: str, port: int, server: str) -> None:
    """Start a server for each connection, for ever."""
    running: list[subprocess.Popen[bytes]] = []
    with socket.create_server((address, port)) as listener:
        sys.stdout.write("listens\n")
        sys.stdout.flush()
        while True:
            connection, _ = listener.accept()
            with connection:
                # Small answers must not wait for the next one.
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                running = [each for each in running if each.poll() is None]
                ends = connection.fileno()
                running.append(subprocess.Popen([server], stdin=ends, stdout=ends))  # noqa: S603


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        serve(sys.argv[1], int(sys.argv[2]), sys.argv[3])
