"""The options of a bench about the nodes that it runs on."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from functools import partial

from albic.cli.run.nodes import usual_isolation
from albic.model import InvalidInput
from albic.nodes.isolation import LOCAL, NETWORK, Isolation, isolation_of


def add_isolation(parser: ArgumentParser) -> None:
    """Give a bench the options of isolated nodes."""
    parser.add_argument("--cpu", help="isolated nodes: the share of a core, such as 0.45")
    parser.add_argument("--network", help="isolated nodes: the rate of a link, such as 100mbit")
    parser.add_argument(
        "--storage", choices=(LOCAL, NETWORK), default=LOCAL, help="where checkpoints lie"
    )


def isolation(parser: ArgumentParser, options: Namespace, nodes: int) -> Isolation:
    """Return what the options ask for, loopback addresses where they ask for nothing.

    It ends with a sentence where that cannot be.
    """
    return _possible(isolation_of, parser, options, nodes)


def usual_nodes(parser: ArgumentParser, options: Namespace, nodes: int) -> Isolation:
    """Return the same, but isolated nodes with the usual limits where the rights allow it."""
    return _possible(partial(usual_isolation, nodes), parser, options, nodes)


def _possible(
    asked_for: Callable[[str | None, str | None, str], Isolation],
    parser: ArgumentParser,
    options: Namespace,
    nodes: int,
) -> Isolation:
    try:
        asked = asked_for(options.cpu, options.network, options.storage)
        asked.checked(nodes)
    except InvalidInput as wrong:
        parser.error(str(wrong))
    return asked
