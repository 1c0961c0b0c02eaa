"""Suppression buffers as plugins."""

from __future__ import annotations

from millstream.core.buffers import SuppressionBuffer
from millstream.plugins import hookimpl
from millstream.stores.buffers.memory import MemoryBuffer
from millstream.stores.buffers.spill import SpillBuffer


@hookimpl
def millstream_register_buffers() -> list[type[SuppressionBuffer]]:
    """Offer the buffers."""
    return [MemoryBuffer, SpillBuffer]
