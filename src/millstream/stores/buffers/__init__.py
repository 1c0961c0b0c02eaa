"""Suppression buffers: in memory, and in memory with the rest on disk."""

from millstream.stores.buffers.memory import MemoryBuffer as MemoryBuffer
from millstream.stores.buffers.spill import SpillBuffer as SpillBuffer
