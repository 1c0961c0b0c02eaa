"""Producer of lines at a steady rate, with a direct count of their words."""

from __future__ import annotations

import time
from collections import Counter
from threading import Event, Thread

from confluent_kafka import KafkaError, Message, Producer

from examples.word_count import words
from examples.word_count_demo.text import lines
from examples.word_count_demo.topics import Run

_TICK_S = 0.02


class LineProducer:
    """A thread that produces until it is told to stop.

    Only lines that the broker has acknowledged are counted.
    """

    def __init__(self, run: Run, rate: float) -> None:
        self.lines = 0
        self.words: Counter[str] = Counter()
        self.error: KafkaError | None = None
        self._run, self._rate = run, rate
        self._producer = Producer(
            {
                "bootstrap.servers": run.bootstrap_servers,
                "enable.idempotence": True,
                "linger.ms": 5,
                "log_level": 3,
            }
        )
        self._stop = Event()
        self._thread = Thread(target=self._produce, name="lines", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Produce no more, and wait until the broker has acknowledged what was."""
        if self._stop.is_set():
            return
        self._stop.set()
        self._thread.join()
        self._producer.flush(30)

    def _produce(self) -> None:
        source, sent, began = lines(), 0, time.monotonic()
        while not self._stop.is_set() and self.error is None:
            due = int((time.monotonic() - began) * self._rate)
            for line in (next(source) for _ in range(due - sent)):
                # A key of its own for each line, so that the lines spread over the partitions.
                self._send(str(sent).encode(), line.encode())
                sent += 1
            self._producer.poll(0)
            self._stop.wait(_TICK_S)

    def _send(self, key: bytes, value: bytes) -> None:
        while self.error is None:
            try:
                self._producer.produce(self._run.lines, value, key, on_delivery=self._delivered)
                return
            except BufferError:
                self._producer.poll(0.1)  # the rate is more than the broker takes

    def _delivered(self, error: KafkaError | None, message: Message) -> None:
        if error is not None:
            self.error = error
            return
        value = message.value()
        assert isinstance(value, bytes)
        self.lines += 1
        self.words.update(words(value.decode()))
