"""Reading and writing Java's big-endian numbers and strings, with errors that name the place."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import TypeVar
from uuid import UUID

from millstream.core.errors import TaskAssignmentException
from millstream.core.processor import TaskId
from millstream.testing.rebalance.wire.versions import FIRST_WITH_TOPOLOGY_NAME

T = TypeVar("T")
LONGEST_STRING = 0xFFFF
LONGEST_KAFKA_STRING = 0x7FFF


class WireWriter:
    """Collects what ``DataOutputStream`` and Kafka's message classes would write."""

    __slots__ = ("_parts",)

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def written(self) -> bytes:
        """Return all that was written."""
        return b"".join(self._parts)

    def number(self, width: str, value: int) -> None:
        """Write a number; ``width`` is the letter of `struct`: b, h, i or q."""
        try:
            self._parts.append(struct.pack(f">{width}", value))
        except struct.error:
            bits = 8 * struct.calcsize(f">{width}")
            raise TaskAssignmentException(
                "cannot encode group metadata",
                detail=f"{value} is not a number of {bits} bits.",
            ) from None

    def int32(self, value: int) -> None:
        """Write four bytes."""
        self.number("i", value)

    def raw(self, data: bytes) -> None:
        """Write bytes as they are."""
        self._parts.append(data)

    def sized(self, data: bytes) -> None:
        """Write bytes behind their number."""
        self.int32(len(data))
        self.raw(data)

    def java_string(self, text: str) -> None:
        """Write a string as ``writeUTF``: two bytes of length, Java's own variant of UTF-8."""
        data = modified_utf8(text)
        if len(data) > LONGEST_STRING:
            raise _too_long(text, len(data), LONGEST_STRING)
        self.number("h", struct.unpack(">h", struct.pack(">H", len(data)))[0])
        self.raw(data)

    def kafka_string(self, text: str | None) -> None:
        """Write a nullable string of Kafka's protocol."""
        if text is None:
            self.number("h", -1)
            return
        data = text.encode()
        if len(data) > LONGEST_KAFKA_STRING:
            raise _too_long(text, len(data), LONGEST_KAFKA_STRING)
        self.number("h", len(data))
        self.raw(data)

    def task(self, task: TaskId) -> None:
        """Write a task's two numbers."""
        self.int32(task.subtopology())
        self.int32(task.partition())


class WireReader:
    """Takes apart what a member sent; ``what`` names it in errors.

    Every method raises `TaskAssignmentException` where the bytes end too early.
    """

    __slots__ = ("_at", "_data", "_what")

    def __init__(self, data: bytes, what: str) -> None:
        self._data = data
        self._what = what
        self._at = 0

    def bad(self, detail: str, hint: str = "") -> TaskAssignmentException:
        """Return the error that says what is wrong with the bytes."""
        return TaskAssignmentException(f"cannot decode {self._what}", detail=detail, hint=hint)

    def raw(self, count: int) -> bytes:
        """Take that many bytes."""
        end = self._at + count
        if count < 0 or end > len(self._data):
            raise self.bad(
                f"Byte {self._at}: {count} bytes are due, {len(self._data) - self._at} are left."
            )
        data = self._data[self._at : end]
        self._at = end
        return data

    def number(self, width: str) -> int:
        """Take a number; ``width`` is the letter of `struct`: b, h, i or q."""
        value: int = struct.unpack(f">{width}", self.raw(struct.calcsize(f">{width}")))[0]
        return value

    def int32(self) -> int:
        """Take four bytes as a number."""
        return self.number("i")

    def many(self, read: Callable[[], T]) -> list[T]:
        """Take a count, and as many of what ``read`` takes.

        A count cannot be larger than the bytes left, so that a wrong one costs no memory.
        """
        count = self.int32()
        left = len(self._data) - self._at
        if not 0 <= count <= left:
            raise self.bad(f"Byte {self._at - 4}: a count of {count}, and {left} bytes are left.")
        return [read() for _ in range(count)]

    def sized(self) -> bytes:
        """Take bytes behind their number."""
        return self.raw(self.int32())

    def text(self, data: bytes) -> str:
        """Read UTF-8."""
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            raise self.bad(f"A string before byte {self._at} is not UTF-8: {error}.") from error

    def java_string(self) -> str:
        """Take what ``writeUTF`` wrote."""
        data = self.raw(self.number("h") & LONGEST_STRING)
        try:
            return from_modified_utf8(data)
        except UnicodeError as error:
            raise self.bad(f"A string before byte {self._at} is not UTF-8: {error}.") from error

    def kafka_string(self) -> str | None:
        """Take a nullable string of Kafka's protocol."""
        length = self.number("h")
        return None if length < 0 else self.text(self.raw(length))

    def uuid(self) -> UUID:
        """Take sixteen bytes."""
        return UUID(bytes=self.raw(16))

    def task(self) -> TaskId:
        """Take a task's two numbers."""
        return TaskId(self.int32(), self.int32())


def modified_utf8(text: str) -> bytes:
    """Return Java's variant: no zero byte, and each half of a surrogate pair on its own."""
    units = text.encode("utf-16-be", "surrogatepass")
    pairs = (chr(int.from_bytes(units[at : at + 2], "big")) for at in range(0, len(units), 2))
    return b"".join(
        b"\xc0\x80" if unit == "\0" else unit.encode("utf-8", "surrogatepass") for unit in pairs
    )


def from_modified_utf8(data: bytes) -> str:
    """Undo `modified_utf8`."""
    text = data.replace(b"\xc0\x80", b"\0").decode("utf-8", "surrogatepass")
    return text.encode("utf-16-be", "surrogatepass").decode("utf-16-be", "surrogatepass")


def unnamed(task: TaskId, version: int) -> TaskId:
    """Return a task that a version without names of topologies can carry.

    Raises:
        TaskAssignmentException: Its topology has a name.
    """
    if task.topologyName():
        raise TaskAssignmentException(
            f"cannot encode group metadata of version {version}",
            detail=f'Task "{task}" belongs to a named topology.',
            hint=f"Use version {FIRST_WITH_TOPOLOGY_NAME} or newer.",
        )
    return task


def _too_long(text: str, length: int, most: int) -> TaskAssignmentException:
    return TaskAssignmentException(
        "cannot encode group metadata",
        detail=f'"{text[:40]}..." takes {length} bytes; a string may have {most}.',
    )
