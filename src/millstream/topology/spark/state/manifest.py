"""Manifest of a task's state: a small record with the committed version.

manifest = version u8 | crc32 u32 | head length u32 | head, JSON | the task's snapshot
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from millstream.core.typed_json import Count, fitted, read_json
from millstream.topology.spark.state.segments import ID_BYTES, damaged

VERSION = 1
_ENVELOPE = struct.Struct("<BII")
NO_ID = bytes(ID_BYTES)
_DOWN = "down"


@dataclass(frozen=True, slots=True)
class ChangelogPosition:
    """A point in a task's changelog: the next segment's number, and the version reached there."""

    seq: int = 0
    id: bytes = NO_ID

    def encode(self) -> bytes:
        """Return the bytes that a byte store stores as its version."""
        return self.seq.to_bytes(8, "big") + self.id

    @staticmethod
    def decode(data: bytes | None) -> ChangelogPosition | None:
        """Return the position that ``encode`` wrote; None for other bytes."""
        if data is None or len(data) != 8 + ID_BYTES:
            return None
        return ChangelogPosition(int.from_bytes(data[:8], "big"), data[8:])


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """A rewrite of the whole state in progress, slice by slice."""

    first: int
    """Number of its first segment: the start of the changelog after the round."""
    store: str = ""
    """The store of the next slice."""
    before: bytes | None = None
    """The lowest key written so far; None at the start of a store."""
    slices: int = 0
    """Cost of its slices so far."""
    total: int = 0
    """Cost of all segments since it began."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """State of a task after a batch."""

    position: ChangelogPosition = ChangelogPosition()
    step: bytes = b""
    """Id of the batch; unlike the version it changes with every batch."""
    first: int = 0
    """Number of the segment a restore begins with."""
    oldest: int = 0
    """Number of the oldest segment not deleted yet."""
    live: int = 0
    """Cost of the segments a restore reads."""
    state: int = 0
    """Cost of the whole state when it was last rewritten."""
    round: Round | None = None
    stores: Mapping[str, str] = field(default_factory=dict)
    """Store -> its byte store's plugin."""
    arrivals: Mapping[str, int] = field(default_factory=dict)
    """Repartition topic -> the offset of the next record that arrives."""
    snapshot: bytes = b""
    """The engine's snapshot of the task."""

    def encode(self) -> bytes:
        """Return the manifest's bytes."""
        head = {
            "seq": self.position.seq,
            "id": self.position.id.hex(),
            "step": self.step.hex(),
            "first": self.first,
            "oldest": self.oldest,
            "live": self.live,
            "state": self.state,
            "round": _round_to_json(self.round),
            "stores": dict(self.stores),
            "arrivals": dict(self.arrivals),
        }
        text = json.dumps(head, separators=(",", ":")).encode()
        body = text + self.snapshot
        return _ENVELOPE.pack(VERSION, zlib.crc32(body), len(text)) + body

    @staticmethod
    def decode(data: bytes) -> Manifest:
        """Return the manifest that ``encode`` wrote.

        Raises:
            ProcessorStateException: The bytes are damaged, or of another version.
        """
        data = bytes(data)
        where = "a task's manifest"
        if len(data) < _ENVELOPE.size:
            raise damaged(where, f"It has only {len(data)} bytes.")
        version, checksum, length = _ENVELOPE.unpack_from(data)
        if version != VERSION:
            raise damaged(where, f"Its format has version {version}; this package reads {VERSION}.")
        body = data[_ENVELOPE.size :]
        if zlib.crc32(body) != checksum:
            raise damaged(where, "Its checksum does not fit its bytes.")
        # The checksum does not cover the length; a wrong length fails here.
        if length > len(body) or not body[:length].endswith(b"}"):
            raise damaged(where, f"Its head cannot have {length} bytes.")
        try:
            head = read_json(body[:length], _Head)
            return Manifest(
                position=ChangelogPosition(head.seq, bytes.fromhex(head.id)),
                step=bytes.fromhex(head.step),
                first=head.first,
                oldest=head.oldest,
                live=head.live,
                state=head.state,
                round=_round_from_json(head.round),
                stores=head.stores,
                arrivals=head.arrivals,
                snapshot=body[length:],
            )
        except ValueError as error:
            raise damaged(where, f"Its head cannot be read: {error}.") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class _Head:
    """The head of a manifest, as JSON has it."""

    seq: Count
    id: str
    step: str
    first: Count
    oldest: Count
    live: Count
    state: Count
    round: list[Any] | None
    stores: dict[str, str]
    arrivals: dict[str, Count]


def _round_to_json(round_: Round | None) -> list[object] | None:
    if round_ is None:
        return None
    before = None if round_.before is None else round_.before.hex()
    return [round_.first, round_.store, before, round_.slices, round_.total, _DOWN]


class _RoundList(msgspec.Struct, array_like=True, frozen=True):
    """A round as JSON has it: a list."""

    first: Count
    store: str
    before: str | None
    slices: Count
    total: Count
    direction: str


def _round_from_json(data: list[Any] | None) -> Round | None:
    # A round without a direction has an older format: it is dropped, and the next one starts.
    if not data or data[-1] != _DOWN:
        return None
    found = fitted(data, _RoundList)
    return Round(
        first=found.first,
        store=found.store,
        before=None if found.before is None else bytes.fromhex(found.before),
        slices=found.slices,
        total=found.total,
    )
