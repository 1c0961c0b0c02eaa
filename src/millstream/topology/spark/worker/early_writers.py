"""Writers of sink partitions that connect while the batch's first records are still on their way.

A partition comes to a process at a start, or when its task moves there after a loss. Its producer
takes 0.1 to 0.5 s to connect and to become the only one with its transactional id; meanwhile the
stages before load their state and process.
"""

from __future__ import annotations

from millstream.topology.spark.clients.deadlines import close_in_background
from millstream.topology.spark.job import Job
from millstream.topology.spark.worker.worker_cache import application, cached
from millstream.topology.spark.worker.writers import SinkWriter


class _Partitions(set[int]):
    """Partitions whose writer has connected ahead in this process, which it does once."""

    def close(self) -> None:
        """Forget them."""
        self.clear()


def sink_writer(job: Job, partition: int) -> SinkWriter:
    """Return this process's writer of a sink partition, made on first use."""
    return cached(job, _name(partition), lambda _: SinkWriter(job, partition))


def connect_ahead(job: Job, partition: int) -> None:
    """Have a partition's writer connect in the background, if this process has none so far."""
    connected = cached(job, ("sink", "connected ahead"), lambda _: _Partitions())
    if partition not in connected:
        connected.add(partition)
        if _name(partition) not in application(job).entries:
            sink_writer(job, partition).connect()


def leave_idle(job: Job, partition: int) -> None:
    """Give up a partition's writer that has nothing to write after all, as many do not."""
    entries = application(job).entries
    writer = entries.get(_name(partition))
    if isinstance(writer, SinkWriter) and writer.is_idle:
        del entries[_name(partition)]
        close_in_background(writer)


def _name(partition: int) -> tuple[str, int]:
    return ("sink", partition)
