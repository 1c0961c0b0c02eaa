"""Spark's properties of a thread, such as its scheduler pool, for a thread that it starts."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from py4j.clientserver import ClientServer
from pyspark import SparkContext

from millstream.topology.spark.driver.jvm import ended_jvm, forget_ended_jvm


def inherited_properties() -> Callable[[], None]:
    """Return what a thread calls at its start to get the properties of the present one.

    Spark's own ``InheritableThread`` raises Py4J's errors, here or unseen in the new thread, if the
    JVM ends in this moment; the start tells that better.
    """
    context: Any = SparkContext._active_spark_context
    # Else a thread of Python has no thread of the JVM that is its own.
    if context is None or not isinstance(SparkContext._gateway, ClientServer):
        return _nothing
    try:
        properties = context._jsc.sc().getLocalProperties().clone()
    except Exception:  # noqa: BLE001 - of a JVM that has ended, or of a session that is stopped
        if ended_jvm() is not None:
            forget_ended_jvm()
        return _nothing

    def give() -> None:
        with suppress(Exception):
            context._jsc.sc().setLocalProperties(properties)

    return give


def _nothing() -> None:
    """Give no properties."""
