"""Facts about an application that every worker needs; part of each pickled operator."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from millstream.core.errors import StreamsException
from millstream.topology.spark.compile import Layout
from millstream.topology.spark.failures import reported
from millstream.topology.spark.isolation import Isolating
from millstream.topology.spark.logged_store import LoggedStore
from millstream.topology.spark.ownership import owner_topic
from millstream.topology.spark.shipped import Shipped


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One run of an application: plain data and the pickled topology.

    ``repr`` leaves out the fields that may hold passwords.
    """

    application_id: str
    checkpoint_id: str
    """Id of the checkpoint; state of another checkpoint is ignored."""
    run_id: str
    """Id of this run of the driver; workers drop the cached entries of earlier runs."""
    topology: bytes | Shipped = field(repr=False)
    """The plan and the configuration, pickled by cloudpickle; each worker unpickles them once."""
    layout: Layout
    sink_partitions: Mapping[str, int]
    """Partition counts of the sink topics that are known at the start."""
    exactly_once: bool
    state_dir: str
    kinds: Mapping[str, str] = field(default_factory=dict)
    """Store -> its byte-store plugin, where that is known before the store is opened."""
    log: str | None = None
    """Log file of workers on the driver's machine; None for stderr."""
    instance: str = ""
    """Id of the application's instance, as in its claim; empty without claims."""
    files: frozenset[str] = frozenset()
    """Topics for which files stand in this run; their records' offsets are not committed."""
    standbys: str = ""
    """Directory of the files about standby copies; empty if none are kept."""
    segments: str = ""
    """Directory of the files of segments; empty if the workers see no files of the checkpoint."""
    writes_segments: bool = False
    """Whether new segments go into files there."""
    kept_batches: int = 100
    """For how many batches Spark keeps the state."""
    rebuilt: Any = None
    """Where workers report restored stores; None without a listener."""
    recorded: Any = None
    """Where workers report their metrics; None without a reader."""
    timed: Any = None
    """Where workers report how long parts of a batch took; None without an onlooker."""
    carried: Any = None
    """Where workers report the changes of stores that are asked for; None without queries."""
    carried_bytes: int = 64 << 20
    """The most bytes of changes that the tasks of a stage report there of one batch."""
    changelogs: Mapping[str, LoggedStore] = field(default_factory=dict)
    """Store -> the changelog topic to write its changes to; none without that setting."""
    isolating: Isolating | None = None
    """The search for records that kill their worker; None without that setting."""
    patience_s: float = 300.0
    """How long a sink retries while Kafka cannot be reached."""
    client: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """Settings of every Kafka client of the workers, by librdkafka's names."""
    producer: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """Settings of the workers' producers."""
    consumer: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """Settings of the clients that read and commit offsets."""

    def __reduce__(self) -> Any:
        # The shape comes first: what has another shape is not looked at any further.
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return _rebuilt, (JobShape(job_shape()), values)

    @property
    def progress_topic(self) -> str:
        """The internal topic on which the sinks commit their tokens."""
        return progress_topic(self.application_id)

    @property
    def owner_topic(self) -> str:
        """The internal topic on which instances claim the application."""
        return owner_topic(self.application_id)


def progress_topic(application_id: str) -> str:
    """Return the name of an application's progress topic."""
    return f"{application_id}-millstream-progress"


def job_shape() -> str:
    """Return what tells versions of millstream apart: the facts of a job, and the version's number.

    What is shipped by ``--py-files`` does not know its number.
    """
    names = " ".join(each.name for each in fields(Job)).encode()
    return f"{zlib.crc32(names):08x} {_installed()}".rstrip()


@cache
def _installed() -> str:
    try:
        return version("millstream")
    except PackageNotFoundError:
        return ""


@dataclass(frozen=True, slots=True)
class JobShape:
    """The shape of a pickled job, which is compared where it is unpickled."""

    text: str

    def __reduce__(self) -> Any:
        return _compared, (self.text,)


def _compared(text: str) -> JobShape:
    theirs, ours = text.split(), job_shape().split()
    # Only what both know.
    if any(one != other for one, other in zip(theirs, ours, strict=False)):
        with reported():
            raise StreamsException(
                "the driver and the Python workers have different versions of millstream",
                detail=f"The driver has {text}, the worker {job_shape()}.",
                hint="Give the executors the driver's version, by --py-files, a PEX or their own "
                "packages, and start the application again.",
            )
    return JobShape(text)


def _rebuilt(_shape: JobShape, values: dict[str, Any]) -> Job:
    return Job(**values)
