"""Changelog of suppression buffers, in version 3 of Kafka's format.

Source: ``internals.InMemoryTimeOrderedKeyValueChangeBuffer``, ``BufferValue``.
"""

from __future__ import annotations

import struct

from millstream.core.buffers import BufferedChange
from millstream.core.record_bytes import BytesReader, context_bytes, sized

_LONG = struct.Struct(">q")
_SAME_AS_PRIOR = struct.pack(">i", -2)

FORMAT = ("v", b"\3")
"""The header that names the version."""


def logged(change: BufferedChange) -> bytes:
    """Return what Kafka's changelog has for an entry."""
    old = sized(change.old)
    if change.old is not None and change.old == change.prior:
        old = _SAME_AS_PRIOR
    values = sized(change.prior) + old + sized(change.new)
    return context_bytes(change.context) + values + _LONG.pack(change.time)


def from_log(data: bytes) -> BufferedChange:
    """Return the entry that ``logged`` wrote."""
    reader = BytesReader(data)
    context, prior = reader.context(), reader.sized()
    old_size = reader.integer()
    old = prior if old_size == -2 else reader.sized(old_size)
    new = reader.sized()
    return BufferedChange(reader.long(), prior, old, new, context)
