"""A network that cannot run is refused with the name of what is wrong; the others are drawn."""

import pytest

from albic.model import InvalidInput
from albic.streams.layout import Place
from tests.unit.streams.conftest import network, operator, sink, source

DIAMOND = [
    operator("left", "numbers", key_groups=3),
    operator("right", "numbers", key_groups=2),
    operator("both", ["left", "right", "numbers"], key_groups=4),
]


@pytest.mark.parametrize(
    ("operators", "says"),
    [
        pytest.param(
            [operator("a", "c"), operator("b", "a"), operator("c", "b"), operator("d", "c")],
            r"cycle: 'a', 'b', 'c'; a network",
            id="cycle",
        ),
        pytest.param([operator("a", "a")], "cycle: 'a'", id="feeds itself"),
        pytest.param(
            [operator(inputs="number")],
            "'sums': its input 'number' .* did you mean 'numbers'",
            id="unknown input",
        ),
        pytest.param([operator(inputs=[])], "'sums' has no input", id="no input"),
        pytest.param(
            [operator(inputs=["numbers", "numbers"])], "'sums' names an input twice", id="twice"
        ),
        pytest.param(
            [operator(key="kye")],
            "'sums': the key column 'kye' is not in its input 'numbers'; did you mean 'key'",
            id="key column missing",
        ),
        pytest.param([operator(key=())], "'sums' has no key", id="no key"),
        pytest.param(
            [operator(), operator()], "the name 'sums' is used 2 times", id="two of one name"
        ),
        pytest.param(
            [operator("numbers")], "the name 'numbers' is used 2 times", id="name of a source"
        ),
        pytest.param([operator("")], "has no name", id="no name"),
        pytest.param([operator(key_groups=0)], "'sums' has 0 key groups", id="zero key groups"),
        pytest.param([operator(key_groups=70_000)], "'sums' has 70000 key groups", id="too many"),
        pytest.param(
            [operator(schema="key strnig")],
            "'sums': column 'key' .* 'strnig'; did you mean string",
            id="unknown type",
        ),
        pytest.param([operator(schema="key")], "'key' in its schema is not a name", id="no type"),
        pytest.param(
            [operator(schema="key int, key int")], "has the column 'key' twice", id="column twice"
        ),
        pytest.param(
            [operator(event_time="at")], "'sums': the event time 'at' is not among", id="no time"
        ),
        pytest.param(
            [operator(event_time="value")], "'value' is a int64, not a timestamp", id="not a time"
        ),
        pytest.param(
            [
                operator("a", schema="key int"),
                operator("b", ["a", "numbers"]),
            ],
            "'b': its key has the types int32 in 'a' but string in 'numbers'",
            id="keys that never meet",
        ),
        pytest.param(
            [operator("a", schema="key double"), operator("b", "a")],
            "'b': the key column 'key' is a double",
            id="float as key",
        ),
        pytest.param([], "at least one source and one operator", id="empty"),
    ],
)
def test_what_cannot_run_is_refused(operators, says) -> None:
    with pytest.raises(InvalidInput, match=says):
        network(operators)


@pytest.mark.parametrize(
    ("sources", "says"),
    [
        pytest.param([source(event_time="att")], "'numbers': .* 'att' is not among", id="no time"),
        pytest.param([source(delay_s=-1)], "'numbers': delay_s is -1", id="negative delay"),
        pytest.param([source(delay_s=float("nan"))], "delay_s is nan", id="no delay"),
        pytest.param([source(ends="over")], "'over' .* is not among", id="no last row"),
        pytest.param([source(ends="value")], "'value' .* not a boolean", id="no yes or no"),
        pytest.param(
            [source(schema="key string, over boolean", ends="over")], "no event time", id="no end"
        ),
        pytest.param([source(), source("idle")], "'idle' feeds no operator", id="feeds nobody"),
    ],
)
def test_a_source_that_cannot_feed_is_refused(sources, says) -> None:
    with pytest.raises(InvalidInput, match=says):
        network(sources=sources)


def test_a_sink_needs_an_operator() -> None:
    with pytest.raises(InvalidInput, match="'numbers', which is not an operator; known are sums"):
        network(sinks=[sink("numbers")])


def test_the_longest_path_from_a_source_sets_the_level() -> None:
    chain = [operator("c", ["numbers", "b"]), operator("b", "a"), operator("a", "numbers")]
    assert [place.level for place in network(chain).layout().places] == [3, 2, 1]


def test_key_groups_of_a_level_follow_each_other() -> None:
    layout = network(DIAMOND).layout()
    assert layout.places == (Place(1, 0, 3), Place(1, 3, 2), Place(2, 0, 4))
    assert layout.used == (5, 4)
    assert layout.partitions == 5
    assert layout.located(1, 4) == ((1,), 1)
    with pytest.raises(LookupError, match="partition 4 of level 2"):
        layout.located(2, 4)


def test_a_row_for_a_later_stage_passes_through_a_partition_in_use() -> None:
    layout = network([*DIAMOND, operator("wide", "both", key_groups=9)]).layout()
    assert layout.partitions == 9
    for partition in range(9):
        assert layout.hop(3, 3, partition) == partition
        assert layout.hop(2, 3, partition) < 4


def test_a_network_is_described_stage_by_stage() -> None:
    sources = [source(event_time="at", delay_s=60)]
    assert network(DIAMOND, sources, [sink("both")]).describe().splitlines() == [
        "small: 3 operators with 9 key groups in 2 stages of 5 partitions: 10 tasks a batch",
        "sources",
        "  numbers, event time at, watermark 60 s behind",
        "level 1",
        "  left <- numbers by key: partitions 0 to 2",
        "  right <- numbers by key: partitions 3 to 4",
        "level 2, 1 partitions idle",
        "  both <- left, right, numbers by key: partitions 0 to 3 -> sink",
    ]


def test_a_drawing_has_every_stream_once() -> None:
    drawn = network(DIAMOND, sinks=[sink("both")]).to_dot().splitlines()
    assert drawn[0] == 'digraph "small" {'
    assert [line.strip() for line in drawn if "->" in line] == [
        '"numbers" -> "left";',
        '"numbers" -> "right";',
        '"left" -> "both";',
        '"right" -> "both";',
        '"numbers" -> "both";',
        '"both" -> "sink 0";',
    ]
    assert any(r"left\n3 key groups by key\nlevel 1" in line for line in drawn)


def test_planners_see_the_operators_stage_by_stage_and_what_is_idle() -> None:
    shown = network(DIAMOND).topology()
    names = [(operator.name, operator.key_groups) for operator in shown.operators]
    assert names == [("left", 3), ("right", 2), ("both", 4), ("idle in stage 2", 1)]
    assert shown.streams == ((0, 2), (1, 2))
    assert shown.stages == (0, 0, 1, 1)
    assert shown.stage_of().tolist() == [0] * 5 + [1] * 5


def test_inputs_may_name_their_keys_differently() -> None:
    first = operator("first", schema="id string, value bigint")
    both = operator("both", ["first", "numbers"], key={"first": "id", "numbers": "key"})
    made = network([first, both])
    assert both.key_columns("first") == ("id",)
    assert "by id or key" in made.describe()


def test_one_key_group_needs_no_key() -> None:
    assert "by nothing" in network([operator(key=(), key_groups=1)]).describe()
