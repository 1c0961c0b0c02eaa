"""Ownership of an application.id's output, written into the metadata of committed offsets.

A *claim* is made by every start: an offset on the owner topic, counted up, that names the instance
and its checkpoint. A *mark* is on every offset that a sink commits, of source topics and on the
progress topic (the tokens), and names the checkpoint and the worker. All are metadata of committed
offsets: words, each followed by a blank, because librdkafka copies such a text without its
terminating zero, so that any bytes may follow.
"""

from __future__ import annotations

import base64
import hashlib
import platform
import uuid
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import quote, unquote

from confluent_kafka import TopicPartition

from millstream.topology.spark.checkpoint.descriptor import local_path
from millstream.topology.spark.checkpoint.origin import root_of

_CLAIM_WORDS, _MARK_WORDS = 5, 2
_JAVA_HEAD = 12
_LOCATION_LIMIT = 2000
DRIVER = "driver"
"""Worker of a mark that is no sink's."""
_MACHINE_IDS = (Path("/etc/machine-id"), Path("/var/lib/dbus/machine-id"))


@dataclass(frozen=True, slots=True)
class Mark:
    """Mark of a committed offset: the checkpoint and the worker that committed it."""

    checkpoint: str
    worker: str

    def text(self) -> str:
        """Return the mark as offset metadata."""
        return f"{self.checkpoint} {self.worker} "


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The instance of an application that may write, and the location of its checkpoint."""

    number: int
    """Number of this claim; the next one is higher."""
    checkpoint: str
    instance: str
    """Id of one ``KafkaStreams`` object, from its start to its end."""
    host: str
    """Name of the machine, for error texts."""
    machine: str
    """Id of the machine, unique where the system has a machine id."""
    location: str
    """Location of the checkpoint; empty if it is too long to be noted."""

    def text(self) -> str:
        """Return the claim as offset metadata."""
        location = quote(self.location)
        words = (
            self.checkpoint,
            self.instance,
            self.machine,
            quote(self.host) or "-",
            location if 0 < len(location) <= _LOCATION_LIMIT else "-",
        )
        return "".join(f"{word} " for word in words)

    def is_at(self, location: str) -> bool:
        """Tell whether the checkpoint is a generation of the one at a location."""
        is_here = local_path(location) is None or self.machine == this_machine()[1]
        return is_here and root_of(self.location) == root_of(location)

    def place(self) -> str:
        """Return where the checkpoint is, for an error."""
        where = f'"{root_of(self.location)}"' if self.location else "a place with a long name"
        return f'{where} on machine "{self.host}"'


@dataclass(frozen=True, slots=True)
class Committed:
    """A committed offset of the group, and its mark."""

    offset: int
    mark: Mark | None
    """None if another program committed it."""
    by_java: bool = False
    """Whether that program was Kafka Streams on the JVM."""


def owner_topic(application_id: str) -> str:
    """Return the name of the internal topic on which claims are offsets; it has no records."""
    return f"{application_id}-millstream-owner"


def committed_of(found: TopicPartition) -> Committed | None:
    """Return the committed offset of a partition; None if there is none."""
    if found.offset < 0:
        return None
    words = _words(found, _MARK_WORDS)
    if words:
        return Committed(found.offset, Mark(*words))
    return Committed(found.offset, None, by_java=_is_of_java(_text(found)))


def claim_of(found: TopicPartition) -> Claim | None:
    """Return the claim committed on the owner topic; None if there is none."""
    words = _words(found, _CLAIM_WORDS) if found.offset >= 0 else []
    if not words:
        return None
    checkpoint, instance, machine, host, location = words
    return Claim(
        number=found.offset,
        checkpoint=checkpoint,
        instance=instance,
        machine=machine,
        host=unquote(host),
        location="" if location == "-" else unquote(location),
    )


@cache
def this_machine() -> tuple[str, str]:
    """Return the name of this machine, and an id that no other machine should have."""
    name = platform.node()
    known = (path.read_text() for path in _MACHINE_IDS if path.is_file())
    number = next(known, "").strip() or str(uuid.getnode())
    return name, hashlib.sha256(f"{name} {number}".encode()).hexdigest()[:12]


def _words(found: TopicPartition, count: int) -> list[str]:
    """Return the first words of an offset's metadata; none if there are fewer."""
    words = _text(found).split(" ")[: count + 1]
    return words[:count] if len(words) > count and all(words[:count]) else []


def _text(found: TopicPartition) -> str:
    try:
        return found.metadata or ""
    except UnicodeDecodeError as error:
        return error.object.decode(errors="replace")


def _is_of_java(text: str) -> bool:
    """Return whether it begins as Base64 of a version, 1 or 2, and a time of 8 bytes.

    Source: ``processor.internals.TopicPartitionMetadata``.
    """
    try:
        data = base64.b64decode(text[:_JAVA_HEAD], validate=True)
    except ValueError:
        return False
    return len(text) >= _JAVA_HEAD and data[0] in (1, 2)
