"""What a cluster of isolated nodes is called: all names and addresses follow from its number.

So whoever knows the number can sweep up, and two clusters side by side do not meet.
"""

from dataclasses import dataclass

#: Addresses of 198.18.0.0/15, which are set aside for benchmarks (RFC 2544): 512 networks of 254.
NETWORKS = 512
HOST, STORAGE, FIRST_NODE = 1, 2, 10
MOST_NODES = 200


@dataclass(frozen=True, slots=True)
class Names:
    """The names of cluster ``number``."""

    number: int

    @property
    def root(self) -> str:
        """Return the name of the machine's own end, and of the outer control group."""
        return f"albic{self.number}"

    @property
    def switch(self) -> str:
        """Return the namespace in which all links meet."""
        return f"{self.root}-switch"

    @property
    def storage(self) -> str:
        """Return the namespace of the storage node."""
        return f"{self.root}-storage"

    def node(self, number: int) -> str:
        """Return the namespace of a node; nodes count from 1."""
        return f"{self.root}-node{number}"

    def address(self, last: int) -> str:
        """Return an address of the cluster's network."""
        return f"198.{18 + self.number // 256}.{self.number % 256}.{last}"

    def node_address(self, number: int) -> str:
        """Return the address of a node; nodes count from 1."""
        return self.address(FIRST_NODE + number - 1)
