"""A look at what a plugin's operator does with runs of records.

The operators of millstream forward right chunks, and give failing records to the handler; a
plugin's mistake would come out elsewhere, without a place, or as a lost record.
"""

from __future__ import annotations

from collections.abc import Callable, Sized
from typing import Any

from millstream.core.chunk import Chunk
from millstream.core.chunk_processor import ChunkProcessor
from millstream.core.engine.context import NodeContext
from millstream.core.engine.failure import told
from millstream.core.errors import ClassCastException, IllegalArgumentException, StreamsException
from millstream.core.function_kinds import check_kind
from millstream.core.user_code import codes_in
from millstream.core.wording import a_kind, said

_COLUMNS = ("offsets", "timestamps", "keys", "values", "headers", "olds")


def is_plugged(processor: ChunkProcessor) -> bool:
    """Tell whether a plugin's processor takes runs of records by columns.

    Raises:
        ClassCastException: It is one that would not run: async, or a generator.
    """
    if not processor.takes_chunks or type(processor).__module__.startswith("millstream."):
        return False
    check_kind(processor.process_chunk, f"process_chunk() of {type(processor).__name__}")
    return True


class PluggedContext(NodeContext):
    """The context of such a processor."""

    def forward_chunk(self, chunk: Chunk) -> None:
        """Pass a run of records on, as if each had been forwarded by itself.

        Raises:
            ClassCastException: It is no chunk, or a column or a time is of another type.
            IllegalArgumentException: Its columns differ in length, or a time is negative.
        """
        _check(self._node.name, chunk)
        super().forward_chunk(chunk)


def guarded(processor: ChunkProcessor, node: str, task_id: Any) -> Callable[[Chunk], None]:
    """Return ``process_chunk``; what it raises itself gets the place where it failed."""
    process_chunk = processor.process_chunk

    def process(chunk: Chunk) -> None:
        try:
            process_chunk(chunk)
        except StreamsException:
            raise
        except Exception as error:
            offsets = f"offsets {chunk.offsets[0]} to {chunk.offsets[-1]}"
            failure = StreamsException(
                f'operator "{node}" cannot process a run of records',
                detail=f"Task {task_id}, {chunk.topic}-{chunk.partition} at {offsets}; "
                f"{said(error)}",
                hint="Let process_chunk() call context.fail(chunk, index, error) for a record that "
                "fails: that asks the processing exception handler.",
            )
            failure.more = told(codes_in(processor))
            raise failure from error

    return process


def _check(node: str, chunk: Any) -> None:
    if not isinstance(chunk, Chunk):
        raise ClassCastException(
            f'operator "{node}" forwards {a_kind(chunk)} as a chunk',
            hint="Forward chunk.replace(...), or another Chunk; a record with forward().",
        )
    columns = {name: getattr(chunk, name) for name in _COLUMNS}
    given = {name: column for name, column in columns.items() if column is not None}
    for name, column in given.items():
        if not isinstance(column, Sized):
            raise ClassCastException(
                f'operator "{node}" forwards a chunk whose {name} are {a_kind(column)}',
                hint="Give a list.",
            )
    lengths = {name: len(column) for name, column in given.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{length} {name}" for name, length in lengths.items())
        raise IllegalArgumentException(
            f'operator "{node}" forwards a chunk of columns that differ in length',
            detail=f"It has {shown}.",
            hint="Leave records out by chunk.select(keep), and repeat them by chunk.take(indices).",
        )
    times = chunk.timestamps
    # By their types: to ask each time of a run would take longer than the rest.
    whole = all(hasattr(kind, "__index__") for kind in set(map(type, times)))
    if not whole or min(times, default=0) < 0:
        raise IllegalArgumentException(
            f'operator "{node}" forwards a chunk with times that are none',
            detail="Times are whole numbers of milliseconds, and not negative.",
        )
