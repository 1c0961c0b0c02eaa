"""Options of ``suppress``: how long, and how many, updates are buffered."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Generic

from typing_extensions import Self

from millstream.core.arguments import whole
from millstream.core.durations import LONG_MAX, DurationLike, to_millis
from millstream.core.errors import ClassCastException, IllegalStateException
from millstream.core.state import changelog_settings
from millstream.core.wording import a_kind
from millstream.topology.dsl.options.checks import required
from millstream.topology.dsl.options.named import NamedOperation
from millstream.topology.dsl.type_vars import K


class WhenFull(enum.Enum):
    """What a full buffer does."""

    EMIT_EARLY = "emit-early"
    SHUT_DOWN = "shut-down"


@dataclass(frozen=True, slots=True, kw_only=True)
class BufferConfig:
    """Limits of the buffer; 2**63 - 1 is no limit.

    Raises:
        ClassCastException: A limit is no whole number.

    Source: ``kstream.Suppressed.BufferConfig``.
    """

    when_full: ClassVar[WhenFull]

    max_records: int = LONG_MAX
    max_bytes: int = LONG_MAX
    spills: bool = False
    """What exceeds the limits goes to disk."""
    byte_store: str = "rocksdb"
    """The byte store of the part that is on disk."""
    buffer: str | None = None
    """A plugin's name; None: one of ours."""
    logging_enabled: bool = True
    topic_config: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        limits: dict[str, Any] = {"recordLimit": self.max_records, "byteLimit": self.max_bytes}
        for parameter, limit in limits.items():
            field_name = "max_records" if parameter == "recordLimit" else "max_bytes"
            object.__setattr__(self, field_name, whole(limit, parameter))

    @staticmethod
    def maxRecords(recordLimit: int) -> EagerBufferConfig:
        """Return a buffer of that many keys that emits early when it is full."""
        return EagerBufferConfig(max_records=recordLimit)

    @staticmethod
    def maxBytes(byteLimit: int) -> EagerBufferConfig:
        """Return a buffer of that many bytes that emits early when it is full."""
        return EagerBufferConfig(max_bytes=byteLimit)

    @staticmethod
    def unbounded() -> StrictBufferConfig:
        """Return a buffer without limits, which takes all the memory there is."""
        return StrictBufferConfig()

    def withMaxRecords(self, recordLimit: int) -> Self:
        """Return a copy that buffers at most that many keys."""
        return replace(self, max_records=recordLimit)

    def withMaxBytes(self, byteLimit: int) -> Self:
        """Return a copy that buffers at most that many bytes."""
        return replace(self, max_bytes=byteLimit)

    def withNoBound(self) -> StrictBufferConfig:
        """Return a copy without limits."""
        return StrictBufferConfig(**self._settings())

    def shutDownWhenFull(self) -> StrictBufferConfig:
        """Return a copy that stops the application rather than emit early."""
        return StrictBufferConfig(**self._limits())

    def spillToDiskWhenFull(self, byteStore: str = "rocksdb") -> StrictBufferConfig:
        """Return a copy that goes to disk when it is full, and so never emits early.

        The limits are then for what stays in memory: ``maxBytes`` counts what it takes in this
        process, which is more than its data. What one batch changes comes on top.

        Args:
            byteStore: Name of the byte store plugin for the rest.

        Source: KIP-328; Kafka never built it.
        """
        return StrictBufferConfig(**self._limits(), spills=True, byte_store=byteStore)

    def emitEarlyWhenFull(self) -> EagerBufferConfig:
        """Return a copy that emits the oldest results early when it is full."""
        return EagerBufferConfig(**self._limits())

    def withBuffer(self, name: str) -> Self:
        """Return a copy for a suppression buffer plugin. (Kafka does not have it.)"""
        return replace(self, buffer=name)

    def withLoggingDisabled(self) -> Self:
        """Return a copy that is lost when a task moves or restarts."""
        return replace(self, logging_enabled=False, topic_config={})

    def withLoggingEnabled(self, config: Mapping[str, str] | None) -> Self:
        """Return a copy whose changelog has these topic settings."""
        return replace(self, logging_enabled=True, topic_config=changelog_settings(config or {}))

    def _limits(self) -> dict[str, Any]:
        limits = {"max_records": self.max_records, "max_bytes": self.max_bytes}
        return self._settings() | limits

    def _settings(self) -> dict[str, Any]:
        return {
            "buffer": self.buffer,
            "logging_enabled": self.logging_enabled,
            "topic_config": self.topic_config,
        }


