"""Typed access to a JSON document, with errors that name the field and the position."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np

from albic.arrays import Floats, Ints
from albic.model.errors import InvalidInput


class Pairs(dict[str, object]):
    """A JSON object that remembers a key that came twice."""

    doubled: str | None = None

    @classmethod
    def of(cls, pairs: list[tuple[str, object]]) -> "Pairs":
        """Return the object made of ``pairs``."""
        made = cls(pairs)
        if len(made) < len(pairs):
            times = Counter(key for key, _ in pairs)
            made.doubled = next(key for key, count in times.items() if count > 1)
        return made


#: No field of ours has a longer name.
LONGEST_NAME = 40


@dataclass(frozen=True, slots=True)
class Span:
    """The numbers a field may hold, both ends included."""

    low: float
    high: float

    def __str__(self) -> str:
        return f"from {self.low:g} to {self.high:g}"


@dataclass(frozen=True, slots=True)
class Fields:
    """One JSON object and where it stands in its document."""

    values: Pairs
    place: str = ""

    @classmethod
    def of(cls, value: object, place: str, known: Collection[str]) -> "Fields":
        """Return the fields of ``value``, an object that has none but the ``known`` ones."""
        if isinstance(value, dict) and not isinstance(value, Pairs):
            # Made here and not read: no key of it can have come twice.
            value = Pairs(value)
        if not isinstance(value, Pairs):
            whole = place or "the document"
            raise InvalidInput(f"{whole} is {shown(value)}; it must be an object")
        fields = cls(value, place)
        if value.doubled is not None:
            raise InvalidInput(f"{fields.at(value.doubled)} is given twice")
        for key in value:
            if key not in known:
                raise InvalidInput(f"{fields.at(key)} is not a known field; {_hint(key, known)}")
        return fields

    def at(self, key: str) -> str:
        """Return how to call the field ``key`` in a message."""
        # Only names of ours go out as they are; a stranger could hold anything.
        ours = key.isidentifier() and key.isascii() and len(key) <= LONGEST_NAME
        name = key if ours else shown(key)
        return f"{self.place}.{name}" if self.place else name

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def get(self, key: str) -> object:
        """Return a field that must be there."""
        if key not in self.values:
            raise InvalidInput(f"{self.at(key)} is missing")
        return self.values[key]

    def inner(self, key: str, known: Collection[str]) -> "Fields":
        """Return a field that is an object."""
        return Fields.of(self.get(key), self.at(key), known)

    def each(self, key: str, known: Collection[str]) -> list["Fields"]:
        """Return a field that is an array of objects."""
        return [
            Fields.of(value, f"{self.at(key)}[{position}]", known)
            for position, value in enumerate(self.array(key))
        ]

    def array(self, key: str) -> list[object]:
        """Return a field that is an array."""
        value = self.get(key)
        if not isinstance(value, list):
            raise InvalidInput(f"{self.at(key)} is {shown(value)}; it must be an array")
        return value

    def text(self, key: str) -> str:
        """Return a field that is a text fit to be printed."""
        value = self.get(key)
        if not isinstance(value, str):
            raise InvalidInput(f"{self.at(key)} is {shown(value)}; it must be a string")
        if not value.isprintable():
            raise InvalidInput(f"{self.at(key)} is {shown(value)}; it has unprintable characters")
        return value

    def name(self, key: str) -> str:
        """Return a field that names something."""
        if not (value := self.text(key)):
            raise InvalidInput(f"{self.at(key)} is empty; it must be a name")
        return value

    def choice(self, key: str, choices: Collection[str]) -> str:
        """Return a field that is one of a few words."""
        value = self.get(key)
        if not isinstance(value, str) or value not in choices:
            listed = " or ".join(shown(choice) for choice in choices)
            raise InvalidInput(f"{self.at(key)} is {shown(value)}; it must be {listed}")
        return value

    def flag(self, key: str) -> bool:
        """Return a field that is true or false."""
        value = self.get(key)
        if not isinstance(value, bool):
            raise InvalidInput(f"{self.at(key)} is {shown(value)}; it must be true or false")
        return value

    def number(self, key: str, span: Span) -> float:
        """Return a field that is a number."""
        return float(numbers([self.get(key)], span, [self.at(key)])[0])

    def whole(self, key: str, span: Span) -> int:
        """Return a field that is a whole number."""
        return int(wholes([self.get(key)], span, [self.at(key)])[0])

    def numbers(self, key: str, span: Span) -> Floats:
        """Return a field that is an array of numbers."""
        return numbers(self.array(key), span, self.at(key))

    def wholes(self, key: str, span: Span) -> Ints:
        """Return a field that is an array of whole numbers."""
        return wholes(self.array(key), span, self.at(key))


def numbers(values: Sequence[object], span: Span, place: str | Sequence[str]) -> Floats:
    """Return ``values`` as an array if all are numbers within ``span``.

    ``place`` is the name of the array, or the names of the single values.
    """
    if not set(map(type, values)) <= {int, float}:
        wrong = next(i for i, value in enumerate(values) if type(value) not in (int, float))
        raise InvalidInput(f"{_spot(place, wrong)} is {shown(values[wrong])}; it must be a number")
    try:
        array: Floats = np.array(values, dtype=np.float64)
    except OverflowError:
        # An integer beyond every float is beyond every span, whatever its size.
        array = np.array([_as_float(value) for value in values])
    outside = np.flatnonzero(~((array >= span.low) & (array <= span.high)))
    if outside.size:
        wrong = int(outside[0])
        raise InvalidInput(
            f"{_spot(place, wrong)} is {shown(values[wrong])}; it must be a number {span}"
        )
    return array


def wholes(values: Sequence[object], span: Span, place: str | Sequence[str]) -> Ints:
    """Return ``values`` as an array if all are whole numbers within ``span``; 2e3 is one."""
    array = numbers(values, span, place)
    broken = np.flatnonzero(array != np.floor(array))
    if broken.size:
        wrong = int(broken[0])
        raise InvalidInput(
            f"{_spot(place, wrong)} is {shown(values[wrong])}; it must be a whole number"
        )
    return array.astype(np.int64)


def shown(value: object) -> str:
    """Return how ``value`` stands in the file, shortened to what a sentence can carry."""
    if isinstance(value, list | dict):
        return "an array" if isinstance(value, list) else "an object"
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:30]}… ({len(text)} characters)"


def written(value: object) -> str:
    """Return any value as Python writes it, shortened to what a sentence can carry."""
    try:
        text = repr(value)
    except ValueError:
        # Python refuses to write integers of more than 4,300 digits.
        return "a number with thousands of digits"
    return text if len(text) <= 200 else f"{text[:60]}… ({len(text)} characters)"


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the one of ``known`` that was probably meant."""
    return next(iter(get_close_matches(word, list(known), n=1)), None)


def _hint(key: str, known: Collection[str]) -> str:
    """Return what to write instead of ``key``."""
    if meant := nearest(key, known):
        return f"did you mean {meant}?"
    return f"known are {', '.join(known)}"


def _spot(place: str | Sequence[str], position: int) -> str:
    """Return the name of one value."""
    return f"{place}[{position}]" if isinstance(place, str) else place[position]


def _as_float(value: object) -> float:
    """Return an int or float as a float, infinite where it is too large for one."""
    if not isinstance(value, int | float):
        return float("nan")
    try:
        return float(value)
    except OverflowError:
        return float("inf")
