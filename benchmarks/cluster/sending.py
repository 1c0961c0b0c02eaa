"""Input at a steady rate, in a thread."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from confluent_kafka import Producer

from benchmarks.cluster.site import Site

_ANY = -1
"""Lets the producer choose the partition by the key."""


class Sender(ABC):
    """Sends keys without values to the source topic, and counts them.

    Args:
        site: The run's place.
        rate: Records a second.
        entries: Further entries of the producer's configuration.
    """

    def __init__(self, site: Site, rate: int, entries: dict[str, Any] | None = None) -> None:
        self._topic = site.source
        self._rate = rate
        self._producer = Producer(
            {"bootstrap.servers": site.bootstrap_servers, "linger.ms": 5} | (entries or {})
        )
        self.count = 0

    @abstractmethod
    def send_next(self, number: int) -> None:
        """Send the next record of the steady input.

        Args:
            number: Number of records that it has sent before, this time.
        """

    def send(self, key: bytes, partition: int = _ANY) -> None:
        """Send a record; wait while there is no room for it."""
        while True:
            try:
                self._producer.produce(self._topic, b"", key, partition)
                break
            except BufferError:
                self._producer.poll(0.1)
        self.count += 1

    def flush(self) -> None:
        """Wait until all have arrived."""
        self._producer.flush(120)

    @contextmanager
    def going_on(self) -> Iterator[None]:
        """Go on sending for as long as the block runs."""
        stop = threading.Event()
        sending = threading.Thread(target=self._keep_sending, args=(stop,))
        sending.start()
        try:
            yield
        finally:
            stop.set()
            sending.join()

    def _keep_sending(self, stop: threading.Event) -> None:
        began, sent = time.monotonic(), 0
        while not stop.wait(0.05):
            while sent < (time.monotonic() - began) * self._rate:
                self.send_next(sent)
                sent += 1
            self._producer.poll(0)
        self.flush()
