"""Chains: operators that can run in the task of their input without changing a result.

An operator joins the chain of its input if that is its only one, is an operator, and declares that
rows keep their key, and if both have the same key and as many key groups. Then a key group gets
rows from the key group of the same number alone, and needs no exchange to get them. An operator
that feeds several may have some of them in its chain and others elsewhere, so a chain is a tree.
"""

from collections.abc import Sequence

from albic.model import InvalidInput
from albic.model.fields import nearest
from albic.streams.graph import levels
from albic.streams.parts import Operator

AUTO, NEVER = "auto", "never"


def chains(operators: Sequence[Operator], chain: str = AUTO) -> tuple[tuple[int, ...], ...]:
    """Return the operators that run as one, by position; each after the one that feeds it.

    Chains come in the order in which their first operators stand in the network. With ``never``
    each operator is alone.
    """
    if chain not in (AUTO, NEVER):
        meant = nearest(chain, (AUTO, NEVER))
        hint = f"did you mean {meant!r}?" if meant else f"it is {AUTO!r} or {NEVER!r}"
        raise InvalidInput(f"chain is {chain!r}; {hint}")
    above = {number: _above(operators, number) for number in range(len(operators))}
    if chain == NEVER:
        above = dict.fromkeys(above)
    level = levels(operators)
    first: dict[int, int] = {}
    for number in sorted(above, key=lambda each: (level[operators[each].name], each)):
        feeding = above[number]
        first[number] = number if feeding is None else first[feeding]
    heads = [number for number in above if first[number] == number]
    # In the order of levels, so that each comes after the one that feeds it.
    return tuple(tuple(number for number in first if first[number] == head) for head in heads)


def _above(operators: Sequence[Operator], number: int) -> int | None:
    """Return the operator in whose task this one can run."""
    names = [operator.name for operator in operators]
    here, inputs = operators[number], operators[number].input_names()
    if len(inputs) != 1 or inputs[0] not in names:
        return None
    position = names.index(inputs[0])
    feeding = operators[position]
    same_key = feeding.kept_key() == here.key_columns(feeding.name)
    return position if same_key and feeding.key_groups == here.key_groups else None
