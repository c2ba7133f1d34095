"""Java of ours, compiled by the compiler that Spark has for the code that it generates."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class Compiled:
    """A compiled source: what to load its classes with, and their bytes by name."""

    loader: Any
    classes: Mapping[str, bytes]


def compiled(jvm: Any, source: str) -> Compiled:  # noqa: ANN401  JVM objects have no type here
    """Return the classes of a source of this package, such as ``Follower.java``."""
    text = files("albic.spark.bridge").joinpath(source).read_text(encoding="utf-8")
    compiler = jvm.org.codehaus.janino.SimpleCompiler()
    compiler.setParentClassLoader(jvm.java.lang.Thread.currentThread().getContextClassLoader())
    compiler.cook(text)
    codes = compiler.getBytecodes()
    return Compiled(compiler.getClassLoader(), {name: bytes(codes[name]) for name in codes})
