"""Facts about an application that every worker needs; they travel with each operator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from millstream.topology.spark.compile import Layout
from millstream.topology.spark.ownership import owner_topic


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One application's run; everything in it is plain data but for the pickled topology.

    What may hold passwords is not shown by ``repr``.
    """

    application_id: str
    checkpoint_id: str
    """Names the checkpoint; what was written for another one does not count."""
    run_id: str
    """Names this run of the driver; workers drop what they keep of earlier runs."""
    topology: bytes = field(repr=False)
    """The plan and the configuration, by cloudpickle; made once, opened once per worker."""
    layout: Layout
    sink_partitions: Mapping[str, int]
    """Partition counts of the topics that sinks write to, as far as they are known."""
    exactly_once: bool
    state_dir: str
    kinds: Mapping[str, str] = field(default_factory=dict)
    """Store -> the plugin of byte stores that keeps it, as far as that is known beforehand."""
    log: str | None = None
    """The file for the log of workers on the driver's machine; None: they write to stderr."""
    instance: str = ""
    """Names the application's instance, as its claim does; empty where no claims are made."""
    rebuilt: Any = None
    """Where workers report restored stores; None without a listener."""
    recorded: Any = None
    """Where workers report what they have measured; None without a reader."""
    patience_s: float = 300.0
    """How long a sink goes on trying while Kafka cannot be reached."""
    client: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """Settings of any client of the workers, in librdkafka's words."""
    producer: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """Settings of the workers' producers."""
    consumer: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """Settings of the clients that read and commit offsets."""

    @property
    def progress_topic(self) -> str:
        """The internal topic on whose partitions the sinks note the batches they have written."""
        return progress_topic(self.application_id)

    @property
    def owner_topic(self) -> str:
        """The internal topic on which instances claim the application."""
        return owner_topic(self.application_id)


def progress_topic(application_id: str) -> str:
    """Return the name of an application's progress topic."""
    return f"{application_id}-millstream-progress"
