"""Where the server listens, and what that takes."""

import ipaddress
import os
import re
import secrets
from dataclasses import dataclass, replace
from pathlib import Path

from albic.model import InvalidInput
from albic.model.fields import written

PORT = 8777
LOCAL = f"127.0.0.1:{PORT}"
TOKEN, TOKEN_FILE = "ALBIC_SERVE_TOKEN", "ALBIC_SERVE_TOKEN_FILE"
VIEWER, VIEWER_FILE = "ALBIC_SERVE_VIEWER_TOKEN", "ALBIC_SERVE_VIEWER_TOKEN_FILE"
#: A token that is shorter could be guessed.
SHORTEST_TOKEN = 16
_ADDRESS = re.compile(r"(\[[0-9a-fA-F:.]+\]|[^:\[\]\s]+)(?::(\d{1,5}))?")
_TOKEN = re.compile(r"[\w.~+/=-]+")


@dataclass(frozen=True, slots=True)
class Serving:
    """Where and how pages are served.

    Parameters
    ----------
    token
        What whoever changes something has to know; away from loopback, whoever reads as well.
    viewer
        A second token, for those who may read and change nothing; empty where there is none.
    made_up
        Whether the token is one of ours, which has to be told once.
    certificate, key
        Files for TLS.
    plain
        The explicit word that another address than loopback may go without TLS.
    hosts
        Names under which browsers may ask for the page, beside addresses and this machine's name.
    """

    host: str = "127.0.0.1"
    port: int = PORT
    token: str = ""
    viewer: str = ""
    made_up: bool = False
    certificate: Path | None = None
    key: Path | None = None
    plain: bool = False
    hosts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65535:
            raise InvalidInput(f"port {self.port} does not exist; it must be from 0 to 65535")
        if (self.certificate is None) != (self.key is None):
            raise InvalidInput("TLS takes a certificate and its key; give both or neither")
        for token in filter(None, (self.token, self.viewer)):
            if len(token) < SHORTEST_TOKEN or not _TOKEN.fullmatch(token):
                raise InvalidInput(
                    f"the token must have {SHORTEST_TOKEN} characters or more, all of them "
                    f"letters, digits or -._~+/="
                )
        if self.token and self.token == self.viewer:
            raise InvalidInput("both tokens are the same; whoever may only read needs another one")
        if not (self.loopback or self.plain or self.certificate is not None):
            raise InvalidInput(
                f"{self.host} can be reached from other machines; give a certificate and a key "
                f"for TLS, or say explicitly that it may go without (plain)"
            )

    @property
    def loopback(self) -> bool:
        """Return whether only this machine can ask."""
        return is_loopback(self.host)

    @property
    def url(self) -> str:
        """Return the address of the page."""
        scheme = "http" if self.certificate is None else "https"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{scheme}://{host}:{self.port}/"


def serving(address: object) -> Serving:
    """Return where "127.0.0.1:8777", "localhost" or "[::1]:80" says."""
    found = _ADDRESS.fullmatch(address.strip()) if isinstance(address, str) else None
    if found is None:
        raise InvalidInput(
            f"{written(address)} is no address to serve at; write for example 127.0.0.1:{PORT}"
        )
    return Serving(host=found[1].strip("[]"), port=PORT if found[2] is None else int(found[2]))


def with_token(asked: Serving, file: Path | None = None) -> Serving:
    """Return ``asked`` with its tokens: as given, of a file, of the environment, or a new one.

    Nobody needs one for readers alone, so none is made up.
    """
    viewer = asked.viewer or _found(None, VIEWER, VIEWER_FILE)
    if token := asked.token or _found(file, TOKEN, TOKEN_FILE):
        return replace(asked, token=token, viewer=viewer)
    return replace(asked, token=secrets.token_urlsafe(24), viewer=viewer, made_up=True)


def _found(file: Path | None, variable: str, file_variable: str) -> str:
    """Return the token in a file, or in the environment; an empty text where there is none."""
    if file is None and (named := os.environ.get(file_variable)):
        file = Path(named)
    if file is None:
        return os.environ.get(variable, "").strip()
    try:
        text = file.read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as wrong:
        reason = getattr(wrong, "strerror", None) or "it is no text"
        raise InvalidInput(f"the token file {str(file)!r} cannot be read: {reason}") from None
    if not text:
        raise InvalidInput(f"the token file {str(file)!r} is empty; write a token into it")
    return text


def is_loopback(host: str) -> bool:
    """Return whether an address or name can be reached from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
