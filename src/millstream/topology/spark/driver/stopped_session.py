"""Spark session that was stopped while an application needs it."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession

from millstream.core.errors import StreamsException


def is_stopped(session: SparkSession) -> bool:
    """Return whether a session's context has been stopped; False if its JVM does not answer."""
    try:
        # Where Python has stopped the context, it has no JVM object any more.
        context: Any = session.sparkContext
        return context._jsc is None or bool(context._jsc.sc().isStopped())
    except Exception:  # noqa: BLE001 - a JVM that has ended is another failure
        return False


def stopped_session(application_id: str) -> StreamsException:
    """Return the error for an application whose session was stopped."""
    return StreamsException(
        f'the Spark session of application "{application_id}" was stopped',
        detail="The application runs in it, and cannot go on.",
        hint="Close the application before you stop its session. The next start goes on after the "
        "last committed batch.",
    )
