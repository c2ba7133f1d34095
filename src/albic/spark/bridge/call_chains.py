"""Calls in a row as one: what is asked many times a batch should wake the JVM once.

A call whose answer is an object costs two more: the next one in the row, and one to let go of it.
Java can put methods together so that each gets what the one before it answered.
"""

from collections.abc import Callable
from typing import Any


def chained(gateway: Any, owner: Any, *names: str) -> Callable[[], Any]:  # noqa: ANN401  JVM objects
    """Return a function that calls the named methods in a row, beginning with one of ``owner``.

    None of them takes an argument, and none but the last may answer with nothing.
    """
    handles = gateway.jvm.java.lang.invoke.MethodHandles
    without_arguments = gateway.new_array(gateway.jvm.java.lang.Class, 0)
    lookup = handles.publicLookup()
    method = owner.getClass().getMethod(names[0], without_arguments)
    row = lookup.unreflect(method).bindTo(owner)
    anything = gateway.jvm.java.lang.Class.forName("java.lang.Object")
    for name in names[1:]:
        # An interface need not have what every object has.
        kind = anything if name == "toString" else method.getReturnType()
        method = kind.getMethod(name, without_arguments)
        step = lookup.unreflect(method)
        # A method of a parent class takes the child as well.
        step = step.asType(step.type().changeParameterType(0, row.type().returnType()))
        row = handles.filterReturnValue(row, step)
    nothing = gateway.jvm.java.util.ArrayList()
    # Looked up once, for each dot is a call of its own.
    invoke = row.invokeWithArguments
    return lambda: invoke(nothing)
