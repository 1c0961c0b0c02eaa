"""Open ends of a checkpoint's last batch on the broker: unread internal topics, half a batch."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from millstream.core.config import StreamsConfig
from millstream.core.errors import MillstreamError
from millstream.topology.spark.admission.group import Group
from millstream.topology.spark.checkpoint.descriptor import Checkpoint
from millstream.topology.spark.checkpoint.log import Progress
from millstream.topology.spark.generations.unread import unread_of
from millstream.topology.spark.job import progress_topic


@dataclass(frozen=True, slots=True)
class LastBatch:
    """What is open of the last batch of the former program."""

    unread: Mapping[str, int] = field(default_factory=dict)
    """Internal topic that is not read any more -> its unread records."""
    half_written: int | None = None
    """The batch that has been written in part."""


def last_batch(
    config: StreamsConfig,
    found: Checkpoint,
    progress: Progress,
    read: Collection[str],
    sizes: Mapping[str, int],
    remarks: list[str],
) -> LastBatch:
    """Ask the broker, of which nothing is changed.

    Args:
        config: The application's configuration.
        found: Description of the checkpoint.
        progress: Its progress.
        read: Topics that the new program reads from the broker.
        sizes: The partition counts of all topics.
        remarks: What could not be found out is added here.
    """
    name = config.getString("application.id")
    gone = {topic for topic in progress.done_to if topic.startswith(f"{name}-")} - set(read)
    try:
        unread = unread_of(config, progress.done_to, gone & sizes.keys())
        sinks = sizes.get(progress_topic(name), 0)
        state = Group(config).state((), sinks, settle=False)
    except MillstreamError as error:
        remarks.append(f"what the last batch has left open is not known: {error.problem}")
        return LastBatch()
    return LastBatch(unread, state.half_written(found.id, progress.done))
