"""Queries that the user has started: what ended them."""

from __future__ import annotations

from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql.streaming.query import StreamingQuery

from millstream.core.errors import StreamsException
from millstream.topology.spark.damage import with_causes
from millstream.topology.spark.failures import failure_from


def failureOf(ended: StreamingQuery | PySparkException) -> StreamsException | None:
    """Return what ended the query of a topology, as ``KafkaStreams`` would raise it.

    Spark's own error has the text of a worker's error. This has its class: operator, task, topic
    and hint, and the causes.

    Args:
        ended: The query; or, where the DataFrame is not a stream, the error that an action such as
            ``collect`` raised.

    Returns:
        None while the query runs, and if it was stopped.

    Example::

        query = counts.toDataFrame().writeStream.start()
        try:
            query.awaitTermination()
        except StreamingQueryException as error:
            raise millstream.frames.failureOf(query) from error
    """
    if isinstance(ended, PySparkException):
        return failure_from(str(ended))
    error = ended.exception()
    if error is None:
        return None
    reported: Any = ended
    return failure_from(with_causes(str(error), reported._jsq.exception().get()))
