"""Spark's Kafka connector, which a user's own session may lack."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.errors import AnalysisException

from millstream.core.errors import StreamsException


@contextmanager
def connector_needed() -> Iterator[None]:
    """Say what to do where Spark does not find the connector.

    Raises:
        StreamsException: The session has no connector.
    """
    try:
        yield
    except AnalysisException as error:
        if "find data source: kafka" not in str(error):
            raise
        raise StreamsException(
            "the Spark session has no Kafka connector",
            detail="Spark does not find its data source kafka.",
            hint="Start the session with the jars that `millstream jars spark --commas` prints, as "
            "spark.jars or `spark-submit --jars`; or leave out the argument spark, and a session "
            "with them is made.",
        ) from error
