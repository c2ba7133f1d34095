"""Files of a checkpoint, wherever Hadoop can reach: local disks, hdfs://, s3a:// and the like."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]

#: How a file describes itself; one answer for a whole folder instead of calls for each file.
STATUS = re.compile(r"path=(?P<path>.+?); isDirectory=(?:true|false; length=(?P<bytes>\d+));")
#: Signs that mean something in a pattern.
SPECIAL = re.compile(r"([\\{}\[\]*?])")


class Files:
    """Lists and reads files by their address; folders are left out."""

    def __init__(self, gateway: Any, configuration: Any) -> None:  # noqa: ANN401  JVM objects
        self._path: Any = gateway.jvm.org.apache.hadoop.fs.Path
        self._to_string: Any = gateway.jvm.org.apache.commons.lang3.ArrayUtils.toString
        self._bytes_of: Any = gateway.jvm.org.apache.commons.io.IOUtils.toByteArray
        self._configuration = configuration

    def listed(self, folder: str, pattern: str) -> dict[str, int]:
        """Return the bytes of each file below ``folder`` that matches, by its address.

        Only ``pattern`` may hold wildcards. A folder that is not there has no files; a file system
        that does not answer is an OSError.
        """
        path = self._path(SPECIAL.sub(r"\\\1", folder) + "/" + pattern)
        with _as_os_error(folder):
            found = path.getFileSystem(self._configuration).globStatus(path)
            if found is None:
                return {}
            told: str = self._to_string(found)
        found = STATUS.finditer(told)
        return {each["path"]: int(each["bytes"]) for each in found if each["bytes"]}

    def content(self, address: str) -> bytes:
        """Return what a file holds, or raise OSError, as when it is gone by now."""
        path = self._path(address)
        with _as_os_error(address):
            stream = path.getFileSystem(self._configuration).open(path)
            try:
                return bytes(self._bytes_of(stream))
            finally:
                stream.close()


@contextmanager
def _as_os_error(address: str) -> Iterator[None]:
    """Let errors of the JVM look like those of any file."""
    try:
        yield
    except Py4JJavaError as wrong:
        raise OSError(f"{address}: {wrong.java_exception.toString()}") from None
