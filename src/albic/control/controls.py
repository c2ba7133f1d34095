"""What anybody may ask of a controller at work, from any thread."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from albic.control.by_hand import ByHand, named_by
from albic.control.journal import RoundRecord
from albic.control.orders import Orders
from albic.control.ports import Planner
from albic.control.proposals import Proposal
from albic.control.settings import Pace
from albic.control.status import ControllerStatus, shown

#: How long those who ask something of the loop wait while it is busy.
ANSWER_WITHIN_S = 30.0


class Controls(ABC):
    """The side of a controller that people see; the loop is the other one.

    Whatever is asked is done by the loop's own thread, between two looks at the job. Each answer
    is a record, which is in the journal as well; ``by`` is who it names. ``page_url`` is where the
    live page is, if there is one.
    """

    def __init__(self, hand: ByHand) -> None:
        self.page_url: str | None = None
        self._hand = hand
        self._orders = Orders()

    @property
    @abstractmethod
    def running(self) -> bool:
        """Return whether the loop is at work."""

    @property
    @abstractmethod
    def worked_s(self) -> float:
        """Return how long the loop worked so far."""

    @abstractmethod
    def _is_ours(self) -> bool:
        """Return whether the caller need not wait for the loop."""

    @abstractmethod
    def _propose(self, by: str, *, act: bool) -> RoundRecord:
        """Run a round that somebody asked for."""

    def pause(self, *, by: str = "python") -> RoundRecord:
        """Plan nothing until :meth:`resume`, but for what lies on a lost node.

        Moves of a plan that was begun are still made; :meth:`stop_moves` leaves them out.
        """
        return self._ask(lambda: self._hand.pause(named_by(by)))

    def resume(self, *, by: str = "python") -> RoundRecord:
        """Plan again, once a period."""
        return self._ask(lambda: self._hand.resume(named_by(by)))

    def stop_moves(self, *, by: str = "python") -> RoundRecord:
        """Stop in the midst of a plan: moves that are not made yet are dropped, and it is paused.

        What was moved stays where it is now.
        """
        return self._ask(lambda: self._hand.stop_moves(named_by(by)))

    def drain(self, executor: str, *, by: str = "python") -> RoundRecord:
        """Empty an executor, a period's moves at a time, and keep it empty until it is released.

        It is not ended: that is for whoever wanted it empty.
        """
        return self._ask(lambda: self._hand.drain(executor, named_by(by)))

    def release(self, executor: str, *, by: str = "python") -> RoundRecord:
        """Let an executor that was drained have key groups again."""
        return self._ask(lambda: self._hand.release(executor, named_by(by)))

    def propose(self, *, act: bool = False, by: str = "python") -> RoundRecord:
        """Plan now; the plan waits for :meth:`accept` unless it was told to ``act``.

        The record's ``proposal`` names the plan; it is None where nothing is worth moving.
        """
        return self._ask(lambda: self._propose(named_by(by), act=act))

    def accept(self, proposal: str | None = None, *, by: str = "python") -> RoundRecord:
        """Carry out the plan that waits; ``proposal`` makes sure that it is the one meant."""
        return self._ask(lambda: self._hand.accept(proposal, named_by(by)))

    def reject(self, proposal: str | None = None, *, by: str = "python") -> RoundRecord:
        """Drop the plan that waits."""
        return self._ask(lambda: self._hand.reject(proposal, named_by(by)))

    def change(  # noqa: PLR0913  each has a default, and all are named
        self,
        *,
        period: str | float | Pace | None = None,
        max_migrations: int | None = None,
        planner: str | Planner | None = None,
        approve: bool | None = None,
        exclude_operators: Sequence[str] | None = None,
        exclude_executors: Sequence[str] | None = None,
        by: str = "python",
    ) -> RoundRecord:
        """Go on with another period, budget or planner, with approval or without.

        What is excluded is what was excluded before no more: an empty list keeps nothing out.
        """
        # Here and not in the loop: what has to be compiled first would hold up its looks.
        chosen = None if planner is None else self._hand.rehearsed(planner)

        def change() -> RoundRecord:
            # Only the loop knows what others changed meanwhile.
            settings = self._hand.settings_with(
                period,
                max_migrations=max_migrations,
                approve=approve,
                exclude_operators=exclude_operators,
                exclude_executors=exclude_executors,
            )
            return self._hand.change(settings, chosen, named_by(by))

        return self._ask(change)

    @property
    def waiting(self) -> Proposal | None:
        """Return the plan that waits for a person, if one does."""
        return self._hand.proposal

    def status(self) -> ControllerStatus:
        """Return where the controller stands."""
        return self._hand.status(running=self.running, worked_s=self.worked_s)

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        return shown(self.status(), self._hand.seen)

    def _ask(self, order: Callable[[], RoundRecord]) -> RoundRecord:
        """Let the loop's thread do something, and return what it wrote down."""
        return order() if self._is_ours() else self._orders.ask(order, ANSWER_WITHIN_S)
