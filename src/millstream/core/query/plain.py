"""Values of timestamped stores, shown without their timestamps."""

from __future__ import annotations

from typing import Any

from millstream.core.errors import NoSuchElementException
from millstream.core.keyvalue import KeyValue
from millstream.core.state.iterators import KeyValueIterator
from millstream.core.state.values import ValueAndTimestamp


class PlainEntries(KeyValueIterator[Any, Any]):
    """The entries of a timestamped store without their timestamps."""

    def __init__(self, inner: KeyValueIterator[Any, Any]) -> None:
        self._inner = inner

    def hasNext(self) -> bool:
        """Tell whether there is another entry."""
        return self._inner.hasNext()

    def next(self) -> KeyValue[Any, Any]:
        """Return the next entry."""
        if not self._inner.hasNext():
            raise NoSuchElementException("there is no entry left")
        entry = self._inner.next()
        return KeyValue(entry.key, ValueAndTimestamp.getValueOrNull(entry.value))

    def peekNextKey(self) -> Any:
        """Return the next entry's key and stay before it."""
        return self._inner.peekNextKey()

    def close(self) -> None:
        """Release the iterator."""
        self._inner.close()
