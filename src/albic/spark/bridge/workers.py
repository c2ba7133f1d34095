"""Workers of the embedded cluster: each starts one executor, for its one application."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from pyspark.find_spark_home import _find_spark_home

from albic.spark.bridge.gateway import Master

#: A worker only keeps the books; it is to start quickly.
WORKER_OPTIONS = ("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData")
WORKER_CLASS = "org.apache.spark.deploy.worker.Worker"


class WorkerThread:
    """A standalone worker inside the driver's JVM, on an address of its own."""

    def __init__(
        self, master: Master, number: int, *, host: str, slots: int, memory_mb: int, folder: Path
    ) -> None:
        jvm = master.gateway.jvm
        masters = master.gateway.client.new_array(jvm.java.lang.String, 1)
        masters[0] = master.url
        self._rpc = jvm.org.apache.spark.deploy.worker.Worker.startRpcEnvAndEndpoint(
            host,
            0,
            0,
            slots,
            memory_mb,
            masters,
            str(folder),
            jvm.scala.Option.apply(number),
            master.conf,
            jvm.scala.Option.empty(),
        )

    def stop(self) -> None:
        """End the worker and, with it, its executor."""
        self._rpc.shutdown()


class WorkerProcess:
    """A standalone worker in a JVM of its own, inside the node that ``entry`` leads into.

    Whoever made the node ends what runs there; :meth:`stop` only waits for it.
    """

    def __init__(
        self,
        master: Master,
        entry: Sequence[str],
        *,
        host: str,
        slots: int,
        memory_mb: int,
        folder: Path,
    ) -> None:
        folder.mkdir(parents=True)
        spark_home = _find_spark_home()
        settings = folder / "worker.conf"
        settings.write_text(
            "".join(f"{name} {value}\n" for name, value in master.settings.items()),
            encoding="utf-8",
        )
        jvm = master.gateway.jvm
        scala = str(jvm.scala.util.Properties.versionNumberString())
        modules = jvm.org.apache.spark.launcher.JavaModuleOptions.defaultModuleOptions()
        command = [
            *entry,
            f"{jvm.java.lang.System.getProperty('java.home')}/bin/java",
            *WORKER_OPTIONS,
            *str(modules).split(),
            f"-Djava.io.tmpdir={folder}",
            *("-cp", f"{spark_home}/jars/*", WORKER_CLASS),
            *("--host", host, "--cores", str(slots), "--memory", f"{memory_mb}m"),
            *("--work-dir", str(folder), "--webui-port", "0", "--properties-file", str(settings)),
            master.url,
        ]
        environment: Mapping[str, str] = {
            **os.environ,
            "SPARK_HOME": spark_home,
            "SPARK_LOCAL_IP": host,
            # Without it, Spark looks for it in folders that only its developers have.
            "SPARK_SCALA_VERSION": ".".join(scala.split(".")[:2]),
        }
        with (folder / "worker.log").open("wb") as log:
            self._process = subprocess.Popen(  # noqa: S603  our own words
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=environment,
                start_new_session=True,  # a Ctrl-C at the terminal is not for it
            )

    def stop(self) -> None:
        """Wait until it is gone."""
        self._process.wait()
