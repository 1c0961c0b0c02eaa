"""Suppression buffers: in memory, or in memory and on disk."""

from millstream.stores.buffers.memory import MemoryBuffer as MemoryBuffer
from millstream.stores.buffers.spill import SpillBuffer as SpillBuffer
