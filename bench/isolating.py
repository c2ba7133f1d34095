"""The options of a bench about the nodes that it runs on."""

from argparse import ArgumentParser, Namespace

from albic.model import InvalidInput
from albic.nodes.isolation import LOCAL, NETWORK, Isolation, isolation_of


def add_isolation(parser: ArgumentParser) -> None:
    """Give a bench the options of isolated nodes; without them its nodes are loopback addresses."""
    parser.add_argument("--cpu", help="isolated nodes: the share of a core, such as 0.45")
    parser.add_argument("--network", help="isolated nodes: the rate of a link, such as 100mbit")
    parser.add_argument(
        "--storage", choices=(LOCAL, NETWORK), default=LOCAL, help="where checkpoints lie"
    )


def isolation(parser: ArgumentParser, options: Namespace, nodes: int) -> Isolation:
    """Return what the options ask for; end with a sentence where that cannot be."""
    try:
        asked = isolation_of(options.cpu, options.network, options.storage)
        asked.checked(nodes)
    except InvalidInput as wrong:
        parser.error(str(wrong))
    return asked
