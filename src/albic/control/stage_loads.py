"""The work of each node in each stage, while moves are tried one after the other."""

from albic.model import Move, Resource, Snapshot, metrics


class Spread:
    """Follows moves from the placement of a snapshot; to try one costs what its stage's nodes do.

    A plan of a hundred moves is put in order by five thousand trials, and to sum up all key groups
    in each would take longer than to plan.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._rows = metrics.stage_loads(snapshot, snapshot.allocation).tolist()
        self._work = snapshot.usage[Resource.CPU].tolist()
        self._capacity = snapshot.cluster.capacities().tolist()
        self._stage_of = snapshot.topology.stage_of().tolist()
        self._busiest = sum(max(row) for row in self._rows)
        self._squares = sum(load**2 for row in self._rows for load in row)

    def after(self, move: Move) -> tuple[float, float]:
        """Return the sum over stages of the busiest node after ``move``, and of squared loads."""
        row, moved = self._both(move)
        return (
            self._busiest - max(row) + max(moved),
            self._squares - sum(load**2 for load in row) + sum(load**2 for load in moved),
        )

    def take(self, move: Move) -> None:
        """Make a move."""
        self._busiest, self._squares = self.after(move)
        self._rows[self._stage_of[move.key_group]] = self._both(move)[1]

    def _both(self, move: Move) -> tuple[list[float], list[float]]:
        """Return the loads in the stage of ``move`` before and after it."""
        row, work = self._rows[self._stage_of[move.key_group]], self._work[move.key_group]
        moved = list(row)
        moved[move.source] -= work / self._capacity[move.source]
        moved[move.target] += work / self._capacity[move.target]
        return row, moved
