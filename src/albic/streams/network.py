"""A network of operators, checked as soon as it is made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from albic.model import InvalidInput, Topology
from albic.streams.begun_checkpoint import expect_stages
from albic.streams.carrying import carry_over as carried
from albic.streams.chains import AUTO, NEVER
from albic.streams.graph import check, schemas
from albic.streams.layout import Layout, layout
from albic.streams.parts import Operator, Sink, Source
from albic.streams.picture import described, dot
from albic.streams.query import network_frame
from albic.streams.running_network import RunningNetwork


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """A directed acyclic graph of operators; paper: ⟨O, E⟩.

    Wrong networks are refused here, with the name of the operator. ``start`` makes one streaming
    query of it: one stage a level, one partition a key group, and no operator runs twice. Operators
    that share a key run in one task where their declarations allow it; ``chain="never"`` keeps them
    apart, each on the level of its longest path.
    """

    name: str
    sources: Sequence[Source]
    operators: Sequence[Operator]
    sinks: Sequence[Sink] = ()

    def __post_init__(self) -> None:
        for part in ("sources", "operators", "sinks"):
            object.__setattr__(self, part, tuple(getattr(self, part)))
        out = schemas(self.sources, self.operators)
        check(self.sources, self.operators, self.sinks, out)

    def layout(self, chain: str = AUTO) -> Layout:
        """Return which key group is which partition of which stage."""
        return layout(self.operators, chain)

    def topology(self, chain: str = AUTO) -> Topology:
        """Return the network as planners see it."""
        at = {operator.name: number for number, operator in enumerate(self.operators)}
        streams = [
            (at[name], number)
            for number, operator in enumerate(self.operators)
            for name in operator.input_names()
            if name in at
        ]
        return self.layout(chain).topology(streams)

    def describe(self, chain: str = AUTO) -> str:
        """Return the network as text, stage by stage."""
        return described(self.name, self.sources, self.operators, self.sinks, self.layout(chain))

    def to_dot(self, chain: str = AUTO) -> str:
        """Return the network as a drawing for Graphviz."""
        return dot(self.name, self.sources, self.operators, self.sinks, self.layout(chain))

    def start(
        self,
        checkpoint: str | Path,
        *,
        every_s: float = 0.0,
        all_there_is: bool = False,
        chain: str = AUTO,
        carry_over: str | Path | None = None,
        renamed: Mapping[str, str] | None = None,
    ) -> RunningNetwork:
        """Start the query, or go on where its checkpoint ends.

        Parameters
        ----------
        checkpoint
            Where Spark keeps state and progress. A network that changed needs a new one.
        every_s
            How often a batch begins; 0 is as soon as the one before has ended.
        all_there_is
            End by itself once everything that is there now has been read.
        chain
            "auto" lets operators run in the task of their input where that changes no result,
            "never" gives each level a stage. A checkpoint goes on the way it began.
        carry_over
            The checkpoint of another network, or of this one as it was: begin with its state, and
            read sources on from there. Operators are known by their names. It is only read.
        renamed
            Operators and sources that had other names in it, old to new.
        """
        laid_out = self.layout(chain)
        if carry_over is not None:
            carried(self, laid_out, carry_over, checkpoint, renamed or {})
        elif renamed:
            raise InvalidInput("renamed says what is carried over; name the checkpoint as well")
        other = NEVER if chain == AUTO else AUTO
        expect_stages(str(checkpoint), laid_out.depth, (other, self.layout(other).depth))
        frame = network_frame(self, laid_out)
        outputs = schemas(self.sources, self.operators)
        running = RunningNetwork(laid_out, self.topology(chain), self.sinks, outputs)
        running.start(
            frame, self.name, str(checkpoint), _trigger(every_s, all_there_is=all_there_is)
        )
        return running


def _trigger(every_s: float, *, all_there_is: bool) -> dict[str, bool | str]:
    """Return Spark's words for when batches begin."""
    if all_there_is:
        return {"availableNow": True}
    return {"processingTime": f"{round(every_s * 1e3)} milliseconds"}
