"""The server at work, in a thread beside a controller or beside nothing."""

import logging
import ssl
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import replace

import uvicorn

from albic.model import InvalidInput
from albic.serve.address import Serving, with_token
from albic.serve.app import application
from albic.serve.jobs import Jobs

log = logging.getLogger(__name__)

#: How long a server may take to listen, and to end.
START_WITHIN_S, END_WITHIN_S = 10.0, 3.0
#: Open connections at once; more are refused and do no harm.
MOST_CONNECTIONS = 64


class PageServer:
    """Serves pages in a thread of its own, until it is closed; the job does not notice either."""

    def __init__(self, jobs: Jobs, asked: Serving, planners: Sequence[str] = ()) -> None:
        self.serving = with_token(asked)
        self._server = uvicorn.Server(_config(jobs, self.serving, planners))
        self._thread = threading.Thread(target=self._run, name="albic-page", daemon=True)
        self._failed = False

    @property
    def url(self) -> str:
        """Return the address of the page."""
        return self.serving.url

    def start(self) -> None:
        """Listen; returns once somebody can connect."""
        _expect_usable(self.serving)
        self._thread.start()
        until_s = time.monotonic() + START_WITHIN_S
        while not (self._server.started or self._failed) and time.monotonic() < until_s:
            time.sleep(0.01)
        if not self._server.started:
            self.close()
            raise InvalidInput(
                f"cannot serve at {self.serving.host}:{self.serving.port}; the port may be taken, "
                f"choose another"
            )
        sockets = [each for server in self._server.servers for each in server.sockets]
        # Port 0 asks for any that is free.
        self.serving = replace(self.serving, port=int(sockets[0].getsockname()[1]))
        log.info("the page of albic is at %s", self.url)

    def wait(self) -> None:
        """Return when the server has ended."""
        while self._thread.is_alive():
            # In pieces, so that an interrupt is heard.
            self._thread.join(0.5)

    def close(self) -> None:
        """End; open connections are cut off."""
        self._server.should_exit = True
        self._server.force_exit = True
        if self._thread.ident is not None:
            self._thread.join(END_WITHIN_S)

    def tell_token(self) -> None:
        """Say the token once on stderr, if we made it; whoever chose one knows it."""
        if self.serving.made_up:
            sys.stderr.write(f"albic: {self.url}#token={self.serving.token}\n")

    def _run(self) -> None:
        try:
            self._server.run()
        except (Exception, SystemExit) as wrong:  # noqa: BLE001  the job must not notice
            log.warning("the page cannot be served: %s", str(wrong) or "see above")
        finally:
            self._failed = True


def _expect_usable(serving: Serving) -> None:
    """Refuse a certificate that cannot be used, before a thread stumbles over it."""
    if serving.certificate is None or serving.key is None:
        return
    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(
            serving.certificate, serving.key
        )
    except OSError as wrong:
        why = (wrong.strerror or "it is none").lower()
        raise InvalidInput(
            f"the certificate {str(serving.certificate)!r} with the key {str(serving.key)!r} "
            f"cannot be used: {why}"
        ) from None


def _config(jobs: Jobs, serving: Serving, planners: Sequence[str]) -> uvicorn.Config:
    return uvicorn.Config(
        application(jobs, serving, planners),
        host=serving.host,
        port=serving.port,
        ssl_certfile=serving.certificate,
        ssl_keyfile=serving.key,
        log_config=None,
        access_log=False,
        server_header=False,
        # Whom a proxy speaks for is its own affair: no door of ours depends on the address.
        proxy_headers=False,
        lifespan="off",
        ws="none",
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=1,
    )
