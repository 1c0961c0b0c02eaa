"""Spark's Kafka connector, which a user's own session may lack."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.errors import AnalysisException

from millstream.core.errors import StreamsException

_GIVEN = (
    "Start the session with the jars that `millstream jars spark --commas` prints, as spark.jars "
    "or `spark-submit --jars`; or leave out the argument spark, and a session with them is made."
)
_SUBMITTED = (
    "Spark's JVM was there before this program, so no session of it can add them: start it as "
    '`spark-submit --jars "$(millstream jars spark --commas)"`. Without spark-submit, as '
    "`python app.py`, a session with them is made."
)


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
            hint=_SUBMITTED if "PYSPARK_GATEWAY_PORT" in os.environ else _GIVEN,
        ) from error
