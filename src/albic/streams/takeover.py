"""Who takes over from whom when a network changes: decided on the driver, before anything is read.

A key group of the new network is an *heir*. It takes over from the key groups of the operator that
had its name, or that was renamed to it; an operator that is new has none to take over from.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from albic.model import InvalidInput
from albic.model.fields import nearest
from albic.streams.dividing import ByTables, Division, Share, division_of, heirs
from albic.streams.layout import Layout
from albic.streams.packing import UNKNOWN
from albic.streams.parts import Operator, Source
from albic.streams.state import About


@dataclass(frozen=True, slots=True)
class Address:
    """Where the state of a key group lies: a value of a stage, by label and place in its chain."""

    level: int
    label: int
    slot: int


@dataclass(frozen=True, slots=True)
class Heir:
    """A key group of the new network; ``division`` is there if its operator's number changed."""

    operator: str
    share: Share
    address: Address
    division: Division | None

    @property
    def owner(self) -> str:
        """Return what errors call it."""
        return f"operator {self.operator!r}, key group {self.share.key_group}"


@dataclass(frozen=True, slots=True)
class Heritage:
    """Everything that a changed network takes over.

    ``takers`` has the positions of the heirs of each old key group, by operator and number.
    """

    heirs: tuple[Heir, ...]
    takers: Mapping[tuple[str, int], tuple[int, ...]]
    sources: tuple[str, ...]
    watermarks: tuple[int, ...]


def address(layout: Layout, number: int, key_group: int) -> Address:
    """Return where a network keeps the state of an operator's key group."""
    place = layout.places[number]
    chain = next(chain for chain in layout.chains if number in chain)
    label = layout.labels()[place.first + key_group]
    return Address(place.level, label, chain.index(number))


def heritage(
    sources: Sequence[Source],
    operators: Sequence[Operator],
    layout: Layout,
    stored: Sequence[About],
    renamed: Mapping[str, str],
) -> Heritage:
    """Return who takes over what; refuse what cannot be meant, with the operator's name."""
    counts = {group.operator: group.key_groups for group in stored}
    stateful = {group.operator for group in stored if group.tables}
    expect_renames(renamed, {*counts, *old_sources(stored)}, operators, sources)
    came_from = {renamed.get(old, old): old for old in counts}
    found: list[Heir] = []
    takers: dict[tuple[str, int], tuple[int, ...]] = {}
    for number, operator in enumerate(operators):
        groups, old = operator.key_groups, came_from.get(operator.name)
        before = counts[old] if old is not None else groups
        changed = before != groups
        division = _division(operator, before, empty=old not in stateful) if changed else None
        first = len(found)
        found += [
            Heir(operator.name, Share(group, groups), address(layout, number, group), division)
            for group in range(groups)
        ]
        if old is not None:
            takers |= {
                (old, group): tuple(first + heir for heir in heirs(group, before, groups))
                for group in range(before)
            }
    names = tuple(source.name for source in sources)
    return Heritage(tuple(found), takers, names, watermarks(names, stored, renamed))


def old_sources(stored: Sequence[About]) -> list[str]:
    """Return the names of the old sources; empty where nobody wrote them down."""
    return next((group.sources for group in stored if group.sources), [])


def watermarks(
    names: Sequence[str], stored: Sequence[About], renamed: Mapping[str, str]
) -> tuple[int, ...]:
    """Return how far each source of the new network was, as the old one knew it."""
    reached = [max(each) for each in zip(*(group.watermarks for group in stored), strict=True)]
    before = [renamed.get(name, name) for name in old_sources(stored)] or list(names)
    known = dict(zip(before, reached, strict=False))
    return tuple(known.get(name, UNKNOWN) for name in names)


def expect_renames(
    renamed: Mapping[str, str],
    old: set[str],
    operators: Sequence[Operator],
    sources: Sequence[Source],
) -> None:
    """Refuse renames that meet nothing, or that meet in one."""
    new = {*(operator.name for operator in operators), *(source.name for source in sources)}
    for before, after in renamed.items():
        if before not in old:
            raise InvalidInput(
                f"{before!r} cannot be renamed: the old checkpoint has no such operator or source"
                + _hint(before, old)
            )
        if after not in new:
            raise InvalidInput(
                f"{before!r} is renamed to {after!r}, which is not in the network"
                + _hint(after, new)
            )
    for name, times in Counter(renamed.get(name, name) for name in old).items():
        if times > 1:
            both = sorted(each for each in old if renamed.get(each, each) == name)
            raise InvalidInput(
                f"{' and '.join(map(repr, both))} would both become {name!r}; "
                f"one of them needs another name"
            )


def _division(operator: Operator, before: int, *, empty: bool) -> Division:
    """Return how the state of an operator is divided; refuse if there is some and nobody said."""
    if empty:
        return ByTables({})
    key = operator.key_columns(operator.input_names()[0])
    division = division_of(operator.split, key, f"operator {operator.name!r}")
    if division is None:
        raise InvalidInput(
            f"operator {operator.name!r} had {before} key groups and now has "
            f"{operator.key_groups}; its state can be carried over if split says how to divide it"
        )
    return division


def _hint(name: str, known: set[str]) -> str:
    meant = nearest(name, known)
    return f"; did you mean {meant!r}?" if meant else f"; known are {', '.join(sorted(known))}"
