"""Read_committed consumer of the counts."""

from __future__ import annotations

from threading import Event, Thread

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from examples.word_count_demo.topics import PARTITIONS, Run
from millstream import Serdes


class CountsReader:
    """A thread that keeps the newest count of each word."""

    def __init__(self, run: Run) -> None:
        self.counts: dict[str, int] = {}
        self.updates = 0
        self.error: str | None = None
        self._topic = run.counts
        self._consumer = Consumer(
            {
                "bootstrap.servers": run.bootstrap_servers,
                "group.id": f"{run.application_id}-reader",
                "isolation.level": "read_committed",
                "enable.auto.commit": False,
                "enable.partition.eof": True,
                "fetch.queue.backoff.ms": 5,
                "log_level": 3,
            }
        )
        self._partitions = [TopicPartition(self._topic, p, 0) for p in range(PARTITIONS)]
        self._at_end: set[int] = set()
        self._word, self._count = Serdes.String().deserializer(), Serdes.Long().deserializer()
        self._stop = Event()
        self._thread = Thread(target=self._follow, name="counts", daemon=True)

    def start(self) -> None:
        self._consumer.assign(self._partitions)
        self._thread.start()

    def read_to_end(self) -> None:
        """Stop, and read up to the current end of the topic."""
        self._stop.set()
        self._thread.join()
        # Assigned anew, the consumer reports the end of each partition again.
        self._at_end.clear()
        self._consumer.assign(self._consumer.position(self._partitions))
        while len(self._at_end) < PARTITIONS and self.error is None:
            self._take(self._consumer.consume(1000, 1))

    def close(self) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()
        self._consumer.close()

    def _follow(self) -> None:
        while not self._stop.is_set() and self.error is None:
            self._take(self._consumer.consume(1000, 0.1))

    def _take(self, messages: list[Message]) -> None:
        for message in messages:
            error = message.error()
            if error is None:
                self._update(message)
            elif error.code() == KafkaError._PARTITION_EOF:
                self._at_end.add(message.partition() or 0)
            elif error.fatal() or not error.retriable():
                self.error = str(KafkaException(error))

    def _update(self, message: Message) -> None:
        word = self._word.deserialize(self._topic, message.key())
        count = self._count.deserialize(self._topic, message.value())
        if word is None or count is None:
            self.error = f"there is a record without a word or a count: {word!r}, {count!r}"
            return
        before = self.counts.get(word, 0)
        if count <= before:
            self.error = f'the count of "{word}" went from {before} to {count}'
        self.counts[word] = count
        self.updates += 1
