"""Base of the DSL's processors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from millstream.core.chunk import Chunk
from millstream.core.chunk_processor import ChunkProcessor
from millstream.core.columns import until_error
from millstream.core.errors import ClassCastException
from millstream.core.function_kinds import check_result, refused_places
from millstream.core.records import Record

if TYPE_CHECKING:
    from millstream.core.engine.context import NodeContext

AnyRecord = Record[Any, Any]


class Operator(ChunkProcessor):
    """A processor of the DSL: its context is at hand, and it reads no global store."""

    reads_globals = False
    keys_by_record = True

    def init(self, context: Any) -> None:
        """Keep the context, which for our own processors has more than the public one."""
        self.context: NodeContext = context
        self.forward: Callable[[AnyRecord], None] = context.forward

    def kept(self, chunk: Chunk, keep: list[bool], reason: str) -> Chunk:
        """Drop the records whose entry in ``keep`` is false."""
        if all(keep):
            return chunk
        for index, good in enumerate(keep):
            if not good:
                self.context.drop(reason, chunk, index)
        return chunk.select(keep)


def runs(
    context: NodeContext, chunk: Chunk, function: Callable[..., Any], *columns: Sequence[Any]
) -> Iterator[tuple[Chunk, list[Any]]]:
    """Call a user's function on columns; yield the runs between failures with their results.

    A failing record goes to the exception handler after the run before it was processed, and
    before the function sees the next record: the order of record-at-a-time processing.
    """
    while True:
        results, error = until_error(function, *columns)
        done = len(results)
        if done:
            yield (chunk if error is None else chunk.slice(0, done)), results
        if error is None:
            return
        context.fail(chunk, done, error)
        chunk = chunk.slice(done + 1, len(chunk))
        columns = tuple(column[done + 1 :] for column in columns)


def done_runs(
    context: NodeContext,
    chunk: Chunk,
    function: Callable[..., Any],
    role: str,
    *columns: Sequence[Any],
) -> Iterator[tuple[Chunk, list[Any]]]:
    """Yield as ``runs`` does, without records whose results ``check_result`` refuses."""
    for run, results in runs(context, chunk, function, *columns):
        start = 0
        for place in refused_places(results, role):
            if place > start:
                yield run.slice(start, place), results[start:place]
            start = place + 1
            try:
                check_result(results[place], role)
            except ClassCastException as error:
                context.fail(run, place, error)
        if start < len(results):
            yield run.slice(start, len(results)), results[start:]
