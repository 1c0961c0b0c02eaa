"""Readable ``repr`` and ``with`` of public objects, as mixins."""

from __future__ import annotations

from types import TracebackType
from typing import ClassVar, NoReturn

from typing_extensions import Self

from millstream.core.errors import UnsupportedOperationException


class Readable:
    """Mixin for classes whose ``repr`` is their name with the fields in ``_shown``.

    Example:
        >>> class Point(Readable):
        ...     _shown = ("x",)
        ...     x = 5
        >>> Point()
        Point(x=5)
    """

    __slots__ = ()

    _shown: ClassVar[tuple[str, ...]] = ()
    """Names of attributes; underscores before them are not shown."""

    def __repr__(self) -> str:
        # An object may be asked before its constructor is done, for instance by a debugger.
        fields = (f"{name.lstrip('_')}={getattr(self, name, None)!r}" for name in self._shown)
        return f"{type(self).__name__}({', '.join(fields)})"


class ReadableByName:
    """Mixin for classes with a method ``name``, such as stores: ``SerdeWindowStore('counts')``."""

    __slots__ = ()

    def __repr__(self) -> str:
        try:
            name = repr(self.name())  # type: ignore[attr-defined]
        except Exception:  # noqa: BLE001 - a user's class, or an object that is not ready
            name = ""
        return f"{type(self).__name__}({name})"


class Closing:
    """Mixin for classes with a method ``close``: the end of a ``with`` block calls it."""

    __slots__ = ()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()  # type: ignore[attr-defined]


class ReadOnly:
    """Mixin for iterators over what a store holds: they take nothing out of it."""

    __slots__ = ()

    def remove(self) -> NoReturn:
        """Refuse to remove an entry.

        Raises:
            UnsupportedOperationException: Always, as in Kafka Streams.
        """
        raise UnsupportedOperationException(
            "remove",
            detail="An iterator does not change its store.",
            hint="Close the iterator, then take the entry out by a method of the store.",
        )
