"""Fields of a record out of a line of JSON, held against what they are declared as."""

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from albic.model.fields import shown

#: What a field may be declared as, for a value out of a file to be held against it.
PLAIN = (int, float, str, int | None, float | None, str | None)


def typed(kind: type, told: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a record; those that we do not know were written by a later version."""
    known = {}
    for field in fields(kind):
        if field.name not in told:
            continue
        value = told[field.name]
        plain: Any = field.type if field.type in PLAIN else object
        whole = type(value) is int and isinstance(0.0, plain)
        # Python reads 1e999 as infinite.
        endless = isinstance(value, float) and not math.isfinite(value)
        if endless or not (isinstance(value, plain) or whole):
            raise TypeError(f"{field.name} is {shown(value)}")
        known[field.name] = value
    return known


def texts(name: str, told: object) -> dict[str, str] | None:
    """Return texts by their names; refuse what holds anything else."""
    if told is None:
        return None
    if not isinstance(told, dict) or not all(isinstance(value, str) for value in told.values()):
        raise TypeError(f"{name} is {shown(told)}")
    return dict(told)


def names(name: str, told: object) -> tuple[str, ...]:
    """Return a list of names; refuse what holds anything else."""
    if not isinstance(told, list | tuple) or not all(isinstance(each, str) for each in told):
        raise TypeError(f"{name} is {shown(told)}")
    return tuple(told)


def refuse(constant: str) -> None:
    """Refuse NaN and infinity, which are no JSON."""
    raise ValueError(f"{constant} is not a number")
