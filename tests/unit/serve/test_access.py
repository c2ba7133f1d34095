"""Who may read, who may change, and who is not let in at all."""

from pathlib import Path

import pytest

from albic.model import InvalidInput
from albic.serve import Serving
from albic.serve.access import refusal
from albic.serve.address import SHORTEST_TOKEN, serving, with_token
from tests.unit.serve.conftest import MAY, TOKEN, Site

AWAY = Serving(host="0.0.0.0", token=TOKEN, plain=True, hosts=("albic.example",))  # noqa: S104


@pytest.mark.parametrize("path", ["pause", "resume", "plan", "proposals/x/accept"])
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": f"Basic {TOKEN}"},
        {"Authorization": TOKEN},
        {"Authorization": "Bearer "},
        {"Authorization": f"Bearer {TOKEN}x"},
    ],
)
def test_nothing_changes_without_the_token(site: Site, path: str, headers: dict) -> None:
    answer = site.client.post(f"/api/jobs/orders/{path}", headers=headers)
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert site.steady.journal.records() == ()
    assert TOKEN not in answer.text


def test_settings_are_not_changed_without_the_token(site: Site) -> None:
    answer = site.client.patch("/api/jobs/orders/settings", json={"max_migrations": 0})
    assert answer.status_code == 401


def test_reading_here_needs_nothing(site: Site) -> None:
    for path in ("/", "/api/jobs", "/api/jobs/orders/state", "/metrics", "/api/openapi.json"):
        assert site.client.get(path).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8777", "localhost.evil.example", "", "a@b", "127.0.0.1.nip.io"],
)
def test_a_foreign_name_is_refused(site: Site, host: str) -> None:
    answer = site.client.get("/api/jobs", headers={"Host": host})
    assert answer.status_code == 421


