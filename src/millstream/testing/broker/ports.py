"""Ports of this machine's loopback address."""

from __future__ import annotations

import random
import socket

# Below the range of client ports, so that no client takes the port while its server restarts.
_FIRST, _LAST = 20_000, 32_000


def free_port() -> int:
    """Return a port of 127.0.0.1 that is free now."""
    ports = random.SystemRandom()
    while not is_free(port := ports.randrange(_FIRST, _LAST)):
        pass
    return port


def is_free(port: int) -> bool:
    """Tell whether a server can listen on `port` of 127.0.0.1."""
    with socket.socket() as server:
        # As Java's servers do; otherwise the port of a server that has just ended counts as taken.
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            server.bind(("127.0.0.1", port))
            server.listen(1)
        except OSError:
            return False
    return True
