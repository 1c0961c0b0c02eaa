"""Input of the benchmark, from a process of its own: it does not share the driver's interpreter.

``python -m benchmarks.queries.sending SERVERS TOPIC KEYS RATE``: sends each key once, says so in a
line, then random keys at that rate until its standard input ends.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from benchmarks.cluster.sending import Sender
from benchmarks.cluster.site import Site


def key(number: int) -> str:
    """Return a key of the store."""
    return f"key-{number:09d}"


class RandomKeys(Sender):
    """Sends random keys, the same ones in each run."""

    def __init__(self, site: Site, rate: int, keys: int) -> None:
        super().__init__(site, rate, {"partitioner": "murmur2_random"})
        self._keys = keys
        self._random = random.Random(7)

    def fill(self) -> None:
        """Send each key once."""
        for number in range(self._keys):
            self.send(key(number).encode())
        self.flush()

    def send_next(self, number: int) -> None:
        del number
        self.send(key(self._random.randrange(self._keys)).encode())


def main() -> None:
    """Send until standard input ends."""
    servers, topic, keys, rate = sys.argv[1:5]
    site = Site(
        bootstrap_servers=servers, directory=Path(), application_id="", source=topic, target=""
    )
    sender = RandomKeys(site, int(rate), int(keys))
    sender.fill()
    print("filled", flush=True)
    with sender.going_on():
        sys.stdin.read()


if __name__ == "__main__":
    main()
