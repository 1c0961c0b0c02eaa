"""Marks of stores of bytes: times and headers that each value carries."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from millstream.core.arguments import of_type
from millstream.core.state.key_value import KeyValueStore
from millstream.core.state.versioned import VersionedKeyValueStore

NO_TIME = (-1).to_bytes(8, "big", signed=True)
"""The time of a value whose time was not kept."""
NO_HEADERS = b"\x00"
"""The size of headers that there are none of."""


def _bytes(value: bytes) -> bytes:
    kinds = (bytes, bytearray, memoryview)
    return bytes(of_type(value, kinds, "value", "Give the bytes of a value."))


class TimestampedBytesStore:
    """Marks a store of bytes of your own that keeps values with their time: ``time || value``.

    Times take 8 bytes, big endian. Over a persistent store without this mark, a timestamped store
    loses its times: they read as -1.

    Source: ``state.TimestampedBytesStore``.
    """

    @staticmethod
    def convertToTimestampedFormat(plainValue: bytes | None) -> bytes | None:
        """Return a bare value with the time -1 before it.

        Example:
            >>> TimestampedBytesStore.convertToTimestampedFormat(b"up")
            b'\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xffup'
        """
        return None if plainValue is None else NO_TIME + _bytes(plainValue)


class HeadersBytesStore:
    """Marks a store of bytes of your own that keeps values with headers.

    That is ``size of headers || headers || time || value``, without the time for sessions.
    Over a persistent store without this mark, a store with headers loses them.

    Source: KIP-1271, ``state.HeadersBytesStore``.
    """

    @staticmethod
    def convertToHeaderFormat(value: bytes | None) -> bytes | None:
        """Return a value with its time, or a session's aggregate, with no headers before it."""
        return None if value is None else NO_HEADERS + _bytes(value)

    @staticmethod
    def convertFromPlainToHeaderFormat(value: bytes | None) -> bytes | None:
        """Return a bare value with no headers and the time -1 before it."""
        return None if value is None else NO_HEADERS + NO_TIME + _bytes(value)


class VersionedBytesStore(KeyValueStore[bytes, bytes], TimestampedBytesStore):
    """A versioned store of bytes of your own, for a ``VersionedBytesStoreSupplier`` to make.

    What is read is ``time || value``, the time being 8 bytes, big endian; what is put is the bare
    value.

    Source: KIP-889, ``state.VersionedBytesStore``.
    """

    PUT_RETURN_CODE_VALID_TO_UNDEFINED = VersionedKeyValueStore.PUT_RETURN_CODE_VALID_TO_UNDEFINED
    PUT_RETURN_CODE_NOT_PUT = VersionedKeyValueStore.PUT_RETURN_CODE_NOT_PUT

    @abstractmethod
    def put(self, key: bytes, value: bytes | None, timestamp: Any = None) -> Any:
        """Add a version that holds from ``timestamp`` on, and return until when it holds."""

    @abstractmethod
    def get(self, key: bytes, asOfTimestamp: int | None = None) -> bytes | None:
        """Return the version that held at a time, or the latest one."""

    @abstractmethod
    def delete(self, key: bytes, timestamp: int | None = None) -> bytes | None:
        """End the version that holds at ``timestamp``, and return it."""