@pytest.mark.parametrize("host", ["localhost:8777", "127.0.0.1", "[::1]:8777", "LOCALHOST"])
def test_our_own_names_are_served(site: Site, host: str) -> None:
    assert site.client.get("/api/jobs", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:9999"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_pages_of_other_sites_are_refused_even_with_the_token(site: Site, headers: dict) -> None:
    assert site.client.get("/api/jobs", headers=headers).status_code == 403
    answer = site.client.post("/api/jobs/orders/pause", headers={**MAY, **headers})
    assert answer.status_code == 403
    assert site.steady.journal.records() == ()


def test_a_link_to_the_page_may_stand_anywhere(site: Site) -> None:
    followed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert site.client.get("/", headers=followed).status_code == 200
    assert site.client.get("/api/jobs", headers=followed).status_code == 403


def test_our_own_page_is_served(site: Site) -> None:
    ours = {"Origin": "http://127.0.0.1:8777", "Sec-Fetch-Site": "same-origin"}
    assert site.client.post("/api/jobs/orders/pause", headers={**MAY, **ours}).status_code == 200


@pytest.mark.parametrize("path", ["/", "/api/jobs", "/nowhere", "/metrics"])
def test_no_answer_may_be_framed_or_run_strangers_scripts(site: Site, path: str) -> None:
    headers = site.client.get(path).headers
    assert headers["X-Frame-Options"] == "DENY"
    policy = headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in policy
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert "Access-Control-Allow-Origin" not in headers


def test_the_page_asks_no_outside_address(site: Site) -> None:
    for path in ("/", "/page/page.js", "/page/charts.js", "/page/page.css"):
        text = site.client.get(path).text
        assert "://" not in text.replace("http://www.w3.org/2000/svg", "")


def test_away_from_loopback_reading_takes_the_token_too() -> None:
    headers = {"host": "albic.example"}
    for path in ("/api/jobs", "/metrics", "/api/openapi.json"):
        why = refusal("GET", path, headers, AWAY)
        assert why is not None
        assert why.status == 401
        shown = {**headers, "authorization": f"Bearer {TOKEN}"}
        assert refusal("GET", path, shown, AWAY) is None
    assert refusal("GET", "/", headers, AWAY) is None, "the page itself says nothing about a job"


def test_a_large_body_is_not_read(site: Site) -> None:
    answer = site.client.post("/api/jobs/orders/plan", headers=MAY, content=b"x" * 20_000)
    assert answer.status_code == 413


@pytest.mark.parametrize("host", ["0.0.0.0", "10.1.2.3", "::", "albic.example"])  # noqa: S104
def test_another_address_takes_tls_or_an_explicit_word(host: str) -> None:
    with pytest.raises(InvalidInput, match="other machines"):
        Serving(host=host)
    assert not Serving(host=host, plain=True).loopback
    secured = Serving(host=host, certificate=Path("c.pem"), key=Path("k.pem"))
    assert secured.url.startswith("https://")


@pytest.mark.parametrize(
    ("address", "host", "port"),
    [
        ("127.0.0.1:8000", "127.0.0.1", 8000),
        ("localhost", "localhost", 8777),
        ("[::1]:80", "::1", 80),
        (" 127.0.0.1 ", "127.0.0.1", 8777),
    ],
)
def test_an_address_is_read(address: str, host: str, port: int) -> None:
    found = serving(address)
    assert (found.host, found.port) == (host, port)


@pytest.mark.parametrize("address", ["", ":80", "127.0.0.1:99999", "a b", "http://x", "1:2:3"])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(InvalidInput):
        serving(address)


def test_a_token_comes_from_a_file_the_environment_or_is_made(tmp_path, monkeypatch) -> None:
    monkeypatch.delenv("ALBIC_SERVE_TOKEN", raising=False)
    monkeypatch.delenv("ALBIC_SERVE_TOKEN_FILE", raising=False)
    made = with_token(Serving())
    assert made.made_up
    assert len(made.token) >= SHORTEST_TOKEN
    assert with_token(Serving()).token != made.token
    given, written = "out-of-the-environment", "out-of-a-file-it-comes"
    monkeypatch.setenv("ALBIC_SERVE_TOKEN", given)
    assert with_token(Serving()).token == given
    file = tmp_path / "token"
    file.write_text(f"{written}\n")
    assert with_token(Serving(), file).token == written
    monkeypatch.setenv("ALBIC_SERVE_TOKEN_FILE", str(file))
    assert with_token(Serving()).token == written


@pytest.mark.parametrize("text", ["", "short", "with a space in it but long"])
def test_a_token_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "token"
    file.write_text(text)
    with pytest.raises(InvalidInput) as refused:
        with_token(Serving(), file)
    assert not text or text not in str(refused.value)
    with pytest.raises(InvalidInput, match="cannot be read"):
        with_token(Serving(), tmp_path / "gone")


def test_a_certificate_comes_with_its_key() -> None:
    with pytest.raises(InvalidInput, match="both or neither"):
        Serving(certificate=Path("c.pem"))


READER = "a-token-that-only-reads"


@pytest.mark.parametrize(
    ("method", "token", "status"),
    [
        ("GET", TOKEN, None),
        ("GET", READER, None),
        ("GET", "neither-of-the-tokens", 401),
        ("POST", TOKEN, None),
        ("POST", READER, 403),
        ("PATCH", READER, 403),
        ("POST", "neither-of-the-tokens", 401),
    ],
)
def test_a_second_token_reads_and_changes_nothing(
    method: str, token: str, status: int | None
) -> None:
    both = Serving(host="0.0.0.0", token=TOKEN, viewer=READER, plain=True)  # noqa: S104
    headers = {"host": "127.0.0.1", "authorization": f"Bearer {token}"}
    found = refusal(method, "/api/jobs/orders/pause", headers, both)
    assert (None if found is None else found.status) == status


def test_the_second_token_comes_from_the_environment_or_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert with_token(Serving(token=TOKEN)).viewer == "", "none is made up"
    monkeypatch.setenv("ALBIC_SERVE_VIEWER_TOKEN", READER)
    assert with_token(Serving(token=TOKEN)).viewer == READER
    (tmp_path / "viewer").write_text(f"{READER}-of-a-file\n")
    monkeypatch.setenv("ALBIC_SERVE_VIEWER_TOKEN_FILE", str(tmp_path / "viewer"))
    assert with_token(Serving(token=TOKEN)).viewer == f"{READER}-of-a-file"
    with pytest.raises(InvalidInput, match="both tokens are the same"):
        Serving(token=TOKEN, viewer=TOKEN)
