"""Serdes for windowed keys, on topics and in changelogs."""

from __future__ import annotations

import struct
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from typing_extensions import Self

from millstream.core.arguments import required
from millstream.core.config.checks import checked_entries
from millstream.core.durations import to_millis
from millstream.core.errors import (
    IllegalArgumentException,
    NullPointerException,
    SerializationException,
)
from millstream.core.flags import checked_flag
from millstream.core.loading import load_instance
from millstream.core.serdes.base import (
    Deserializer,
    Serde,
    Serializer,
    close_inner,
    configure_part,
    deserialize_column,
    deserializer_call,
    headers_and_data,
    inner_heeds_headers,
    inner_needs_headers,
    needs_headers,
    plain_bytes,
    serialize_column,
    serializer_call,
    wrong_type,
)
from millstream.core.serdes.checks import checked_serde, loaded_serde
from millstream.core.serdes.factory import Serdes
from millstream.core.serdes.halves import WrapperSerde, checked_half
from millstream.core.windows import SessionWindow, TimeWindow, Windowed

LONG = struct.Struct(">q")
TWO_LONGS = struct.Struct(">qq")
SEQUENCE_BYTES = 4
INNER_SERDE_KEY = "windowed.inner.class.serde"


class WindowedSerializer(Serializer[Windowed[Any]]):
    """Base of the serializers of windowed keys.

    A sink with such a key serializer partitions by the key without the window: see
    ``serializeBaseKey``.

    Source: ``kstream.WindowedSerializer``.
    """

    WINDOWED_INNER_SERIALIZER_CLASS: ClassVar[str] = "windowed.inner.serializer.class"

    def __init__(self, inner: Serializer[Any] | None = None) -> None:
        self._inner: Serializer[Any] | None = checked_half(inner, "serialize")

    def configure(self, configs: Mapping[str, Any], isKey: bool) -> None:
        """Take the inner serializer from the configuration, unless the constructor had one.

        Raises:
            IllegalArgumentException: It is missing, or both are given and differ.
        """
        self._inner = _configured_inner(
            self._inner, configs, isKey, self.WINDOWED_INNER_SERIALIZER_CLASS, "serializer"
        )

    def serialize(self, topic: str, /, *arguments: Any) -> bytes | None:
        """Write ``(topic, data)`` or ``(topic, headers, data)``."""
        headers, data = headers_and_data(arguments)
        inner = self._checked_inner()
        if data is None:
            return None
        if not isinstance(data, Windowed):
            raise wrong_type(self, topic, data, "windowed keys")
        return self._join(serializer_call(inner)(topic, headers, data._key), data)

    needs_headers = inner_needs_headers

    def serialize_column(
        self, topic: str, values: Sequence[Windowed[Any] | None]
    ) -> list[bytes | None]:
        inner = self._checked_inner()
        if needs_headers(inner) or set(map(type, values)) != {Windowed}:
            return [self.serialize(topic, value) for value in values]
        windowed = [value for value in values if value is not None]
        keys = serialize_column(inner, topic, [value._key for value in windowed])
        return list(map(self._join, keys, windowed))

    def serializeBaseKey(self, topic: str, /, *arguments: Any) -> bytes | None:
        """Write the key without the window: ``(topic, data)`` or ``(topic, headers, data)``."""
        headers, data = headers_and_data(arguments)
        if not isinstance(data, Windowed | None):
            raise wrong_type(self, topic, data, "windowed keys")
        key = required(data, "data").key()
        return serializer_call(self._checked_inner())(topic, headers, key)

    def base_key_column(self, topic: str, values: Sequence[Windowed[Any]]) -> list[bytes | None]:
        """Write many keys without their windows."""
        return serialize_column(self._checked_inner(), topic, [value._key for value in values])

    close = close_inner

    @abstractmethod
    def _suffix(self, data: Windowed[Any]) -> bytes: ...

    def _join(self, key: bytes | None, data: Windowed[Any]) -> bytes:
        if key is None:
            raise NullPointerException(
                f"{type(self).__name__} cannot serialize a window without a key",
                detail=f"It is {data}.",
            )
        return key + self._suffix(data)

    def _checked_inner(self) -> Serializer[Any]:
        if self._inner is None:
            raise NullPointerException(
                "Inner serializer is `null`. User code must use constructor "
                f"`{type(self).__name__}(final Serializer<T> inner)` instead of the no-arg "
                "constructor.",
                hint=f"Make it as {type(self).__name__}(inner), or configure it.",
            )
        return self._inner


class TimeWindowedSerializer(WindowedSerializer):
    """Keys of time windows: the key's bytes, then the window's start; the end is not stored.

    Source: ``kstream.TimeWindowedSerializer``.
    """

    def _suffix(self, data: Windowed[Any]) -> bytes:
        return LONG.pack(data._window._start)


