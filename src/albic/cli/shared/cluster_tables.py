"""A cluster as tables and sentences."""

from collections.abc import Mapping

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from albic.arrays import Floats, Ints
from albic.cli.shared.screen import (
    bar,
    bytes_text,
    count_text,
    gap_style,
    percent_text,
    points_text,
    quiet,
    titled,
)
from albic.model import Allocation, NodeState, Snapshot, metrics

#: How many nodes or operators are shown of each end; the others become one line.
ENDS = 8


def size_line(snapshot: Snapshot) -> str:
    """Return how large everything is, as a sentence."""
    topology, period = snapshot.topology, snapshot.period
    return (
        f"{count_text(len(snapshot.cluster.nodes), 'node')}, "
        f"{count_text(topology.key_groups, 'key group')} of "
        f"{count_text(len(topology.operators), 'operator')}, "
        f"{bytes_text(float(snapshot.state_bytes.sum(dtype=np.float64)))} of state, "
        f"{bytes_text(float(snapshot.traffic.sum()))}/s between key groups, "
        f"measured over {period.end_s - period.start_s:g} s"
    )


def balance_line(snapshot: Snapshot) -> str:
    """Return how balanced the cluster is, as a sentence."""
    here = snapshot.allocation
    draining = int(snapshot.cluster.draining().sum())
    emptied = f", {count_text(draining, 'node')} draining" if draining else ""
    return (
        f"bottleneck {metrics.bottleneck(snapshot).name.lower()}, "
        f"mean load {metrics.mean_load(snapshot):.2f} %, "
        f"load distance {points_text(metrics.load_distance(snapshot, here))} points, "
        f"collocation {percent_text(metrics.collocation_factor(snapshot.traffic, here))}{emptied}"
    )


def operators_table(snapshot: Snapshot, *, every: bool) -> Table:
    """Return what each operator has and needs, in the order of the file."""
    topology = snapshot.topology
    operator_of, count = topology.operator_of(), len(topology.operators)
    load = np.bincount(operator_of, weights=metrics.group_loads(snapshot), minlength=count)
    state = np.bincount(operator_of, weights=snapshot.state_bytes, minlength=count)
    numbers = ("key groups", "share of load", "state")
    table = titled("operators", left=["operator"], right=numbers)
    table.add_column("feeds")
    whole = float(load.sum()) or 1.0
    shown, hidden = _ends(np.arange(count), every=every)
    for position, operator in enumerate(topology.operators):
        if hidden.size and position == hidden[0]:
            table.add_row(quiet(f"… {hidden.size} more"))
        if position in shown:
            fed = topology.downstream(position)
            table.add_row(
                operator.name if operator.stateful else f"{operator.name} (stateless)",
                f"{operator.key_groups:,}",
                percent_text(float(load[position]) / whole),
                bytes_text(float(state[position])),
                ", ".join(topology.operators[down].name for down in fed),
            )
            shares = snapshot.chain_work.get(operator.name, ())
            for name, share in zip(operator.chain, shares, strict=False):
                part = percent_text(share * float(load[position]) / whole)
                table.add_row(quiet(f"  {name}"), "", part, "", "")
    return table


def nodes_table(
    console: Console, snapshot: Snapshot, allocations: Mapping[str, Allocation], *, every: bool
) -> Table:
    """Return the load of each node under each of ``allocations``, the busiest of the first on top.

    The nodes in the middle become one line unless ``every`` node is wanted.
    """
    loads = {name: metrics.node_loads(snapshot, each) for name, each in allocations.items()}
    first = next(iter(loads.values()))
    order = np.lexsort((np.arange(first.size), -first))
    shown, hidden = _ends(order, every=every)
    table = titled("load of the nodes, in percent", left=["node", *loads])
    most = max(float(each.max()) for each in loads.values())
    width = max(6, min(24, (console.width - 12) // len(loads) - 8))
    mean = metrics.mean_load(snapshot)
    for rank, node in enumerate(order):
        if rank == ENDS and hidden.size:
            table.add_row(quiet(f"… {hidden.size} more"), *_between(loads, hidden))
        if node in shown:
            cells = []
            for each in loads.values():
                load = float(each[node])
                drawn = Text(bar(load, most, width, console), style=gap_style(load - mean))
                cells.append(Text(f"{load:5.1f} ").append(drawn))
            table.add_row(_label(snapshot, int(node)), *cells)
    return table


def _between(loads: Mapping[str, Floats], hidden: Ints) -> list[Text]:
    """Return the span of the loads that are not shown one by one."""
    spans = [(each[hidden].min(), each[hidden].max()) for each in loads.values()]
    return [quiet(f"{low:5.1f} to {high:.1f}") for low, high in spans]


def _ends(order: Ints, *, every: bool) -> tuple[set[int], Ints]:
    """Return which of ``order`` are shown, and the middle that is not."""
    if every or order.size <= 2 * ENDS + 1:
        return set(order.tolist()), order[:0]
    return {*order[:ENDS].tolist(), *order[-ENDS:].tolist()}, order[ENDS:-ENDS]


def _label(snapshot: Snapshot, position: int) -> Text:
    """Return a node's name and what is special about it."""
    node, background = snapshot.cluster.nodes[position], float(snapshot.background[position])
    label = Text(node.id)
    if node.capacity != 1:
        label.append(f" ×{node.capacity:g}", style="dim")
    if background:
        label.append(f" +{background:g} %", style="dim")
    if node.state is NodeState.DRAINING:
        label.append(" draining", style="magenta")
    return label
