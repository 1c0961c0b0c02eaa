"""Failure of a query whose checkpoint another query has written to at the same time."""

from __future__ import annotations

from millstream.core.errors import StreamsException

_SIGN = "CONCURRENT_STREAM_LOG_UPDATE"


def is_shared_log(failure: StreamsException) -> bool:
    """Return whether a query failed because another one has planned or ended its batch.

    That may be the last of an instance that was taken over: it was frozen, has ended its batch
    late, and will write nothing else. A restart of the query goes on after that batch.
    """
    return _SIGN in failure.detail or _SIGN in str(failure.__cause__)
