"""Failure of a query because a Python process of Spark did not start in time."""

from __future__ import annotations

from collections.abc import Mapping

from millstream.core.errors import StreamsException
from millstream.topology.spark.driver.hidden_modules import HINT as NAMES
from millstream.topology.spark.driver.hidden_modules import described

_SIGN = "Python worker failed to connect back"
_HINT = (
    "Spark gives a Python process ten seconds to start. If it has printed an error at its start, "
    "that is in the log, or in the executor's stderr on a cluster: mend what it names. Otherwise "
    "the machine was too busy: give it more cores, or start fewer programs at once."
)


def is_slow_worker(failure: StreamsException) -> bool:
    """Return whether a query failed because Spark did not wait longer for a Python process.

    That says nothing about the program or its records: a restart of the query goes on after the
    last committed batch.
    """
    return _SIGN in failure.detail or _SIGN in str(failure.__cause__)


def hint(hidden: Mapping[str, str]) -> str:
    """Return what to do about it.

    Args:
        hidden: Files that keep workers from starting, and what they hide from them.
    """
    return f"{described(hidden)} {NAMES}" if hidden else _HINT
