"""Spark session that was stopped while an application needs it."""

from __future__ import annotations

from typing import Any

from py4j.protocol import Py4JNetworkError
from pyspark import SparkContext
from pyspark.sql import SparkSession

from millstream.core.errors import StreamsException


def is_stopped(session: SparkSession) -> bool:
    """Return whether a session's context has been stopped; False if its JVM does not answer."""
    try:
        return _is_stopped(session)
    except Exception:  # noqa: BLE001 - a JVM that has ended is another failure
        return False


def ask_whether_stopped(session: SparkSession) -> bool:
    """Return whether a session's context has been stopped, as its JVM says.

    Raises:
        OSError: The JVM has ended.
        Py4JNetworkError: It does not answer.
    """
    try:
        return _is_stopped(session)
    except (OSError, Py4JNetworkError):
        raise
    except Exception:  # noqa: BLE001 - another version of Spark
        return False


def check_runs(session: SparkSession, application_id: str) -> None:
    """Check that an application can run in a session.

    Raises:
        StreamsException: It was stopped, its JVM has ended, or it is of the process that this one
            was forked from.
    """
    try:
        stopped = _is_stopped(session)
    except (OSError, Py4JNetworkError) as error:
        failure = StreamsException(
            f'the Spark session that was given to application "{application_id}" has no JVM any '
            "more",
            detail="Its JVM has ended, so that nothing can run in the session.",
            hint="Start the program again, with a new session. If the machine's "
            "memory ran out, lower spark.driver.memory.",
        )
        # Py4J's own errors do not help the reader of the trace.
        error.__cause__ = error.__context__ = None
        raise failure from error
    except Exception:  # noqa: BLE001 - another version of Spark: what needs it will tell
        return
    if stopped:
        raise stopped_session(application_id)
    # A forked process has forgotten a JVM that is not its own (jvm.py).
    if SparkContext._gateway is None:
        raise StreamsException(
            f'the Spark session that was given to application "{application_id}" belongs to the '
            "process that this one was forked from",
            detail="Its JVM answers that process only.",
            hint="Make the session in the process that starts the application, or start processes "
            'by multiprocessing.get_context("spawn").',
        )


def stopped_session(application_id: str) -> StreamsException:
    """Return the error for an application whose session was stopped."""
    return StreamsException(
        f'the Spark session of application "{application_id}" was stopped',
        detail="The application runs in it, and cannot go on.",
        hint="Close the application before you stop its session. The next start goes on after the "
        "last committed batch.",
    )


def _is_stopped(session: SparkSession) -> bool:
    # Where Python has stopped the context, it has no JVM object any more.
    context: Any = session.sparkContext
    return context._jsc is None or bool(context._jsc.sc().isStopped())
