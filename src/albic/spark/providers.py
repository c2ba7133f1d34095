"""Where new executors come from: Spark's cluster manager, or the embedded cluster itself."""

from albic.control.ports import Elasticity
from albic.spark.bridge import Bridge
from albic.spark.elasticity import AskedExecutors, FixedExecutors, Tenants
from albic.spark.executors import Executor, Executors
from albic.spark.session import LocalCluster


def elasticity_of(
    bridge: Bridge, cluster: LocalCluster | None, tenants: Tenants, *, elastic: bool
) -> Elasticity:
    """Return who adds and removes executors."""
    if not elastic:
        return FixedExecutors()
    manager = bridge.manager()
    provider = manager if cluster is None else LocalNodes(cluster, bridge)
    return AskedExecutors(manager, provider, tenants)


class LocalNodes:
    """Starts and stops nodes of a :class:`LocalCluster`."""

    def __init__(self, cluster: LocalCluster, bridge: Bridge) -> None:
        self._cluster = cluster
        self._executors = Executors(bridge)

    def request(self, total: int) -> bool:
        """Start nodes until there are ``total``, or stop those whose executor never came."""
        while len(self._cluster.hosts) < total:
            self._cluster.add_node()
        served = {executor.host for executor in self._looked()}
        for host in tuple(self._cluster.hosts):
            if len(self._cluster.hosts) > total and host not in served:
                self._cluster.remove_node(host)
        return True

    def end(self, executor_id: str) -> bool:
        """Stop the node of an executor; Spark may list it for a moment longer."""
        hosts = [executor.host for executor in self._looked() if executor.id == executor_id]
        for host in set(hosts) & set(self._cluster.hosts):
            self._cluster.remove_node(host)
        return bool(hosts)

    def _looked(self) -> tuple[Executor, ...]:
        """Return the executors that are there now."""
        self._executors.look()
        return self._executors.live()
