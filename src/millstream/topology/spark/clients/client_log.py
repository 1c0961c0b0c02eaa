"""Log of librdkafka's clients: their lines go to Python's log, not raw to the terminal."""

from __future__ import annotations

import logging

log = logging.getLogger(__name__)


class ClientLog:
    """Takes the lines of a client, as its entry ``logger``."""

    def log(self, level: int, text: str, *parts: object) -> None:
        """Log a line for whoever searches, whatever level the client gives it.

        What is fatal to a client need not be so to the application: whoever uses the client gets
        the same as an exception, and often makes a new client.
        """
        del level
        log.info(f"librdkafka {text}", *parts)
