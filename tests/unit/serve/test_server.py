"""The server starts and ends beside a controller, and the job notices neither."""

import http.client
import json
import shutil
import socket
import ssl
import subprocess
import urllib.error
import urllib.request
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from albic.control import Controller
from albic.model import InvalidInput
from albic.serve import Jobs, PageServer, Serving, job_of_controller
from tests.unit.control.fakes import World, controller
from tests.unit.serve.conftest import MAY, TOKEN, Site


def fetched(address: str, trusting: ssl.SSLContext | None = None) -> Any:
    with urllib.request.urlopen(address, timeout=10, context=trusting) as answer:  # noqa: S310  our own server
        return json.load(answer)


@pytest.fixture
def steady() -> Controller:
    return controller(World())


def test_a_server_is_there_once_it_has_started_and_gone_once_closed(steady: Controller) -> None:
    server = PageServer(Jobs([job_of_controller(steady, "my orders")]), Serving(port=0))
    server.start()
    try:
        (line,) = fetched(f"{server.url}api/jobs")
        assert (line["id"], line["name"]) == ("my-orders", "my orders")
    finally:
        server.close()
    with pytest.raises(urllib.error.URLError):
        fetched(f"{server.url}api/jobs")


def test_a_port_that_is_taken_is_told(steady: Controller) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        server = PageServer(Jobs([job_of_controller(steady, "orders")]), Serving(port=port))
        with pytest.raises(InvalidInput, match=f"cannot serve at 127.0.0.1:{port}"):
            server.start()


def test_only_a_token_of_our_own_making_is_told(steady: Controller, capsys, monkeypatch) -> None:
    monkeypatch.delenv("ALBIC_SERVE_TOKEN", raising=False)
    jobs = Jobs([job_of_controller(steady, "orders")])
    ours = PageServer(jobs, Serving(port=0))
    ours.tell_token()
    assert f"#token={ours.serving.token}" in capsys.readouterr().err
    PageServer(jobs, Serving(port=0, token=TOKEN)).tell_token()
    assert capsys.readouterr().err == ""


def test_attaching_with_a_page_serves_it_until_the_controller_stops(steady: Controller) -> None:
    pytest.importorskip("pyspark")
    from albic import wiring  # noqa: PLC0415  it needs Spark's package, though no Spark

    wiring._serve(steady, Serving(port=0, token=TOKEN), "orders")
    assert steady.page_url is not None
    assert fetched(f"{steady.page_url}api/jobs/orders/settings")["planners"]
    steady.stop()
    with pytest.raises(urllib.error.URLError):
        fetched(f"{steady.page_url}api/jobs")


def test_where_the_page_cannot_be_served_the_job_is_left_alone() -> None:
    pytest.importorskip("pyspark")
    from albic import wiring  # noqa: PLC0415  as above

    job = World()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        place = replace(Serving(), port=taken.getsockname()[1])
        with pytest.raises(InvalidInput):
            wiring._serve(controller(job), place, "orders")
    assert job.closed == 1
    with pytest.raises(InvalidInput, match="other machines"):
        wiring._place("0.0.0.0:80")


def test_a_page_that_nobody_answers_for_does_not_hold_up_the_others(site: Site) -> None:
    site.steady.stop()
    assert site.client.get("/api/jobs/orders/state").status_code == 200
    assert site.client.post("/api/jobs/orders/plan", headers=MAY).status_code == 410
    assert site.client.get("/api/jobs/old/state").status_code == 200


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return a certificate for 127.0.0.1, signed by itself, and its key."""
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("openssl is not installed")
    folder = tmp_path_factory.mktemp("tls")
    files = folder / "certificate.pem", folder / "key.pem"
    asked = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    names = "-subj /CN=albic -addext subjectAltName=IP:127.0.0.1"
    words = f"{asked} {names}".split()
    subprocess.run(
        [program, *words, "-out", files[0], "-keyout", files[1]], check=True, capture_output=True
    )
    return files


def test_with_a_certificate_the_page_speaks_tls_and_nothing_else(
    steady: Controller, certificate: tuple[Path, Path]
) -> None:
    secured = Serving(port=0, token=TOKEN, certificate=certificate[0], key=certificate[1])
    server = PageServer(Jobs([job_of_controller(steady, "orders")]), secured)
    server.start()
    try:
        assert server.url.startswith("https://127.0.0.1:")
        trusting = ssl.create_default_context(cafile=certificate[0])
        assert fetched(f"{server.url}api/jobs", trusting)[0]["id"] == "orders"
        with pytest.raises((OSError, http.client.HTTPException)):
            fetched(f"{server.url.replace('https', 'http')}api/jobs")
    finally:
        server.close()


@pytest.mark.parametrize("key", ["nowhere.pem", "certificate.pem"])
def test_a_certificate_that_cannot_be_used_is_told(
    steady: Controller, certificate: tuple[Path, Path], key: str
) -> None:
    wrong = Serving(port=0, certificate=certificate[0], key=certificate[0].parent / key)
    server = PageServer(Jobs([job_of_controller(steady, "orders")]), wrong)
    with pytest.raises(InvalidInput, match=r"the certificate .* cannot be used"):
        server.start()