class SessionWindowedSerializer(WindowedSerializer):
    """Keys of sessions: the key's bytes, then the end, then the start.

    Source: ``kstream.SessionWindowedSerializer``.
    """

    def _suffix(self, data: Windowed[Any]) -> bytes:
        return TWO_LONGS.pack(data._window._end, data._window._start)


class _WindowedDeserializer(Deserializer[Windowed[Any]]):
    WINDOWED_INNER_DESERIALIZER_CLASS: ClassVar[str] = "windowed.inner.deserializer.class"

    def __init__(self, inner: Deserializer[Any] | None = None) -> None:
        self._inner: Deserializer[Any] | None = checked_half(inner, "deserialize")

    def configure(self, configs: Mapping[str, Any], isKey: bool) -> None:
        """Take the inner deserializer from the configuration, unless the constructor had one.

        Raises:
            IllegalArgumentException: It is missing, or both are given and differ.
        """
        self._inner = _configured_inner(
            self._inner, configs, isKey, self.WINDOWED_INNER_DESERIALIZER_CLASS, "deserializer"
        )

    def deserialize(self, topic: str, /, *arguments: Any) -> Windowed[Any] | None:
        """Read ``(topic, data)`` or ``(topic, headers, data)``; empty bytes give None."""
        headers, data = headers_and_data(arguments)
        inner = self._checked_inner()
        if data is not None and type(data) is not bytes:
            data = plain_bytes(self, data)
        if not data:
            return None
        key, window = self._split(data)
        return Windowed(deserializer_call(inner)(topic, headers, key), window)

    needs_headers = inner_needs_headers
    heeds_headers = inner_heeds_headers

    def deserialize_column(
        self, topic: str, values: Sequence[bytes | None]
    ) -> list[Windowed[Any] | None]:
        inner = self._checked_inner()
        if needs_headers(inner) or not all(values):
            return [self.deserialize(topic, value) for value in values]
        halves = [self._split(value) for value in values if value is not None]
        keys = deserialize_column(inner, topic, [key for key, _ in halves])
        return [Windowed(key, window) for key, (_, window) in zip(keys, halves, strict=True)]

    close = close_inner

    @abstractmethod
    def _split(self, data: bytes) -> tuple[bytes, TimeWindow | SessionWindow]: ...

    def _checked_inner(self) -> Deserializer[Any]:
        if self._inner is None:
            raise NullPointerException(
                "Inner deserializer is `null`. User code must use constructor "
                f"`{type(self).__name__}(final Deserializer<T> inner)` instead of the no-arg "
                "constructor.",
                hint=f"Make it as {type(self).__name__}(inner, ...), or configure it.",
            )
        return self._inner


class TimeWindowedDeserializer(_WindowedDeserializer):
    """Keys of time windows; needs the windows' size, because the bytes have the start only.

    Args:
        inner: Deserializer of the key without the window; None: the configured one.
        windowSize: Milliseconds (or a ``timedelta``); None: ``window.size.ms``.

    Source: ``kstream.TimeWindowedDeserializer``.
    """

    WINDOW_SIZE_MS_CONFIG: ClassVar[str] = "window.size.ms"

    def __init__(self, inner: Deserializer[Any] | None = None, windowSize: Any = None) -> None:
        super().__init__(inner)
        self._window_size = None if windowSize is None else to_millis(windowSize, "windowSize")
        self._changelog = False

    def configure(self, configs: Mapping[str, Any], isKey: bool) -> None:
        """Take the missing settings from the configuration.

        Raises:
            IllegalArgumentException: The window size or the inner deserializer is missing; or the
                size was given to the constructor, too.
        """
        configured = checked_entries(configs, "configs").get(self.WINDOW_SIZE_MS_CONFIG)
        if self._window_size is not None and configured is not None:
            raise IllegalArgumentException(
                "Window size should not be set in both the time windowed deserializer constructor "
                "and the window.size.ms config"
            )
        if self._window_size is None:
            if configured is None:
                raise IllegalArgumentException(
                    "Window size needs to be set either through the time windowed deserializer "
                    "constructor or the window.size.ms config but not both"
                )
            self._window_size = _configured_size(configured)
        super().configure(configs, isKey)

    def getWindowSize(self) -> int | None:
        """Return the size of the windows in milliseconds; None if it is not known."""
        return self._window_size

    def setIsChangelogTopic(self, isChangelogTopic: bool) -> None:
        """Set whether the keys are those of a window store's changelog (4 bytes longer)."""
        self._changelog = checked_flag(isChangelogTopic, "isChangelogTopic")

    def _split(self, data: bytes) -> tuple[bytes, TimeWindow]:
        end = len(data) - SEQUENCE_BYTES if self._changelog else len(data)
        cut = end - LONG.size
        if cut < 0:
            raise _too_short(self, data)
        if self._window_size is None:
            raise NullPointerException(
                "TimeWindowedDeserializer has no window size",
                hint="Make it as TimeWindowedDeserializer(inner, windowSize).",
            )
        (start,) = LONG.unpack_from(data, cut)
        return data[:cut], TimeWindow.of_start(start, self._window_size)


