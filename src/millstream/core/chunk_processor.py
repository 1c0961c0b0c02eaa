"""Contract of a processor that a task runs: Kafka's, and what a processor may do besides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from millstream.core.chunk import Chunk
from millstream.core.processor import Processor

if TYPE_CHECKING:
    from millstream.core.engine.settings import TaskSettings
    from millstream.core.engine.shortcuts.join_merger import Partners, StartInserts


class ChunkProcessor(Processor[Any, Any, Any, Any]):
    """A processor that can also take a run of records at once, by columns.

    ``process`` is what it means, and what a task calls where single records matter.
    ``process_chunk`` must have the same visible effect on a run of records, one after the other;
    it is what makes a processor fast. A processor that overrides it never changes the headers of a
    record that it was given. Everything else here has a default, too.

    Its context has, besides Kafka's methods: ``forward_chunk(chunk)``; ``each(chunk)``, which calls
    ``process`` for each of some records; ``fail(chunk, index, error)``, which applies the
    processing exception handler to one record, and returns if it is to be skipped. A store's
    ``access()`` reads and writes many keys at a time.
    """

    takes_chunks: ClassVar[bool] = False
    """True for a class that overrides ``process_chunk``."""
    by_records: bool = False
    """Set in ``init``, or by a class: ``process_chunk`` would not do here."""
    fixed_key: bool = False
    """It is given records as ``FixedKeyRecord``."""
    minds_lateness: bool = False
    """It drops records that come too late; a metric says how late records come."""
    reads_globals: bool = True
    """It may ask for a global store."""
    caches_updates: bool = False
    """``pending_bytes`` may return a number."""

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        cls.takes_chunks = cls.process_chunk is not ChunkProcessor.process_chunk

    def process_chunk(self, chunk: Chunk) -> None:
        """Take a run of records; a task calls ``process`` for each where this is not overridden."""
        for record in chunk:
            self.process(record)

    def wants_headers(self, settings: TaskSettings) -> bool:
        """Tell whether serdes that ``process`` calls read or change headers of records."""
        del settings
        return False

    def save(self) -> bytes | None:
        """Return what ``restore`` is to be given after a restart; None for nothing."""
        return None

    def restore(self, data: bytes) -> None:
        """Take up what ``save`` returned."""

    def pending_bytes(self, chunk: Chunk) -> int | None:
        """Return the bytes that a cache needs to hold all updates of a run until the commit.

        None: a record may be forwarded or dropped before that.
        """
        del chunk
        return None

    def unmatched_inserts(self, below: ChunkProcessor) -> StartInserts | None:
        """Return what inserts records that find no partner in ``below``; None for other processors.

        Where it is not None, an insert is all that such a record does.
        """
        del below
        return None

    def partners(self) -> Partners | None:
        """Return where an inner join of streams looks for partners; None for other processors."""
        return None


def reads_globals(processor: Any) -> bool:
    """Tell whether a processor may ask for a global store; a user's own always may."""
    return not isinstance(processor, ChunkProcessor) or processor.reads_globals