class EagerBufferConfig(BufferConfig):
    """A buffer that emits the oldest results early when it is full."""

    __slots__ = ()
    when_full = WhenFull.EMIT_EARLY


class StrictBufferConfig(BufferConfig):
    """A buffer that never emits early; when full it goes to disk or stops the application."""

    __slots__ = ()
    when_full = WhenFull.SHUT_DOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppressed(NamedOperation, Generic[K]):
    """When ``suppress`` lets a result go.

    Attributes:
        wait_ms: How long a result waits for further updates; None: until its window closes.
        buffer: The limits.
        wall_clock: While stream time does not advance, wall-clock time is used instead.

    Source: ``kstream.Suppressed`` (KIP-328).
    """

    BufferConfig: ClassVar = BufferConfig
    EagerBufferConfig: ClassVar = EagerBufferConfig
    StrictBufferConfig: ClassVar = StrictBufferConfig

    name: str | None = None
    wait_ms: int | None
    buffer: Buffer
    wall_clock: bool = False

    @staticmethod
    def untilWindowCloses(bufferConfig: StrictBuffer) -> Suppressed[Any]:
        """Return the rule that gives one, final result for each window.

        Raises:
            ClassCastException: The buffer might emit early, or is none.
        """
        if not isinstance(_buffer(bufferConfig), StrictBuffer):
            raise ClassCastException(
                "untilWindowCloses() does not take a buffer that emits early",
                hint="Use BufferConfig.unbounded(), or add .shutDownWhenFull() or "
                ".spillToDiskWhenFull().",
            )
        return Suppressed(wait_ms=None, buffer=bufferConfig)

    @staticmethod
    def untilTimeLimit(
        timeToWaitForMoreEvents: DurationLike | None, bufferConfig: Buffer
    ) -> Suppressed[Any]:
        """Return the rule that gives a key's last result at most once in that time.

        Args:
            timeToWaitForMoreEvents: Counted from a key's first update since its last result, in
                stream time; None for ever.
            bufferConfig: The limits.

        Raises:
            ClassCastException: ``bufferConfig`` is nothing of the kind.
        """
        _buffer(bufferConfig)
        wait_ms = (
            LONG_MAX
            if timeToWaitForMoreEvents is None
            else to_millis(timeToWaitForMoreEvents, "timeToWaitForMoreEvents")
        )
        return Suppressed(wait_ms=wait_ms, buffer=bufferConfig)

    def withWallClock(self) -> Suppressed[K]:
        """Return a copy of ``untilTimeLimit`` that does not wait for ever when input stops.

        While no update advances stream time, wall-clock time is used instead, so that a result
        goes out at the latest when the time limit has passed on the wall clock. (Kafka does not
        have it.)

        Raises:
            IllegalStateException: It waits for windows to close: which records are late is not
                for ``suppress`` to say.
        """
        if self.wait_ms is None:
            raise IllegalStateException(
                "withWallClock() does not go with untilWindowCloses()",
                hint="Use emitStrategy(EmitStrategy.onWindowClose().orIdle(...)) in its place.",
            )
        return replace(self, wall_clock=True)


def _buffer(value: Any) -> Any:
    """Return a buffer; ``BufferConfig.unbounded`` without its parentheses is the likely slip."""
    if isinstance(required(value, "bufferConfig can't be null"), Buffer):
        return value
    raise ClassCastException(
        f"bufferConfig cannot be {a_kind(value)}",
        hint="Give a BufferConfig, such as BufferConfig.unbounded() or "
        "BufferConfig.maxRecords(1000).",
    )


Buffer = BufferConfig
StrictBuffer = StrictBufferConfig
