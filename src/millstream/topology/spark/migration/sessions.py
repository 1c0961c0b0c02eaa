"""Spark session and lock of a move."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pyspark import SparkContext
from pyspark.sql import SparkSession

from millstream.core.config import StreamsConfig
from millstream.core.errors import LockException
from millstream.topology.spark.driver.savepoints import state_session
from millstream.topology.spark.private import private_state
from millstream.topology.spark.state.slots import DirectoryLock


@contextmanager
def spark_session(config: StreamsConfig, spark: SparkSession | None) -> Iterator[SparkSession]:
    """Give a session: the given one, that of this process, or a new one that ends here."""
    ours = spark is None and SparkContext._active_spark_context is None
    used = spark or state_session(config, config.getString("application.id"))
    try:
        yield used
    finally:
        if ours:
            used.stop()


@contextmanager
def locked(config: StreamsConfig) -> Iterator[None]:
    """Lock an application's state directory, so that no instance of it runs here.

    Raises:
        LockException: One does.
    """
    directory = Path(config.getString("state.dir")) / config.getString("application.id")
    private_state(directory)
    lock = DirectoryLock(directory)
    if not lock.acquire():
        raise LockException(
            f'an instance of application "{config.getString("application.id")}" runs in the state '
            f'directory "{directory}"',
            hint="Close it first.",
        )
    try:
        yield
    finally:
        lock.release()
