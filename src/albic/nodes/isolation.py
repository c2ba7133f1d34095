"""How far nodes are to be isolated: what a user asks for, before anything is made."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from albic.model import InvalidInput
from albic.nodes.limits import NodeLimits, cpu_share, limits_of, link_rate
from albic.nodes.requirements import missing

LOCAL, NETWORK = "local", "network"
#: What people write on a command line for no limit.
NOTHING = "none"


@dataclass(frozen=True, slots=True)
class Isolation:
    """Processor shares, link rates and the place of checkpoints; as it is, no isolation at all."""

    cpu: float | Sequence[float] | None = None
    network: str | Sequence[str] | None = None
    storage: str = LOCAL

    @property
    def wanted(self) -> bool:
        """Return whether nodes shall be isolated at all."""
        return self.cpu is not None or self.network is not None or self.storage == NETWORK

    @property
    def arguments(self) -> dict[str, Any]:
        """Return the same as arguments of ``local_cluster``."""
        return asdict(self)

    def checked(self, nodes: int) -> tuple[NodeLimits, ...]:
        """Return the limits of each node; refuse what is wrong, or what this machine cannot do."""
        if self.storage not in {LOCAL, NETWORK}:
            raise InvalidInput(f"storage is {self.storage!r}; it is {LOCAL!r} or {NETWORK!r}")
        limits = limits_of(nodes, self.cpu, self.network)
        if self.wanted and (lacks := missing(self.storage)):
            raise InvalidInput(lacks)
        return limits

    def described(self) -> str:
        """Return what a node is, in words."""
        if not self.wanted:
            return "loopback nodes, which share the processor and have no link between them"
        said = []
        if self.cpu is not None:
            said.append(f"{_listed(self.cpu)} of a core")
        if self.network is not None:
            said.append(f"a link of {_listed(self.network)}")
        if self.storage == NETWORK:
            said.append("checkpoints on a storage node")
        return f"isolated nodes with {' and '.join(said)}"


NOT_ISOLATED = Isolation()


def isolation_of(cpu: str | None, network: str | None, storage: str = LOCAL) -> Isolation:
    """Return what the words of a command line ask for: one value, or one a node with commas."""
    shares = [_number(word) for word in _words(cpu)]
    rates = _words(network)
    # What is wrong with a word is told as such, and not after the nodes are counted.
    for share in shares:
        cpu_share(share)
    for rate in rates:
        link_rate(rate)
    return Isolation(_one_or_all(shares), _one_or_all(rates), storage)


def _words(given: str | None) -> list[str]:
    """Return the words between commas; none for no limit."""
    return [] if given in {None, NOTHING} else [word.strip() for word in str(given).split(",")]


def _number(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise InvalidInput(
            f"cpu is {word!r}; a share is written like 0.45, or one a node: 0.45,0.45,0.2"
        ) from None


def _one_or_all(given: list[Any]) -> Any:  # noqa: ANN401  floats or words
    """Return one value alone, several as they are, none as None."""
    return given[0] if len(given) == 1 else tuple(given) or None


def _listed(given: object) -> str:
    """Return one value, or several with commas."""
    return ", ".join(str(each) for each in given) if isinstance(given, tuple | list) else str(given)
