"""Both stores keep the same promises: rows by key, a batch whole or not at all, and only once."""

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from albic.jobs.stores import Column, Patience, Store, Table, opened
from albic.jobs.stores.store import patiently
from albic.model import InvalidInput, StoreGone
from tests.unit.jobs.stores.server import Server, programs

DELAYS = Table(
    "delays",
    (
        Column("plane", "text"),
        Column("year", "integer"),
        Column("total", "real"),
        Column("late", "boolean"),
        Column("seen", "timestamp"),
    ),
    ("plane", "year"),
)
NOON = datetime(2013, 1, 1, 12, tzinfo=UTC)
QUICK = Patience(attempts=2, first_pause_s=0.01)

pytestmark = pytest.mark.timeout(180)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    place = programs()
    if place is None:
        pytest.skip("PostgreSQL is not installed; scripts/setup.sh installs it where it may")
    pytest.importorskip("psycopg", reason="the extra postgres is not installed")
    running = Server(place)
    yield running
    running.close()


@pytest.fixture(params=["sqlite", "postgres"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield str(tmp_path / "store.db")
        return
    server = request.getfixturevalue("server")
    import psycopg  # noqa: PLC0415  only where it is installed

    with psycopg.connect(server.url(), autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS delays, counts, albic_batches")
    yield server.url()


@pytest.fixture
def store(where: str) -> Iterator[Store]:
    found = opened(where, QUICK)
    found.create(DELAYS)
    yield found
    found.close()


def row(plane: str, total: float) -> tuple[object, ...]:
    return (plane, 2013, total, total > 0, NOON)


def test_rows_are_written_over_those_of_the_same_key(store: Store) -> None:
    assert store.write(DELAYS, [row("N2", 1.0), row("N1", -2.5)], writer="q", batch=0)
    assert store.write(DELAYS, [row("N2", 3.0)], writer="q", batch=1)
    assert store.rows(DELAYS) == [row("N1", -2.5), row("N2", 3.0)]


def test_a_batch_that_comes_again_changes_nothing(store: Store) -> None:
    store.write(DELAYS, [row("N1", 1.0)], writer="q", batch=7)
    assert not store.write(DELAYS, [row("N1", 99.0), row("N9", 1.0)], writer="q", batch=7)
    assert not store.write(DELAYS, [row("N1", 98.0)], writer="q", batch=6)
    assert store.rows(DELAYS) == [row("N1", 1.0)]
    # A query with another checkpoint counts from 0 again.
    assert store.write(DELAYS, [row("N1", 5.0)], writer="other", batch=0)


def test_an_empty_batch_is_a_batch(store: Store) -> None:
    assert store.write(DELAYS, [], writer="q", batch=0)
    assert not store.write(DELAYS, [row("N1", 1.0)], writer="q", batch=0)
    assert store.rows(DELAYS) == []


def test_nothing_is_known_stays_nothing(store: Store) -> None:
    store.write(DELAYS, [("N1", 2013, None, None, None)], writer="q", batch=0)
    assert store.rows(DELAYS) == [("N1", 2013, None, None, None)]


def test_a_batch_with_a_bad_row_is_not_written_at_all(store: Store) -> None:
    bad = [row("N1", 1.0), ("N2", 2013, 1.0)]
    with pytest.raises(InvalidInput):
        store.write(DELAYS, bad, writer="q", batch=0)
    assert store.rows(DELAYS) == []
    assert store.write(DELAYS, [row("N1", 1.0)], writer="q", batch=0)


def test_what_was_written_is_there_after_a_restart(where: str) -> None:
    first = opened(where, QUICK)
    first.create(DELAYS)
    first.write(DELAYS, [row("N1", 1.0)], writer="q", batch=0)
    first.close()
    first.close()
    second = opened(where, QUICK)
    second.create(DELAYS)
    assert not second.write(DELAYS, [row("N1", 2.0)], writer="q", batch=0)
    assert second.rows(DELAYS) == [row("N1", 1.0)]
    second.close()


def test_a_closed_store_says_so(where: str) -> None:
    store = opened(where, QUICK)
    store.close()
    with pytest.raises(InvalidInput, match="closed"):
        store.create(DELAYS)


def test_several_queries_write_at_once(store: Store) -> None:
    def query(name: str) -> None:
        for batch in range(10):
            store.write(DELAYS, [row(name, float(batch))], writer=name, batch=batch)

    threads = [threading.Thread(target=query, args=(f"N{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.rows(DELAYS) == [row(f"N{number}", 9.0) for number in range(4)]


def test_a_table_of_other_columns_is_refused(store: Store) -> None:
    other = Table("delays", (Column("plane", "text"), Column("what", "text")), ("plane",))
    store.create(other)
    with pytest.raises(InvalidInput):
        store.write(other, [("N1", "x")], writer="q", batch=0)


WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
COUNTS = Table("counts", (Column("word", "text"), Column("count", "integer")), ("word",))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(st.lists(st.dictionaries(WORDS, st.integers(-(2**40), 2**40), max_size=5), max_size=5))
def test_batches_that_come_once_or_twice_leave_the_same_rows(
    store: Store, batches: list[dict[str, int]]
) -> None:
    store.create(COUNTS)
    before = dict(store.rows(COUNTS))  # type: ignore[arg-type]
    writer = str(threading.get_ident()) + repr(batches)
    for number, batch in enumerate(batches):
        assert store.write(COUNTS, list(batch.items()), writer=writer, batch=number) or number
        store.write(COUNTS, list(batch.items()), writer=writer, batch=number)
    expected = before
    for batch in batches:
        expected = expected | batch
    assert dict(store.rows(COUNTS)) == expected  # type: ignore[arg-type]


def test_a_server_that_comes_back_is_waited_for(server: Server) -> None:
    store = opened(server.url(), Patience(attempts=12, first_pause_s=0.05))
    store.create(DELAYS)
    server.stop()
    back = threading.Timer(0.2, server.start)
    back.start()
    store.write(DELAYS, [row("N1", 1.0)], writer="back", batch=0)
    back.join()
    assert row("N1", 1.0) in store.rows(DELAYS)
    store.close()


def test_a_server_that_is_gone_is_named(server: Server) -> None:
    store = opened(server.url(), QUICK)
    store.create(DELAYS)
    server.stop()
    try:
        with pytest.raises(StoreGone, match="did not answer 2 times"):
            store.write(DELAYS, [row("N1", 1.0)], writer="gone", batch=0)
        with pytest.raises(StoreGone):
            opened(server.url(), QUICK)
    finally:
        server.start()
        store.close()


def test_a_database_that_is_not_there_is_a_mistake(server: Server) -> None:
    with pytest.raises(InvalidInput, match="nowhere"):
        opened(server.url(database="nowhere"), QUICK)
    with pytest.raises(InvalidInput, match="nobody_here"):
        opened(server.url(user="nobody_here"), QUICK)


def test_a_role_without_permission_is_told(server: Server) -> None:
    import psycopg  # noqa: PLC0415

    with psycopg.connect(server.url(), autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS guest")
        connection.execute("CREATE ROLE guest LOGIN")
    with pytest.raises(InvalidInput, match="permission"):
        opened(server.url(user="guest"), QUICK).create(DELAYS)


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        pytest.param("mysql://host/db", "no store", id="another database"),
        pytest.param(
            "postgresql://host:port/db", "postgresql://host:port/db|refuses", id="no port"
        ),
        pytest.param("/nowhere/at/all/store.db", "/nowhere/at/all", id="no folder"),
    ],
)
def test_a_bad_place_is_told(bad: str, told: str) -> None:
    pytest.importorskip("psycopg", reason="the extra postgres is not installed")
    with pytest.raises(InvalidInput, match=told):
        opened(bad, QUICK)


def test_a_file_that_is_no_database_is_told(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database, only some words that are long enough" * 20)
    with pytest.raises(InvalidInput, match=r"notes\.txt"):
        opened(path, QUICK)


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda: Table("a b", (Column("x", "text"),), ("x",)), id="name"),
        pytest.param(lambda: Table("a", (Column('x"', "text"),), ('x"',)), id="quote"),
        pytest.param(lambda: Table("a", (Column("x", "text"),), ("y",)), id="key"),
        pytest.param(lambda: Table("a", (Column("x", "text"),) * 2, ("x",)), id="twice"),
        pytest.param(lambda: Table("a", (Column("x", "text"),), ()), id="no key"),
        pytest.param(lambda: Patience(attempts=0), id="no attempt"),
    ],
)
def test_nonsense_is_refused(make: Callable[[], object]) -> None:
    with pytest.raises(InvalidInput):
        make()


def test_pauses_double_and_end() -> None:
    pauses: list[float] = []

    def fail() -> None:
        raise OSError("away")

    with pytest.raises(StoreGone, match="away"):
        patiently(fail, lambda _: True, Patience(4, 0.5), pauses.append)
    assert pauses == [0.5, 1.0, 2.0]
    with pytest.raises(OSError, match="away"):
        patiently(fail, lambda _: False, Patience(4, 0.5), pauses.append)
