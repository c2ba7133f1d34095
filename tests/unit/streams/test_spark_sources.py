"""Where each source of a changed network stands in the old checkpoint, and what cannot go on."""

from pathlib import Path

import pytest

from albic.model import InvalidInput
from albic.streams import carrying
from albic.streams.carrying import origins
from albic.streams.checkpoint import Batch, Checkpoint
from tests.unit.streams.conftest import source

KAFKA, FILES = '{"flights":{"0":5}}', '{"logOffset":3}'


def checkpoint(*offsets) -> Checkpoint:
    return Checkpoint(Path("old"), "some-query", 3, (Batch(3, {}, offsets),))


@pytest.fixture
def fed(monkeypatch):
    """Let sources be fed by what is named here instead of by Spark."""

    def feed(**kinds):
        made = [source(name) for name in kinds]
        of = {id(each.frame): kinds[each.name] for each in made}
        monkeypatch.setattr(carrying, "spark_sources", lambda frame: of[id(frame)])
        monkeypatch.setattr(carrying, "keeps_state", lambda frame: None)  # noqa: ARG005
        return made

    return feed


def test_sources_are_known_by_name_whatever_their_order(fed) -> None:
    sources = fed(files=["filesource[in]"], new=["rate"], kafka=["kafkav2"])
    assert origins(sources, ["kafka", "files"], checkpoint(KAFKA, FILES)) == [1, None, 0]


def test_a_source_of_several_goes_on_where_all_are_as_they_were(fed) -> None:
    sources = fed(both=["kafkav2", "filesource[in]"], other=["rate"])
    assert origins(sources, ["both", "other"], checkpoint(KAFKA, FILES, "7")) == [0, 1, 2]
    with pytest.raises(InvalidInput, match="offsets of 3 sources of Spark's and the network has 3"):
        origins(sources, ["other", "both"], checkpoint("7", KAFKA, FILES))


def test_where_names_are_unknown_as_many_have_to_be_there(fed) -> None:
    assert origins(fed(a=["rate"]), [], checkpoint("7")) == [0]
    with pytest.raises(InvalidInput, match="offsets of 1 sources of Spark's and the network has 2"):
        origins(fed(a=["rate"], b=["rate"]), [], checkpoint("7"))


@pytest.mark.parametrize(
    ("kind", "offset", "says"),
    [
        ("socket", "7", "'a' reads from socket, which cannot go on where it was"),
        ("rate", FILES, "'a' is a rate now, which cannot go on at"),
        ("filesource[in]", KAFKA, "'a' is a filesource"),
    ],
)
def test_a_source_that_cannot_go_on_is_refused(fed, kind, offset, says) -> None:
    with pytest.raises(InvalidInput, match=says):
        origins(fed(a=[kind]), ["a"], checkpoint(offset))
