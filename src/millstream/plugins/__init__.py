"""Interfaces for authors of plugins.

from millstream.plugins import ByteStore, StoreTraits, hookimpl
"""

from millstream.core.buffers import BufferedChange as BufferedChange
from millstream.core.buffers import BufferSettings as BufferSettings
from millstream.core.buffers import BufferTraits as BufferTraits
from millstream.core.buffers import SuppressionBuffer as SuppressionBuffer
from millstream.core.chunk import Chunk as Chunk
from millstream.core.chunk_processor import ChunkProcessor as ChunkProcessor
from millstream.core.records import Change as Change
from millstream.core.store import ByteStore as ByteStore
from millstream.core.store import StoreTraits as StoreTraits
from millstream.plugins.connectors import Connector as Connector
from millstream.plugins.markers import hookimpl as hookimpl
from millstream.plugins.observers import Observer as Observer
from millstream.plugins.operators import NodeInfo as NodeInfo
from millstream.plugins.operators import NodeOverrides as NodeOverrides
from millstream.plugins.operators import OperatorTraits as OperatorTraits
from millstream.plugins.operators import StreamOperator as StreamOperator
