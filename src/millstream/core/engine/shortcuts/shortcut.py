"""Contract of a shortcut."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from typing_extensions import Self

from millstream.core.engine.queues import PartitionGroup
from millstream.core.engine.runtime import ProcessorRuntime
from millstream.core.engine.source import SourceRuntime

if TYPE_CHECKING:
    from millstream.core.engine.task import Task


class Shortcut(ABC):
    """A faster way to process records that wait, with the results of single records.

    A task asks its shortcuts before it processes one run after the other, and only while no
    stream-time punctuation is scheduled.
    """

    @classmethod
    @abstractmethod
    def of(cls, task: Task) -> Self | None:
        """Return the shortcut for a task; None if it never applies there."""

    @abstractmethod
    def take(self, group: PartitionGroup) -> int:
        """Process records that wait; return their number, 0 if nothing was done.

        Raises:
            StreamsException: A processor failed and its handler says to fail.
        """


def caching_processor(source: SourceRuntime) -> ProcessorRuntime | None:
    """Return the only node below a source if its updates may wait in a cache; None otherwise."""
    child = only_child(source)
    return child if child is not None and child.processor.caches_updates else None


def only_child(source: SourceRuntime) -> ProcessorRuntime | None:
    """Return the only node below a source if it takes runs of records; None otherwise."""
    child = source.children[0] if source.chunked and len(source.children) == 1 else None
    return child if isinstance(child, ProcessorRuntime) and child.by_columns else None
