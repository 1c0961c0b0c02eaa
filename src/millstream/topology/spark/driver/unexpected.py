"""Errors of the driver itself while it watches its query, such as a dead JVM."""

from __future__ import annotations

import errno
import os
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from millstream.core.errors import ProcessorStateException, StreamsException
from millstream.topology.spark.driver.jvm import ended_jvm
from millstream.topology.spark.failures import failure_from
from millstream.topology.spark.full_disk import full_disk_from

_NO_HEARTBEATS = "exited with status 56"
_OF_DISKS = (errno.EIO, errno.ENODEV, errno.EROFS, errno.ESTALE)
_SLEPT = (
    " It did not hear from itself for too long, as after a sleep of the machine; "
    "spark.storage.blockManagerHeartbeatTimeoutMs of a session on a local master says for how long."
)


def unexpected(error: BaseException) -> tuple[StreamsException, str]:
    """Return the failure for an error outside the query, and its trace."""
    ended = ended_jvm()
    if ended is None:
        failure = StreamsException(
            "cannot follow the Spark query any more", detail=f"{type(error).__name__}: {error}"
        )
    else:
        failure = StreamsException(
            "Spark's JVM has ended",
            detail=f"It {ended}.{_SLEPT if ended.endswith(_NO_HEARTBEATS) else ''}",
            hint="Start the program again: processing continues after the last committed batch. If "
            "the machine's memory ran out, lower spark.driver.memory.",
        )
    details = trace_of(error)
    # Py4J's own errors do not help the reader of the trace.
    error.__cause__ = error.__context__ = None
    failure.__cause__ = error.with_traceback(None)
    return failure, details


def trace_of(error: BaseException) -> str:
    """Return an error with its trace as Python prints it."""
    return "".join(traceback.format_exception(type(error), error, error.__traceback__))


def start_failure(error: BaseException) -> Exception:
    """Return the error that ``start()`` raises for one that ended it.

    Those of Spark, of its JVM and of a full disk are no errors of this API, which a caller may
    catch.
    """
    if not isinstance(error, Exception):
        return _interrupted(error)
    # Python's sockets raise an OSError where the JVM has ended.
    if not isinstance(error, PySparkException | Py4JError | OSError):
        return error
    if ended_jvm() is not None:
        return unexpected(error)[0]
    if isinstance(error, OSError):
        found = full_disk_from(str(error)) or _of_a_file(error)
        if found is None:
            return error
        found.__cause__ = error
        return found
    failure = failure_from(str(error))
    failure.__cause__ = error
    return failure


def _of_a_file(error: OSError) -> ProcessorStateException | None:
    """Return the error for a file whose disk fails; None for other errors, as of listeners."""
    if error.filename is None or error.errno not in _OF_DISKS:
        return None
    return ProcessorStateException(
        f'cannot read or write "{os.fsdecode(error.filename)}"',
        detail=str(error),
        hint="Check the disk and the rights of the directory, and start again: processing "
        "continues after the last committed batch.",
    )


@contextmanager
def errors_of_this_api() -> Iterator[None]:
    """Let a block raise errors of this API in the place of Spark's and its JVM's."""
    try:
        yield
    except Exception as error:
        failure = start_failure(error)
        if failure is error:
            raise
        raise failure from failure.__cause__


def _interrupted(error: BaseException) -> StreamsException:
    """Return the error for a start that KeyboardInterrupt or the like has ended."""
    failure = StreamsException("the start was interrupted", detail=repr(error))
    failure.__cause__ = error
    return failure
