"""A network as text and as a drawing."""

from collections.abc import Sequence, Set

from albic.streams.layout import Layout
from albic.streams.parts import Operator, Sink, Source


def described(
    name: str,
    sources: Sequence[Source],
    operators: Sequence[Operator],
    sinks: Sequence[Sink],
    layout: Layout,
) -> str:
    """Return the stages of a network, level by level, as text."""
    total = sum(operator.key_groups for operator in operators)
    lines = [
        f"{name}: {len(operators)} operators with {total} key groups in {layout.depth} "
        f"{'stage' if layout.depth == 1 else 'stages'} of "
        f"{layout.partitions} partitions: {layout.tasks} tasks a batch",
        "sources",
        *(f"  {source.name}{_time(source)}" for source in sources),
    ]
    attached = {sink.operator for sink in sinks}
    for level, used in enumerate(layout.used, start=1):
        idle = layout.partitions - used
        lines.append(f"level {level}" + (f", {idle} partitions idle" if idle else ""))
        for chain in layout.chains:
            place = layout.places[chain[0]]
            if place.level == level:
                where = f": partitions {place.first} to {place.first + place.key_groups - 1}"
                for number in chain:
                    lines.append(_line(operators[number], where, attached))
                    where = ", chained"
    return "\n".join(lines)


def dot(
    name: str,
    sources: Sequence[Source],
    operators: Sequence[Operator],
    sinks: Sequence[Sink],
    layout: Layout,
) -> str:
    """Return a network in the language of Graphviz."""
    lines = [f"digraph {_quoted(name)} {{", "  rankdir=LR;"]
    lines += [f"  {_quoted(source.name)} [shape=cds];" for source in sources]
    for operator, place in zip(operators, layout.places, strict=True):
        about = f"{operator.name}\n{operator.key_groups} key groups by {_key(operator)}"
        about += f"\nlevel {place.level}"
        lines.append(f"  {_quoted(operator.name)} [shape=box, label={_quoted(about)}];")
        for above in operator.input_names():
            lines.append(f"  {_quoted(above)} -> {_quoted(operator.name)};")
    for number, chain in enumerate(chain for chain in layout.chains if len(chain) > 1):
        inside = " ".join(f"{_quoted(operators[each].name)};" for each in chain)
        lines.append(f'  subgraph "cluster {number}" {{ label="one task"; {inside} }}')
    for number, sink in enumerate(sinks):
        lines.append(f'  {_quoted(f"sink {number}")} [shape=cylinder, label="sink"];')
        lines.append(f"  {_quoted(sink.operator)} -> {_quoted(f'sink {number}')};")
    return "\n".join([*lines, "}"])


def _line(operator: Operator, where: str, attached: Set[str]) -> str:
    """Return what there is to say of one operator."""
    return (
        f"  {operator.name} <- {', '.join(operator.input_names())} by {_key(operator)}{where}"
        + (", windowed" if operator.windowed else "")
        + (" -> sink" if operator.name in attached else "")
    )


def _key(operator: Operator) -> str:
    keys = {operator.key_columns(name) for name in operator.input_names()}
    return " or ".join(", ".join(key) or "nothing" for key in sorted(keys))


def _time(source: Source) -> str:
    if source.event_time is None:
        return ""
    return f", event time {source.event_time}, watermark {source.delay_s:g} s behind"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
