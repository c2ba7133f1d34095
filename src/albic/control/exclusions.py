"""What people keep out of plans: operators that stay as they lie, nodes that receive nothing.

People name them; requests hold positions.
"""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from albic.model import InvalidInput, Snapshot
from albic.model.fields import nearest


@dataclass(frozen=True, slots=True)
class KeptOut:
    """The positions in one snapshot of what is kept out, as a request has them."""

    fixed: tuple[int, ...] = ()
    shut: tuple[int, ...] = ()


def kept_out(snapshot: Snapshot, operators: Collection[str], executors: Collection[str]) -> KeptOut:
    """Return where in ``snapshot`` the named operators and nodes are; others are passed over.

    A node that is not there yet may come, and one that is gone harms nobody.
    """
    named = [operator.name in operators for operator in snapshot.topology.operators]
    fixed = np.flatnonzero(np.array(named)[snapshot.topology.operator_of()])
    shut = [at for at, node in enumerate(snapshot.cluster.nodes) if node.id in executors]
    return KeptOut(tuple(fixed.tolist()), tuple(shut))


def strangers(snapshot: Snapshot, operators: Collection[str]) -> str | None:
    """Return which of the named operators the job does not have, in a sentence, if any."""
    known = [operator.name for operator in snapshot.topology.operators]
    missing = [name for name in operators if name not in known]
    if not missing:
        return None
    meant = nearest(missing[0], known)
    hint = f"did you mean {meant}?" if meant else f"it has {', '.join(known)}"
    return f"the job has no operator {missing[0]!r} to keep out of plans; {hint}"


def expect_drainable(snapshot: Snapshot, node_id: str, drained: Collection[str]) -> None:
    """Refuse to empty a node that is not there, or the last one that could take anything in."""
    known = [node.id for node in snapshot.cluster.nodes]
    if node_id not in known:
        raise InvalidInput(f"there is no executor {node_id!r}; there are {', '.join(known)}")
    if not set(known) - {*drained, node_id}:
        raise InvalidInput(f"executor {node_id!r} is the last one that is left; it cannot be empty")
