"""Decision whether a sink may write a batch, from the group's committed offsets.

One request reads the claim, the partition's token and the committed offsets of the partitions that
the batch consumed. The token shows whether the batch has been written. The offsets must agree: a
new batch begins at or after them, a written batch ends at or before them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from millstream.core.errors import StreamsException, TaskMigratedException
from millstream.topology.spark.ownership import Claim, Committed, owner_topic

ADOPT_HINT = (
    "To continue from this checkpoint anyway, and to write the output behind it again, start "
    "once with millstream.checkpoint.adopt=true."
)


class ConsumedRange(NamedTuple):
    """A source partition that a batch consumed, and the offset to commit for it."""

    topic: str
    partition: int
    next: int
    """Offset after the batch's last record."""
    first: int | None = None
    """Offset of the batch's first record; None if it is not known."""
    end: int = 0
    """End of what was read, if no record is there: of markers of transactions, for example."""

    @property
    def committed(self) -> int:
        """The offset to commit."""
        return max(self.next, self.end)


@dataclass(frozen=True, slots=True, kw_only=True)
class Writer:
    """The sink partition that is to write."""

    application_id: str
    checkpoint: str
    instance: str
    """Empty without claims."""
    partition: int
    exactly_once: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Committed offsets of the group."""

    token: Committed | None = None
    claim: Claim | None = None
    offsets: Mapping[tuple[str, int], Committed | None] = field(default_factory=dict)


def must_write(writer: Writer, batch: int, consumed: Sequence[ConsumedRange], found: Found) -> bool:
    """Return whether a batch has to be written; False if it has been written already.

    Raises:
        TaskMigratedException: Another instance has taken over the application.
        StreamsException: The group's offsets do not fit the batch.
    """
    if writer.instance:
        _check_claim(writer, found.claim)
    token = found.token
    if token is None and _was_written(writer, consumed, found):
        return False
    own = token is not None and token.mark is not None and token.mark.checkpoint
    next_batch = token.offset if token is not None and own == writer.checkpoint else 0
    for place in consumed:
        committed = found.offsets.get((place.topic, place.partition))
        if next_batch > batch and place.next:
            _check_written(writer, batch, place, committed)
        elif next_batch <= batch and committed is not None:
            _check_new(writer, batch, place, committed)
    if next_batch > batch + 1:
        raise _older(
            writer,
            f"Batch {next_batch - 1} has been written, and this checkpoint is at batch {batch}.",
        )
    return next_batch <= batch


def _was_written(writer: Writer, consumed: Sequence[ConsumedRange], found: Found) -> bool:
    """Return whether offsets alone show that a batch was written: its token went with its topic."""
    is_past = False
    for place in consumed:
        committed = found.offsets.get((place.topic, place.partition))
        if committed is None or committed.offset != place.committed:
            return False
        if committed.mark is None or committed.mark.checkpoint != writer.checkpoint:
            return False
        is_past |= place.first is not None and place.first < committed.offset
    return is_past


def _check_claim(writer: Writer, claim: Claim | None) -> None:
    if claim is None:
        raise StreamsException(
            f'the committed offsets of group "{writer.application_id}" have been deleted or reset '
            "while the application runs",
            detail="The claim that this instance committed at its start is gone: the group was "
            f'deleted or reset, or topic "{owner_topic(writer.application_id)}" was deleted.',
            hint="Stop the application before you reset it. Start it again: it goes on where only "
            "that topic was deleted, and else the start says what to do.",
        )
    if claim.instance != writer.instance:
        raise TaskMigratedException(
            f'another instance has taken over application "{writer.application_id}"',
            detail=f"It has its checkpoint in {claim.place()}. This one has stopped writing.",
            hint="Run one instance for each application.id. For more speed give it more cores or "
            "executors (spark.master).",
        )


def _check_written(
    writer: Writer, batch: int, place: ConsumedRange, found: Committed | None
) -> None:
    if found is not None and place.next <= found.offset:
        return
    committed = "none is" if found is None else f"{found.offset} is"
    raise _older(
        writer,
        f"Batch {batch} has been written before, and now goes further: partition "
        f'{place.partition} of topic "{place.topic}" up to offset {place.next}, where {committed} '
        "committed. What lies between would be lost.",
    )


def _check_new(writer: Writer, batch: int, place: ConsumedRange, found: Committed) -> None:
    owner = None if found.mark is None else found.mark.checkpoint
    if owner == writer.checkpoint:
        if place.first is None or place.first >= found.offset:
            return
        raise _older(
            writer,
            f'Batch {batch} has partition {place.partition} of topic "{place.topic}" from offset '
            f"{place.first} on, and {found.offset} is committed. Its output would be repeated.",
        )
    if not writer.instance or (owner is not None and not writer.exactly_once):
        # With at least once, a batch of another instance may end after the takeover.
        return
    raise StreamsException(
        f'the committed offsets of group "{writer.application_id}" were set by another program '
        "while the application runs",
        detail=f'Partition {place.partition} of topic "{place.topic}" is at offset {found.offset}, '
        f"which this application has not committed. Batch {batch} goes up to {place.committed}.",
        hint="Stop the application before you reset its offsets. To continue with empty stores "
        "from the offsets as they are now, call cleanUp() and start again. " + ADOPT_HINT,
    )


def _older(writer: Writer, detail: str) -> StreamsException:
    return StreamsException(
        f"sink partition {writer.partition} cannot continue: the checkpoint of application "
        f'"{writer.application_id}" is older than what has been written',
        detail=detail,
        hint="Restore the newest checkpoint. " + ADOPT_HINT,
    )
