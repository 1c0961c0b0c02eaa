"""The topics of one run of the demo."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

PARTITIONS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Names that no other run has, so that a broker of the user's can be shared."""

    bootstrap_servers: str
    application_id: str

    @property
    def lines(self) -> str:
        return f"{self.application_id}-lines"

    @property
    def counts(self) -> str:
        return f"{self.application_id}-counts"


@contextmanager
def demo_topics(bootstrap_servers: str) -> Iterator[Run]:
    """Create the topics of a run; they are deleted afterwards."""
    run = Run(
        bootstrap_servers=bootstrap_servers, application_id=f"word-count-{uuid.uuid4().hex[:8]}"
    )
    admin = AdminClient({"bootstrap.servers": bootstrap_servers, "log_level": 3})
    names = [run.lines, run.counts]
    created = admin.create_topics([NewTopic(name, PARTITIONS, -1) for name in names])
    for done in created.values():
        done.result(30)
    try:
        yield run
    finally:
        for done in admin.delete_topics(names).values():
            done.exception(30)


class Lag:
    """How many lines the application has committed, of those that are in the topic."""

    def __init__(self, run: Run) -> None:
        self._consumer = Consumer(
            {
                "bootstrap.servers": run.bootstrap_servers,
                "group.id": run.application_id,
                # Otherwise an answer would wait for the end of whatever transaction is open.
                "isolation.level": "read_uncommitted",
                "log_level": 3,
            }
        )
        self._partitions = [TopicPartition(run.lines, p) for p in range(PARTITIONS)]

    def committed(self) -> int:
        """Lines that are processed, their counts written and both committed."""
        found = self._consumer.committed(self._partitions, 10)
        return sum(max(0, partition.offset) for partition in found)

    def available(self) -> int:
        """Lines in the topic."""
        watermarks = (self._consumer.get_watermark_offsets(p, 10) for p in self._partitions)
        return sum(high for _, high in watermarks)

    def close(self) -> None:
        self._consumer.close()
