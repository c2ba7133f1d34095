"""Who may: decided from the headers of a request alone.

Three doors. A page of somebody else's that a browser of ours has open must not reach the server:
so a foreign name in ``Host`` (a name that was made to point here), a foreign ``Origin`` and what
the browser itself calls cross-site are refused. Changing takes the token. Reading takes it too
where other machines can ask.
"""

import hmac
import ipaddress
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass

from albic.serve.address import Serving

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
#: What a browser may load as a page of its own: nothing but ours, and in nobody's frame.
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^:\[\]\s/@]+)(?::(\d{1,5}))?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not answered, with the status that says so."""

    status: int
    reason: str


def refusal(method: str, path: str, headers: Mapping[str, str], serving: Serving) -> Refusal | None:
    """Return why a request is refused, or None if it may pass; ``headers`` have small names."""
    host = headers.get("host", "")
    if not _known_host(host, serving):
        return Refusal(421, "this host is not served here; see the option --allow-host")
    if _is_foreign(path, headers, host):
        return Refusal(403, "requests from pages of other sites are refused")
    if not _needs_token(method, path, serving):
        return None
    shown = headers.get("authorization", "")
    # Both are looked at whatever comes, so that the time tells nothing.
    may_change, may_read = (_has_token(shown, each) for each in (serving.token, serving.viewer))
    if may_change or (may_read and method in SAFE_METHODS):
        return None
    if may_read:
        return Refusal(403, "this token is for reading; changing takes the other one")
    return Refusal(401, "this takes the token, as Authorization: Bearer TOKEN")


def _known_host(header: str, serving: Serving) -> bool:
    """Return whether a request was meant for us.

    A name that somebody made to point here is in nobody's list. Addresses need no list: nobody
    can make an address point elsewhere.
    """
    found = _HOST.fullmatch(header)
    if found is None:
        return False
    name = found[1].strip("[]").lower()
    known = {"localhost", serving.host.lower(), *(each.lower() for each in serving.hosts)}
    if not serving.loopback:
        known.add(socket.gethostname().lower())
    return name in known or _is_address(name)


def _is_foreign(path: str, headers: Mapping[str, str], host: str) -> bool:
    """Return whether another site's page makes the browser ask.

    A link to the page itself may stand anywhere: whoever follows it sees the page and no more.
    """
    origin = headers.get("origin")
    if origin is not None and origin.partition("://")[2].lower() != host.lower():
        return True
    site = headers.get("sec-fetch-site", "none")
    followed = path == "/" and headers.get("sec-fetch-mode") == "navigate"
    return site not in {"none", "same-origin"} and not followed


def _needs_token(method: str, path: str, serving: Serving) -> bool:
    """Return whether a request has to show the token; the page itself holds nothing of a job."""
    if method not in SAFE_METHODS:
        return True
    return not serving.loopback and (path.startswith("/api") or path == "/metrics")


def _has_token(authorization: str, token: str) -> bool:
    """Return whether the token was shown; takes as long whatever was shown."""
    scheme, _, shown = authorization.partition(" ")
    same = hmac.compare_digest(shown.strip().encode(), token.encode())
    return same and scheme.lower() == "bearer" and bool(token)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
