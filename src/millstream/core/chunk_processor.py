"""Contract of the processors that a task runs: Kafka's, extended by chunks and optional methods."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from millstream.core.chunk import Chunk
from millstream.core.errors import UnsupportedOperationException
from millstream.core.processor import Processor

if TYPE_CHECKING:
    from millstream.core.engine.settings import TaskSettings
    from millstream.core.engine.shortcuts.join_merger import Partners, StartInserts

Take = Callable[[Chunk], None]
AddCounts = Callable[[Chunk, Sequence[int]], None]
JointRun = Callable[[Sequence[int]], None]


class ChunkProcessor(Processor[Any, Any, Any, Any]):
    """A processor that can also process a run of records at once, by columns.

    ``process`` defines the meaning; a task calls it where single records matter.
    ``process_chunk`` must have the same visible effect as ``process`` on one record after another,
    and is there for speed. A processor that overrides it never changes the headers of its input
    records. All other methods have defaults, too.

    Its context has, besides Kafka's methods: ``forward_chunk(chunk)``; ``each(chunk)``, which calls
    ``process`` for each record; ``fail(chunk, index, error)``, which calls the processing
    exception handler for one record, and returns if the record is to be dropped. A store's
    ``access()`` reads and writes many keys at a time.
    """

    takes_chunks: ClassVar[bool] = False
    """True for a class that overrides ``process_chunk``."""
    by_records: bool = False
    """The task must call ``process``, not ``process_chunk``; set in ``init`` or by a class."""
    fixed_key: bool = False
    """The task passes records as ``FixedKeyRecord``."""
    minds_lateness: bool = False
    """The processor drops late records; a metric measures lateness."""
    reads_globals: bool = True
    """The processor may read a global store."""
    keys_by_record: bool = False
    """Every entry of its stores belongs to the key of the record that it was made for."""
    only_in_calls: bool = False
    """It forwards only while ``process``, ``close`` or a punctuator runs, and says when."""
    is_users: ClassVar[bool] = False
    """It is a user's, whatever is inside it: its stores are lent to it."""
    caches_updates: bool = False
    """``pending_bytes`` may return a number."""
    add_counts: AddCounts | None = None
    """Takes many records of each key as one; None unless the processor only counts records by key.

    It is given a run with the last record of each key, which has in the place of its value how many
    records there were, and the largest timestamp of those. ``pending_bytes`` may return a number
    for such a run.
    """
    joins_runs: bool = False
    """``joint_run`` may return something."""

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        cls.takes_chunks = cls.process_chunk is not ChunkProcessor.process_chunk

    def process_chunk(self, chunk: Chunk) -> None:
        """Process a run of records; unless overridden, by ``process`` for each."""
        for record in chunk:
            self.process(record)

    def wants_headers(self, settings: TaskSettings) -> bool:
        """Tell whether serdes that ``process`` calls read or change record headers."""
        del settings
        return False

    def save(self) -> bytes | None:
        """Return the bytes for ``restore`` after a restart; None for nothing."""
        return None

    def restore(self, data: bytes) -> None:
        """Restore the state that ``save`` returned."""

    def combine(self, saved: Sequence[bytes]) -> bytes:
        """Return the bytes for ``restore`` in a task that continues several tasks.

        The processor need not be initialised. What has one task's bytes of times has the largest
        in general; what matters is that nothing is forwarded too early or never.

        Args:
            saved: What ``save`` returned in each of these tasks, at least one.

        Raises:
            UnsupportedOperationException: They differ, and the processor does not say how they
                come together.
        """
        if len(set(saved)) == 1:
            return saved[0]
        raise UnsupportedOperationException(
            f"{type(self).__qualname__} cannot continue the state of several tasks",
            detail="What it saves differs between tasks, and it does not override combine().",
            hint="Override combine(saved) beside save() and restore().",
        )

    def pending_bytes(self, chunk: Chunk) -> int | None:
        """Return the size of the cache that holds all updates of a run until the commit.

        None: a record may be forwarded or dropped before that.
        """
        del chunk
        return None

    def joint_run(self, parts: Sequence[tuple[ChunkProcessor, Chunk]]) -> JointRun | None:
        """Return what processes runs of several sources as one.

        It is given the numbers of the records, counted through all parts, in the order in which
        they come. Nothing is forwarded before the commit, or all of it as one run.

        Args:
            parts: The runs, each with the processor that it goes to; this is one of them.

        Returns:
            None if they have to be processed by themselves.
        """
        del parts
        return None

    def join_inserts(self, below: ChunkProcessor) -> StartInserts | None:
        """Return what inserts records of a run where ``below`` joins them; None if it does not."""
        del below
        return None

    def partners(self) -> Partners | None:
        """Return where a stream join finds partners; None for other processors."""
        return None


def reads_globals(processor: Any) -> bool:
    """Tell whether a processor may read a global store; a user's processor always may."""
    return not isinstance(processor, ChunkProcessor) or processor.reads_globals