class SessionWindowedDeserializer(_WindowedDeserializer):
    """Keys of sessions.

    Source: ``kstream.SessionWindowedDeserializer``.
    """

    def _split(self, data: bytes) -> tuple[bytes, SessionWindow]:
        cut = len(data) - TWO_LONGS.size
        if cut < 0:
            raise _too_short(self, data)
        end, start = TWO_LONGS.unpack_from(data, cut)
        return data[:cut], SessionWindow(start, end)


class TimeWindowedSerde(WrapperSerde[Windowed[Any]]):
    """Keys of time windows of one size.

    Source: ``kstream.WindowedSerdes.TimeWindowedSerde``.
    """

    def __init__(self, inner: Serde[Any] | None = None, windowSize: Any = None) -> None:
        checked_serde(inner, "inner")
        self._windowed_deserializer = TimeWindowedDeserializer(
            None if inner is None else inner.deserializer(), windowSize
        )
        super().__init__(
            TimeWindowedSerializer(None if inner is None else inner.serializer()),
            self._windowed_deserializer,
        )

    def forChangelog(self, isChangelogTopic: bool) -> Self:
        """Set whether the deserialized keys are those of a window store's changelog."""
        self._windowed_deserializer.setIsChangelogTopic(isChangelogTopic)
        return self


class SessionWindowedSerde(WrapperSerde[Windowed[Any]]):
    """Keys of sessions.

    Source: ``kstream.WindowedSerdes.SessionWindowedSerde``.
    """

    def __init__(self, inner: Serde[Any] | None = None) -> None:
        checked_serde(inner, "inner")
        super().__init__(
            SessionWindowedSerializer(None if inner is None else inner.serializer()),
            SessionWindowedDeserializer(None if inner is None else inner.deserializer()),
        )


class WindowedSerdes:
    """Makes serdes of windowed keys.

    Source: ``kstream.WindowedSerdes``.
    """

    TimeWindowedSerde = TimeWindowedSerde
    SessionWindowedSerde = SessionWindowedSerde

    @staticmethod
    def timeWindowedSerdeFrom(type: type, windowSize: Any) -> Serde[Windowed[Any]]:
        """Return the serde of time windows around keys of a Python type."""
        return TimeWindowedSerde(Serdes.serdeFrom(type), windowSize)

    @staticmethod
    def sessionWindowedSerdeFrom(type: type) -> Serde[Windowed[Any]]:
        """Return the serde of sessions around keys of a Python type."""
        return SessionWindowedSerde(Serdes.serdeFrom(type))


def _configured_size(given: Any) -> int:
    try:
        return int(given) if isinstance(given, str) else to_millis(given, "window.size.ms")
    except ValueError as error:
        raise IllegalArgumentException(
            f"Invalid value {given} for configuration window.size.ms",
            hint="Give a number of milliseconds.",
        ) from error


def _configured_inner(
    inner: Any, configs: Mapping[str, Any], is_key: bool, key: str, half: str
) -> Any:
    checked_entries(configs, "configs")
    named_by = key
    named: Any
    if configs.get(key) is not None:
        named = load_instance(configs[key], key)
    elif configs.get(INNER_SERDE_KEY) is not None:
        named_by = INNER_SERDE_KEY
        serde: Serde[Any] = loaded_serde(configs[INNER_SERDE_KEY], INNER_SERDE_KEY, "Serde class")
        pick: Callable[[], Any] = getattr(serde, half)
        named = pick()
    else:
        named = None
    if named is None:
        if inner is None:
            raise IllegalArgumentException(
                f"Inner class {half} should be set either via constructor or via the {key} config"
            )
        return inner
    if inner is None:
        configure_part(named, configs, is_key)
        return named
    if type(inner) is not type(named):
        raise IllegalArgumentException(
            f"Inner class {half} set using constructor ({type(inner).__name__}) is different from "
            f"the one set in {named_by} config ({type(named).__name__})."
        )
    return inner


def _too_short(deserializer: object, data: bytes) -> SerializationException:
    return SerializationException(
        f"{type(deserializer).__name__} received bytes that are not a windowed key",
        detail=f"It has only {len(data)} bytes.",
    )
