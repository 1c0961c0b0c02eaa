"""Workers and classes that are made while the driver prepares the query.

The first batch would wait for them: a Python worker imports for more than a second, and the JVM
loads what talks to it, and compiles the classes that make chunks. Until the query begins, the
driver is busy with the broker and with planning, on one core.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Iterator

import pyarrow as pa
from pyspark.sql import SparkSession

from millstream.topology.spark.chunks.jar import made_ahead
from millstream.topology.spark.worker_pools import workers_for

log = logging.getLogger(__name__)

ROLES = ("sink",)
"""Pools that every query has; those of the stages are forked from the same process."""


def warm_start(session: SparkSession, roles: Iterable[str] = ROLES) -> threading.Thread | None:
    """Compile, and start Python workers on this machine, in threads; return that of the workers.

    On a cluster, whose machines differ, none are started, and None is returned. Nothing waits for
    it and nothing depends on it.
    """
    made_ahead(session)
    if (session.sparkContext.master or "").split("[")[0] != "local":
        return None
    thread = threading.Thread(
        target=_start, args=(session, tuple(roles)), name="millstream-warm-start", daemon=True
    )
    thread.start()
    return thread


def _start(session: SparkSession, roles: Iterable[str]) -> None:
    try:
        other = session.newSession()
        for role in roles:
            with workers_for(other, role):
                rows = other.range(1, numPartitions=1).mapInArrow(_as_they_are, "id long")
            rows.write.format("noop").mode("append").save()
    except Exception as error:  # noqa: BLE001 - the session may be stopped meanwhile
        log.debug("workers are not started ahead: %s", error)


def _as_they_are(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield from batches
