"""The JVM of the embedded cluster: its start, its master inside, and its end.

Spark's master runs as a thread of the driver's JVM, and so do workers whose nodes are not isolated.
Nothing outlives this process: the JVM ends when our end of its input closes, even after a
``kill -9``, and executors end with their driver.
"""

import contextlib
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pyspark import SparkConf, SparkContext
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from albic.model import InvalidInput
from albic.spark.bridge.interrupts import Interrupts

#: How long a JVM may take to end by itself.
PATIENCE_S = 20.0
#: Settings of the machine's own Spark must not leak into the cluster.
WITHOUT_DEFAULTS = False


class Gateway:
    """A JVM that was started for one cluster; what it says goes to ``log``."""

    def __init__(self, settings: Mapping[str, str], log: Path) -> None:
        if SparkContext._gateway is not None:
            raise InvalidInput(
                "Spark already runs in this process; stop it, or start the cluster first"
            )
        conf = SparkConf(loadDefaults=False)
        for name, value in settings.items():
            conf.set(name, value)
        self.interrupts = Interrupts()
        with log.open("wb") as sink:
            self.client: Any = self.interrupts.started(
                lambda: launch_gateway(  # type: ignore[no-untyped-call]
                    conf, {"stdout": sink, "stderr": sink}
                )
            )
        try:
            SparkContext._ensure_initialized(gateway=self.client)
        except BaseException:
            self.close()
            raise

    @property
    def jvm(self) -> Any:  # noqa: ANN401  py4j makes its names as it goes
        """Return the root of the JVM's packages."""
        return self.client.jvm

    def executors(self, spark: SparkSession) -> int:
        """Return how many executors are registered."""
        context: Any = spark.sparkContext._jsc.sc()
        return int(context.getExecutorIds().size())

    def is_stopped(self, spark: SparkSession) -> bool:
        """Return whether the session has ended, as it does when no executor can be started."""
        return bool(spark.sparkContext._jsc.sc().isStopped())

    def close(self) -> None:
        """End the JVM and let PySpark forget it, so that another can start."""
        if SparkContext._gateway is self.client:
            SparkContext._gateway = None
            SparkContext._jvm = None
        with contextlib.suppress(OSError):
            self.client.shutdown()
        process: subprocess.Popen[bytes] = self.client.proc
        if process.stdin is not None:
            process.stdin.close()
        try:
            process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        self.interrupts.give_back()


class Master:
    """A standalone master on a free port of ``address``."""

    def __init__(self, gateway: Gateway, settings: Mapping[str, str], address: str) -> None:
        self.gateway = gateway
        self.settings = settings
        self.conf = gateway.jvm.org.apache.spark.SparkConf(WITHOUT_DEFAULTS)
        for name, value in settings.items():
            self.conf.set(name, value)
        start = gateway.jvm.org.apache.spark.deploy.master.Master.startRpcEnvAndEndpoint
        self._rpc = start(address, 0, 0, self.conf)._1()
        self.url = f"spark://{address}:{self._rpc.address().port()}"

    def stop(self) -> None:
        """End the master."""
        self._rpc.shutdown()
