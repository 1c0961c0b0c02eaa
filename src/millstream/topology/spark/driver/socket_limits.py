"""Connections to Spark's JVM in a program that has called ``socket.setdefaulttimeout``.

That is for what the program downloads; a call of the JVM, such as the start of Spark's session, may
take longer, and would end with an error that does not say why.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_LONGEST_S = 2_000_000
"""About the longest that a socket takes. Py4J knows no word for "without a limit"."""


@contextmanager
def without_limit() -> Iterator[bool]:
    """Make sockets that wait for ever in the block; give whether the program has another limit."""
    limit = socket.getdefaulttimeout()
    socket.setdefaulttimeout(None)
    try:
        yield limit is not None
    finally:
        socket.setdefaulttimeout(limit)


def let_calls_last(gateway: Any) -> None:
    """Let the connections that later threads make to the JVM wait as long as a socket can."""
    for name in ("java_parameters", "gateway_parameters"):
        if (parameters := getattr(gateway, name, None)) is not None:
            parameters.read_timeout = _LONGEST_S
