"""The graph of a network: refuse what cannot run, and find the level of each operator."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import pyarrow as pa
from pyspark.sql.types import StructType

from albic.model import InvalidInput
from albic.model.fields import nearest
from albic.streams.dividing import division_of
from albic.streams.hashing import is_hashable
from albic.streams.parts import Operator, Sink, Source
from albic.streams.schemas import arrow_schema, parsed

#: Key groups are counted in 16 bits on their way; Spark would choke on far fewer.
MOST_KEY_GROUPS = 65_535


def schemas(sources: Sequence[Source], operators: Sequence[Operator]) -> dict[str, StructType]:
    """Return what each source and operator puts out, by name."""
    _expect_names(sources, operators)
    found = {source.name: parsed(source.schema, f"source {source.name!r}") for source in sources}
    for operator in operators:
        found[operator.name] = parsed(operator.schema, f"operator {operator.name!r}")
    return found


def check(
    sources: Sequence[Source],
    operators: Sequence[Operator],
    sinks: Sequence[Sink],
    out: Mapping[str, StructType],
) -> None:
    """Raise InvalidInput, naming the operator, if something is wrong."""
    arrow = {name: arrow_schema(schema) for name, schema in out.items()}
    for source in sources:
        _expect_time(f"source {source.name!r}", source.event_time, arrow[source.name])
        _expect_end(source, arrow[source.name])
        if not (math.isfinite(source.delay_s) and source.delay_s >= 0):
            raise InvalidInput(
                f"source {source.name!r}: delay_s is {source.delay_s}; it must be 0 or more"
            )
    for operator in operators:
        _expect_inputs(operator, arrow)
        _expect_key(operator, arrow)
        _expect_kept_key(operator, arrow)
        key = operator.key_columns(operator.input_names()[0])
        division_of(operator.split, key, f"operator {operator.name!r}")
        _expect_time(f"operator {operator.name!r}", operator.event_time, arrow[operator.name])
    levels(operators)
    names = {operator.name for operator in operators}
    for sink in sinks:
        if sink.operator not in names:
            raise InvalidInput(
                f"a sink is attached to {sink.operator!r}, which is not an operator"
                + _hint(sink.operator, names)
            )
    used = {name for operator in operators for name in operator.input_names()}
    for source in sources:
        if source.name not in used:
            raise InvalidInput(f"source {source.name!r} feeds no operator; leave it out")


def levels(operators: Sequence[Operator]) -> dict[str, int]:
    """Return each operator's level: the longest path from a source. Raise on a cycle."""
    inputs = {operator.name: operator.input_names() for operator in operators}
    found: dict[str, int] = {}
    waiting = list(inputs)
    while waiting:
        ready = [
            name for name in waiting if all(i in found or i not in inputs for i in inputs[name])
        ]
        if not ready:
            stuck = ", ".join(repr(name) for name in _on_cycles(waiting, inputs))
            raise InvalidInput(f"operators form a cycle: {stuck}; a network is acyclic")
        for name in ready:
            found[name] = 1 + max((found.get(above, 0) for above in inputs[name]), default=0)
        waiting = [name for name in waiting if name not in found]
    return found


def sources_above(operators: Sequence[Operator]) -> dict[str, frozenset[str]]:
    """Return the sources that each operator's rows come from, directly or not."""
    inputs = {operator.name: operator.input_names() for operator in operators}
    found: dict[str, frozenset[str]] = {}
    for name, _ in sorted(levels(operators).items(), key=lambda item: item[1]):
        found[name] = frozenset().union(
            *(found[above] if above in inputs else {above} for above in inputs[name])
        )
    return found


