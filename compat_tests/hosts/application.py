"""One topology on real Spark and a real broker, fed step by step."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from compat_tests.conformance.hosts import RawRecord
from compat_tests.folders import TemporaryFolder
from compat_tests.hosts.broker import PATIENCE_S, BrokerClient
from millstream import KafkaStreams, Topology
from millstream.core.errors import StreamsException
from millstream.testing.broker import wait_for
from millstream.topology.spark.order import feedback_topics

_NUMBERS = itertools.count()


def fresh_name(start: str) -> str:
    """A name that no other run on this broker has."""
    return f"{start}-{os.getpid()}-{next(_NUMBERS)}"


class SparkApplication:
    """A `KafkaStreams` with a new application id; what it reads it reads from the beginning.

    Args:
        spark: The session to run in.
        broker: Where the topics are.
        topology: What to run.
        config: Its configuration; guarantee, names and places are set here.
        topics: Every topic that it may read or write; they exist.
    """

    def __init__(
        self,
        spark: Any,
        broker: BrokerClient,
        topology: Topology,
        config: Mapping[str, Any],
        topics: Iterable[str],
    ) -> None:
        self._broker = broker
        self.name = fresh_name("app")
        plan = topology.plan()
        sources = [source for part in plan.subtopologies for source in part.sources]
        self._read = [topic for topic in topics if any(each.reads(topic) for each in sources)]
        self._fed_back = [plan.internal_name(t, self.name) for t in feedback_topics(plan)]
        self._global = [topic for store in plan.globals for topic in store.source.topics]
        self._failures: list[StreamsException] = []
        # Idle workers keep the stores open, and may be writing there while it is removed.
        self._directory = TemporaryFolder("spark-host-")
        entries = {
            **config,
            "application.id": self.name,
            "bootstrap.servers": broker.servers,
            "state.dir": self._directory.name,
            # With transactions a topic's end is not the offset after its last record.
            "processing.guarantee": "at_least_once",
        }
        self._streams = KafkaStreams(topology, entries, spark=spark)
        self._streams.setUncaughtExceptionHandler(self._failures.append)

    def start(self) -> None:
        """Start at the beginning of every topic, whatever its source says about that."""
        self._broker.commit(self.name, dict.fromkeys(self._read, 0))
        self._streams.start()

    def feed(self, records: Sequence[RawRecord]) -> None:
        """Send records and wait until they, and all that follows from them, are processed.

        Raises:
            StreamsException: What ended the application.
        """
        self._broker.produce(records)
        wait_for(self._is_idle, PATIENCE_S, f"application {self.name} has processed all records")

    def close(self) -> None:
        """Stop, and remove what was on disk."""
        try:
            self._streams.close()
        finally:
            self._broker.delete(self._fed_back)
            self._directory.cleanup()

    def _is_idle(self) -> bool:
        # Asked for in this order: output is written before the offsets of its input.
        read = self._read + self._fed_back
        done = self._broker.committed(self.name, read) | self._applied()
        if done == self._broker.ends(read + self._global):
            return True
        if self._streams.state() is KafkaStreams.State.ERROR:
            raise self._failures[-1]
        return False

    def _applied(self) -> dict[str, int]:
        """Where the batches so far end on the topics of global stores, which no group reads."""
        progress = self._streams._runner.last_progress() or {}
        ends = [source["endOffset"] or {} for source in progress.get("sources", [])]
        found = {topic: end.get("0", 0) for each in ends for topic, end in each.items()}
        return {topic: found.get(topic, 0) for topic in self._global}
