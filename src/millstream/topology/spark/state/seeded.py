"""Changelog of a task that begins with the entries of an earlier program.

A seed has any number of rows for a task, in any order: segments, all with the same id, and one
manifest, which says everything but where the changelog ends.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace

from millstream.topology.spark.state.changelog import SEGMENT_COST, SegmentLog
from millstream.topology.spark.state.manifest import NO_ID, ChangelogPosition, Manifest
from millstream.topology.spark.state.segments import ID_BYTES, Section, encode_segments

FIRST_MANIFEST = -1
"""``seq`` of a seed's row that holds the manifest."""
SEGMENT = 0
"""``seq`` of a seed's row that holds a segment; the task numbers them."""


def seed_id(checkpoint: str) -> bytes:
    """Return the id of all segments that a checkpoint begins with."""
    return hashlib.blake2b(checkpoint.encode(), digest_size=ID_BYTES).digest()


def seed_segments(checkpoint: str, sections: list[Section]) -> list[bytes]:
    """Return the segments of some sections of a seed."""
    return encode_segments(NO_ID, seed_id(checkpoint), sections)


def with_seed(
    manifest: Manifest | None, seq: int, blob: bytes, checkpoint: str, log: SegmentLog
) -> Manifest:
    """Take up one row of a seed; return the manifest to save.

    Args:
        manifest: The manifest so far; None before the first row.
        seq: ``FIRST_MANIFEST`` or ``SEGMENT``.
        blob: The manifest or segment.
        checkpoint: Id of the checkpoint that begins.
        log: The task's segments.
    """
    so_far = Manifest() if manifest is None else manifest
    if seq == FIRST_MANIFEST:
        return replace(
            Manifest.decode(blob), position=so_far.position, live=so_far.live, state=so_far.state
        )
    log.put(so_far.position.seq, blob)
    cost = so_far.live + len(blob) + SEGMENT_COST
    position = ChangelogPosition(so_far.position.seq + 1, seed_id(checkpoint))
    return replace(so_far, position=position, live=cost, state=cost)
