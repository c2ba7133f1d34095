"""What ``albic serve`` does: says where the page is, and serves it until somebody interrupts."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from albic.cli.shared.screen import screen


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the user asked for."""

    host: str
    port: int
    token_file: Path | None
    certificate: Path | None
    key: Path | None
    plain: bool
    hosts: tuple[str, ...]


def run(journals: Sequence[Path], wishes: Wishes) -> None:
    """Serve the page of ``journals``."""
    from albic.serve import PageServer, Serving, jobs_of_journals  # noqa: PLC0415  an extra
    from albic.serve.address import with_token  # noqa: PLC0415  as above

    asked = Serving(
        host=wishes.host,
        port=wishes.port,
        certificate=wishes.certificate,
        key=wishes.key,
        plain=wishes.plain,
        hosts=wishes.hosts,
    )
    server = PageServer(jobs_of_journals(journals), with_token(asked, wishes.token_file))
    server.start()
    console = screen(aside=True)
    console.print(f"the page is at {server.url} – Ctrl-C ends it", soft_wrap=True)
    if not asked.loopback:
        server.tell_token()
    try:
        server.wait()
    finally:
        server.close()
