"""The place of one run: broker, topics and directory; and the cluster's configuration."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from millstream.testing.broker import EmbeddedBroker

EXECUTORS = 3
_QUICK_START = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """Where a run takes place; both topics exist, with a partition for each task."""

    bootstrap_servers: str
    directory: Path
    application_id: str
    source: str
    target: str

    def config(self, entries: dict[str, Any]) -> dict[str, Any]:
        """Return the application's configuration: exactly once, on executors of one core each.

        Args:
            entries: Further entries.
        """
        return {
            "application.id": self.application_id,
            "bootstrap.servers": self.bootstrap_servers,
            "state.dir": str(self.directory),
            "processing.guarantee": "exactly_once_v2",
            "statestore.cache.max.bytes": 0,
            "spark.master": f"local-cluster[{EXECUTORS},1,1024]",
            "spark.driver.memory": "1g",
            "spark.driver.extraJavaOptions": _QUICK_START,
            "spark.executor.extraJavaOptions": _QUICK_START,
            "spark.log.level": "ERROR",
            **entries,
        }


def sites(ways: Sequence[str], runs: int, partitions: int) -> Iterator[tuple[str, Site]]:
    """Start a broker; give each way a place in turn, so many times.

    Args:
        ways: Names of the ways.
        runs: Number of runs of each.
        partitions: Partitions of each topic.
    """
    with EmbeddedBroker() as broker:
        admin = AdminClient({"bootstrap.servers": broker.bootstrap_servers})
        for number in range(runs):
            for way in ways:
                name = f"{way}-{number}"
                topics = [NewTopic(f"{name}-{each}", partitions, 1) for each in ("in", "out")]
                for created in admin.create_topics(topics).values():
                    created.result(30)
                # Spark goes on deleting its own files for a moment after the end.
                with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory:
                    yield (
                        way,
                        Site(
                            bootstrap_servers=broker.bootstrap_servers,
                            directory=Path(directory),
                            application_id=name,
                            source=f"{name}-in",
                            target=f"{name}-out",
                        ),
                    )
