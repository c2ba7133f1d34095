"""What a setting may be: how it is read from text, and which values make sense."""

import math
from collections.abc import Collection
from dataclasses import dataclass, field, fields
from numbers import Integral, Real
from typing import Any, Protocol

from albic.model.errors import InvalidInput
from albic.model.fields import nearest, written


class Kind(Protocol):
    """One kind of value."""

    def parsed(self, text: str) -> object:
        """Return what ``text`` says; text that says nothing of the kind comes back as it is."""
        ...

    def objection(self, value: object) -> str | None:
        """Return what ``value`` would have to be, or None if it is that."""
        ...


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""

    def parsed(self, text: str) -> object:
        """Return the flag."""
        return {"true": True, "false": False}.get(text.strip().lower(), text)

    def objection(self, value: object) -> str | None:
        """Return what it would have to be."""
        return None if isinstance(value, bool) else "it must be true or false"


@dataclass(frozen=True, slots=True)
class Amount:
    """A number within bounds; ``above`` and ``below`` are not in it themselves."""

    least: float = -math.inf
    most: float = math.inf
    above: float = -math.inf
    below: float = math.inf
    whole: bool = False

    def parsed(self, text: str) -> object:
        """Return the number."""
        try:
            return int(text) if self.whole else float(text)
        except ValueError:
            return text

    def objection(self, value: object) -> str | None:
        """Return what it would have to be."""
        if isinstance(value, bool) or not isinstance(value, Real):
            return f"it must be {self}"
        if (isinstance(value, Integral) or not self.whole) and self._holds(value):
            return None
        return f"it must be {self}"

    def _holds(self, value: Real) -> bool:
        """Return whether a number is within the bounds; one beyond every float is not."""
        try:
            number = float(value)
        except OverflowError:
            return False
        inside = self.least <= number <= self.most and self.above < number < self.below
        return inside and math.isfinite(number)

    def __str__(self) -> str:
        bounds = [
            f"{word} {bound:g}"
            for word, bound in (
                ("at least", self.least),
                ("above", self.above),
                ("at most", self.most),
                ("below", self.below),
            )
            if math.isfinite(bound)
        ]
        number = "a whole number" if self.whole else "a number"
        return f"{number} {' and '.join(bounds)}".rstrip()


@dataclass(frozen=True, slots=True)
class Word:
    """One of a few words, or any where none are ``known``."""

    known: Collection[str] = ()

    def parsed(self, text: str) -> object:
        """Return the word."""
        return text

    def objection(self, value: object) -> str | None:
        """Return what it would have to be."""
        if not isinstance(value, str) or not value:
            return "it must be a text"
        if not self.known or value in self.known:
            return None
        if meant := nearest(value, self.known):
            return f"did you mean {meant}?"
        return f"known are {', '.join(self.known)}"


@dataclass(frozen=True, slots=True)
class Names:
    """A list of names; in text, with commas between them."""

    def parsed(self, text: str) -> object:
        """Return the names."""
        return tuple(name.strip() for name in text.split(",") if name.strip())

    def objection(self, value: object) -> str | None:
        """Return what it would have to be."""
        listed = isinstance(value, list | tuple)
        if listed and all(isinstance(name, str) and name for name in value):  # type: ignore[attr-defined]
            return None
        return 'it must be a list of names, such as ["a", "b"]'


@dataclass(frozen=True, slots=True)
class Hours:
    """Hours of the day, as pairs of (from, to); in text, 22-6 and 12.5-13."""

    def parsed(self, text: str) -> object:
        """Return the pairs."""
        pairs = [part.split("-") for part in text.split(",") if part.strip()]
        try:
            return tuple((float(start), float(end)) for start, end in pairs)
        except ValueError:
            return text

    def objection(self, value: object) -> str | None:
        """Return what it would have to be."""
        if isinstance(value, list | tuple) and all(_is_span(pair) for pair in value):
            return None
        return "it must be hours from 0 to 24, such as 22-6"


def _is_span(pair: object) -> bool:
    """Return whether something is two hours of a day."""
    hour = Amount(0, 24)
    if not isinstance(pair, list | tuple) or len(pair) != 2:
        return False
    return not any(hour.objection(each) for each in pair)


def setting(default: Any, kind: Kind, meaning: str, unit: str = "") -> Any:  # noqa: ANN401  a field
    """Return a field of a dataclass that holds settings, with all that there is to say of it."""
    return field(default=default, metadata={"kind": kind, "meaning": meaning, "unit": unit})


def expect_sense(settings: Any) -> None:  # noqa: ANN401  any dataclass
    """Refuse a dataclass with a setting that makes no sense."""
    for each in fields(settings):
        kind: Kind | None = each.metadata.get("kind")
        value = getattr(settings, each.name)
        if kind is not None and (wrong := kind.objection(value)):
            raise InvalidInput(f"{each.name} is {written(value)}; {wrong}")
