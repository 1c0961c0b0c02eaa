"""Records at a steady rate, in a process of its own; ends when its standard input does.

    python -m benchmarks.continuous.load BOOTSTRAP TOPIC RATE KEYS SEED

A record's timestamp is the time at which it was due: a sender that is late, because the broker or
the machine is, does not make the measured program look faster. Prints how many it has sent.
"""

from __future__ import annotations

import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator

from confluent_kafka import Producer

_PAUSE_S = 0.001


def keys(count: int, seed: int) -> Iterator[bytes]:
    """Yield the keys of the load, evenly drawn; the same for the same seed."""
    rng = random.Random(seed)
    while True:
        yield b"k%d" % rng.randrange(count)


def sent(number: int, count: int, seed: int) -> Counter[bytes]:
    """Return how often each key was sent: once before the load, and within its first records."""
    found = Counter(each for each, _ in zip(keys(count, seed), range(number), strict=False))
    found.update(b"k%d" % each for each in range(count))
    return found


def producer(bootstrap_servers: str) -> Producer:
    """Return the producer of the load, which waits for nothing."""
    return Producer(
        {
            "bootstrap.servers": bootstrap_servers,
            "partitioner": "murmur2",
            "enable.idempotence": True,
            "linger.ms": 1,
            "queue.buffering.max.messages": 1_000_000,
            "log_level": 3,
        }
    )


def main() -> None:
    servers, topic, rate, count, seed = sys.argv[1:]
    stop = threading.Event()
    threading.Thread(target=_wait_for_the_end, args=(stop,), daemon=True).start()
    client, drawn, number = producer(servers), keys(int(count), int(seed)), 0
    began = time.time()
    while not stop.is_set():
        due = int((time.time() - began) * int(rate))
        for each in range(number, due):
            at_ms = int((began + each / int(rate)) * 1000)
            client.produce(topic, b"x", next(drawn), timestamp=at_ms)
        number = max(number, due)
        client.poll(0)
        time.sleep(_PAUSE_S)
    left = client.flush(60)
    print(number if not left else -1, flush=True)


def _wait_for_the_end(stop: threading.Event) -> None:
    sys.stdin.read()
    stop.set()


if __name__ == "__main__":
    main()
