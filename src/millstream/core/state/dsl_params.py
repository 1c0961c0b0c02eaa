"""Parameters of the DSL for its suppliers of stores."""

from __future__ import annotations

import enum
from typing import Any

from millstream.core.arguments import of_type, text
from millstream.core.durations import DurationLike, to_millis
from millstream.core.errors import IllegalArgumentException, NullPointerException
from millstream.core.flags import checked_flag
from millstream.core.java_shapes import java_duration, java_value
from millstream.core.windows.emit import EmitStrategy


class DslStoreFormat(enum.Enum):
    """Format of the values in a store of the DSL.

    Source: KIP-1285, ``org.apache.kafka.streams.DslStoreFormat``.
    """

    PLAIN = "plain"
    TIMESTAMPED = "timestamped"
    HEADERS = "headers"

    @staticmethod
    def of(name: str) -> DslStoreFormat:
        """Return the format called ``name``, in any case.

        Raises:
            IllegalArgumentException: There is no such format.
        """
        low = text(name, "name").lower()
        for candidate in DslStoreFormat:
            if candidate.value == low:
                return candidate
        raise IllegalArgumentException(
            f'unknown store format "{name}"', hint="Use plain, timestamped or headers."
        )


_FORMATS = "Give DslStoreFormat.PLAIN, TIMESTAMPED or HEADERS."


class _Params:
    """Base of the parameters: equal field by field."""

    __slots__: tuple[str, ...] = ()

    _name: str
    _format: DslStoreFormat

    def name(self) -> str:
        """Return the store's name."""
        return self._name

    def _fields(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in type(self).__slots__)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash(self._fields())

    def __repr__(self) -> str:
        return str(self)


class _FormatParams(_Params):
    """Base of the parameters that name a format."""

    __slots__ = ()

    def dslStoreFormat(self) -> DslStoreFormat:
        """Return what values carry."""
        return self._format

    def isTimestamped(self) -> bool:
        """Tell whether values carry timestamps and nothing else; ``dslStoreFormat`` says more."""
        return self._format is DslStoreFormat.TIMESTAMPED


class DslKeyValueParams(_FormatParams):
    """Parameters of the DSL for a supplier of key-value stores.

    Args:
        name: The store's name.
        dslStoreFormat: What values carry; True for timestamped ones, False for plain ones.

    Source: KIP-954, ``state.DslKeyValueParams``.
    """

    __slots__ = ("_format", "_name")

    def __init__(
        self,
        name: str,
        dslStoreFormat: DslStoreFormat | bool = DslStoreFormat.TIMESTAMPED,
    ) -> None:
        self._name = _required_name(name)
        self._format = _format(dslStoreFormat)

    def __str__(self) -> str:
        return f"DslKeyValueParams{{name='{self._name}'dslStoreFormat={_name(self._format)}}}"


class DslWindowParams(_FormatParams):
    """Parameters of the DSL for a supplier of window stores; times in milliseconds.

    Args:
        name: The store's name.
        retentionPeriod: How long a window is kept after its start.
        windowSize: The size of the windows.
        retainDuplicates: Whether a window keeps every value put into it.
        emitStrategy: When results are passed on; None for every update.
        isSlidingWindow: Whether the windows are sliding ones.
        dslStoreFormat: What values carry; True for timestamped ones, False for plain ones.

    Source: KIP-954, ``state.DslWindowParams``.
    """

    __slots__ = ("_duplicates", "_emit", "_format", "_name", "_retention", "_size", "_sliding")

    def __init__(
        self,
        name: str,
        retentionPeriod: DurationLike,
        windowSize: DurationLike,
        retainDuplicates: bool = False,
        emitStrategy: Any = None,
        isSlidingWindow: bool = False,
        dslStoreFormat: DslStoreFormat | bool = DslStoreFormat.TIMESTAMPED,
    ) -> None:
        self._name = _required_name(name)
        self._retention = to_millis(retentionPeriod, "retentionPeriod")
        self._size = to_millis(windowSize, "windowSize")
        self._duplicates = checked_flag(retainDuplicates, "retainDuplicates")
        self._emit = _emission(emitStrategy)
        self._sliding = checked_flag(isSlidingWindow, "isSlidingWindow")
        self._format = _format(dslStoreFormat)

    def retentionPeriod(self) -> int:
        """Return how long a window is kept after its start."""
        return self._retention

    def windowSize(self) -> int:
        """Return the size of the windows."""
        return self._size

    def retainDuplicates(self) -> bool:
        """Tell whether a window keeps every value put into it."""
        return self._duplicates

    def emitStrategy(self) -> Any:
        """Return when results are passed on; None for every update."""
        return self._emit

    def isSlidingWindow(self) -> bool:
        """Tell whether the windows are sliding ones."""
        return self._sliding

    def __str__(self) -> str:
        return (
            f"DslWindowParams{{name='{self._name}', "
            f"retentionPeriod={java_duration(self._retention)}, "
            f"windowSize={java_duration(self._size)}, "
            f"retainDuplicates={java_value(self._duplicates)}, "
            f"emitStrategy={java_value(self._emit)}, "
            f"isSlidingWindow={java_value(self._sliding)}, dslStoreFormat={_name(self._format)}}}"
        )


class DslSessionParams(_Params):
    """Parameters of the DSL for a supplier of session stores; times in milliseconds.

    Args:
        name: The store's name.
        retentionPeriod: How long a session is kept after its end.
        emitStrategy: When results are passed on; None for every update.
        storeFormat: What values carry.

    Source: KIP-954, ``state.DslSessionParams``.
    """

    __slots__ = ("_emit", "_format", "_name", "_retention")

    def __init__(
        self,
        name: str,
        retentionPeriod: DurationLike,
        emitStrategy: Any = None,
        storeFormat: DslStoreFormat = DslStoreFormat.PLAIN,
    ) -> None:
        self._name = _required_name(name)
        self._retention = to_millis(retentionPeriod, "retentionPeriod")
        self._emit = _emission(emitStrategy)
        self._format = of_type(storeFormat, DslStoreFormat, "storeFormat", _FORMATS)

    def retentionPeriod(self) -> int:
        """Return how long a session is kept after its end."""
        return self._retention

    def emitStrategy(self) -> Any:
        """Return when results are passed on; None for every update."""
        return self._emit

    def storeFormat(self) -> DslStoreFormat:
        """Return what values carry."""
        return self._format

    def __str__(self) -> str:
        return (
            f"DslSessionParams{{name='{self._name}', "
            f"retentionPeriod={java_duration(self._retention)}, "
            f"emitStrategy={java_value(self._emit)}, storeFormat={_name(self._format)}}}"
        )


def _required_name(name: str) -> str:
    return text(name, "name", "Give the name of the store.")


def _format(given: DslStoreFormat | bool) -> DslStoreFormat:
    if given is None:
        raise NullPointerException("dslStoreFormat cannot be null")
    if isinstance(given, bool):
        return DslStoreFormat.TIMESTAMPED if given else DslStoreFormat.PLAIN
    of_type(given, DslStoreFormat, "dslStoreFormat", _FORMATS)
    return given


def _emission(given: Any) -> Any:
    return of_type(given, EmitStrategy, "emitStrategy", "Give EmitStrategy.onWindowClose(), ...")


def _name(given: DslStoreFormat) -> str:
    return java_value(getattr(given, "name", given))