def _on_cycles(waiting: Sequence[str], inputs: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Return those of ``waiting`` that also lead to one of them."""
    left = list(waiting)
    while True:
        fed = {above for name in left for above in inputs[name]}
        kept = [name for name in left if name in fed]
        if len(kept) == len(left):
            return left
        left = kept


def _expect_names(sources: Sequence[Source], operators: Sequence[Operator]) -> None:
    """Refuse a name that is empty or used twice."""
    if not sources or not operators:
        raise InvalidInput("a network needs at least one source and one operator")
    counted = Counter([*(s.name for s in sources), *(o.name for o in operators)])
    for name, times in counted.items():
        if not name:
            raise InvalidInput("a source or an operator has no name")
        if times > 1:
            raise InvalidInput(f"the name {name!r} is used {times} times; give each its own")


def _expect_inputs(operator: Operator, arrow: Mapping[str, pa.Schema]) -> None:
    """Refuse inputs that are not there, and key groups that cannot be."""
    inputs = operator.input_names()
    if not inputs:
        raise InvalidInput(f"operator {operator.name!r} has no input")
    for name in inputs:
        if name not in arrow:
            raise InvalidInput(
                f"operator {operator.name!r}: its input {name!r} is neither a source nor an "
                f"operator" + _hint(name, set(arrow))
            )
    if len(set(inputs)) < len(inputs):
        raise InvalidInput(f"operator {operator.name!r} names an input twice")
    if not 1 <= operator.key_groups <= MOST_KEY_GROUPS:
        raise InvalidInput(
            f"operator {operator.name!r} has {operator.key_groups} key groups; "
            f"it needs 1 to {MOST_KEY_GROUPS}"
        )


def _expect_key(operator: Operator, arrow: Mapping[str, pa.Schema]) -> None:
    """Refuse keys whose types cannot meet in one key group."""
    kinds = {name: _key_types(operator, name, arrow[name]) for name in operator.input_names()}
    (first, expected), *others = kinds.items()
    for name, other in others:
        if other != expected:
            raise InvalidInput(
                f"operator {operator.name!r}: its key has the types "
                f"{', '.join(map(str, expected))} in {first!r} but "
                f"{', '.join(map(str, other))} in {name!r}; equal keys would not meet"
            )


def _key_types(operator: Operator, name: str, schema: pa.Schema) -> list[pa.DataType]:
    """Return the types of the key in one input; refuse columns that it lacks or cannot have."""
    columns = operator.key_columns(name)
    if not columns and operator.key_groups > 1:
        raise InvalidInput(
            f"operator {operator.name!r} has no key for its input {name!r}; "
            f"without one it can have 1 key group only"
        )
    for column in columns:
        if column not in schema.names:
            raise InvalidInput(
                f"operator {operator.name!r}: the key column {column!r} is not in its input "
                f"{name!r}" + _hint(column, set(schema.names))
            )
        if not is_hashable(schema.field(column).type):
            raise InvalidInput(
                f"operator {operator.name!r}: the key column {column!r} is a "
                f"{schema.field(column).type}; keys are whole numbers, texts, dates or times"
            )
    return [schema.field(column).type for column in columns]


def _expect_kept_key(operator: Operator, arrow: Mapping[str, pa.Schema]) -> None:
    """Refuse a declaration that cannot be true: other columns than the key, or of other types."""
    kept = operator.kept_key()
    if kept is None:
        return
    owner = f"operator {operator.name!r} declares keeps_key"
    keys = {name: operator.key_columns(name) for name in operator.input_names()}
    if operator.keeps_key is True and len(set(keys.values())) > 1:
        raise InvalidInput(
            f"{owner}, but its inputs name the key differently; "
            f"name the columns of its output that hold it"
        )
    out = arrow[operator.name]
    for column in kept:
        if column not in out.names:
            raise InvalidInput(
                f"{owner}, but {column!r} is not in its output" + _hint(column, {*out.names})
            )
    name, columns = next(iter(keys.items()))
    expected = [arrow[name].field(column).type for column in columns]
    found = [out.field(column).type for column in kept]
    if found != expected:
        raise InvalidInput(
            f"{owner}, but its key has the types {', '.join(map(str, expected)) or 'of nothing'} "
            f"and its output holds {', '.join(map(str, found)) or 'nothing'}; "
            f"equal keys would not meet"
        )


def _expect_time(owner: str, column: str | None, schema: pa.Schema) -> None:
    """Refuse an event time that is not there or is not a time."""
    if column is None:
        return
    if column not in schema.names:
        raise InvalidInput(
            f"{owner}: the event time {column!r} is not among its columns"
            + _hint(column, set(schema.names))
        )
    if not pa.types.is_timestamp(schema.field(column).type):
        raise InvalidInput(
            f"{owner}: the event time {column!r} is a {schema.field(column).type}, not a timestamp"
        )


def _expect_end(source: Source, schema: pa.Schema) -> None:
    """Refuse a column for the last row that is not there or does not say yes or no."""
    if source.ends is None:
        return
    owner = f"source {source.name!r}: the column {source.ends!r} that marks its last row"
    if source.ends not in schema.names:
        raise InvalidInput(
            f"{owner} is not among its columns" + _hint(source.ends, {*schema.names})
        )
    if not pa.types.is_boolean(schema.field(source.ends).type):
        raise InvalidInput(f"{owner} is a {schema.field(source.ends).type}, not a boolean")
    if source.event_time is None:
        raise InvalidInput(f"{owner} closes windows, but it has no event time; name it as well")


def _hint(name: str, known: set[str]) -> str:
    meant = nearest(name, known)
    return f"; did you mean {meant!r}?" if meant else f"; known are {', '.join(sorted(known))}"
