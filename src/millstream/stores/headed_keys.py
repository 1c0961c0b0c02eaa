"""Keys in stores whose values carry headers: their serializers receive those of the value.

What a serializer of keys adds is kept with the value, and so is in the changelog's record. That of
a deletion has the headers of the current record and what was added to a copy of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any

from millstream.core.headers import Headers
from millstream.core.state import Headed, StateStoreContext
from millstream.stores.cache.flushing import NO_RECORD
from millstream.stores.codec import BoundSerde

Write = Callable[..., None]


@contextmanager
def deletion(context: StateStoreContext) -> Iterator[Headers]:
    """Give the current record a copy of its headers, so that nothing else sees changes."""
    record = context.record_context or NO_RECORD
    headers = record.headers().copy()
    with context.as_record(record.moved(record.timestamp(), headers)):
        yield headers


def heading(access: Any, keys: BoundSerde[Any], context: StateStoreContext, value_at: int) -> Any:
    """Return an access that serializes keys anew for each value that is written.

    Args:
        access: That of the store; it stays as it is.
        keys: The keys' serde.
        context: The store's.
        value_at: Where the value stands among what follows the key.
    """
    own = copy(access)
    own.write = _heading(access.write, keys, context, value_at)
    if hasattr(access, "remove"):
        own.remove = _heading(access.remove, keys, context, None)
    return own


def _heading(
    call: Write, keys: BoundSerde[Any], context: StateStoreContext, value_at: int | None
) -> Write:
    def write(key_bytes: bytes, key: Any, *rest: Any) -> None:
        value = None if value_at is None else rest[value_at]
        if value_at is None or value is None:
            with deletion(context) as headers:
                keys.to_bytes_with(headers, key)
                call(key_bytes, key, *rest)
            return
        if type(value) is not Headed:
            value = Headed(value, None)
        headers = Headers() if value.headers is None else value.headers
        keys.to_bytes_with(headers, key)
        call(key_bytes, key, *rest[:value_at], Headed(value.value, headers), *rest[value_at + 1 :])

    return write
