"""The scaling policies by name."""

from collections.abc import Callable

from albic.scaling.demand import Policy
from albic.scaling.latency import Latency
from albic.scaling.rates import TrueRates
from albic.scaling.utilisation import Utilisation

POLICIES: dict[str, Callable[[], Policy]] = {
    "utilisation": Utilisation,
    "ds2": TrueRates,
    "latency": Latency,
}
