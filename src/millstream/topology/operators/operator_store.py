"""Base of an operator's own stores over an inner store, which they open and close."""

from __future__ import annotations

from typing import Any

from millstream.core.headers import Headers
from millstream.core.serdes import Serde, deserializer_call, plain_type_of, serializer_call
from millstream.core.serdes.base import is_stock
from millstream.core.serdes.checks import halves_of, written
from millstream.core.state import StateStore, StateStoreContext
from millstream.core.state.delegating import DelegatingStore
from millstream.topology.operators.serde_headers import current_headers, want_headers

_SAME = (str, bytes, int, float, bool)
"""Types that no serde of ours changes, and whose objects nobody can."""


class SerdeCalls:
    """Calls of the serdes of a store, with the application's defaults where none are given.

    Args:
        context: The store's.
        key_serde: Of keys; None for the default.
        value_serdes: Of values; None for the default.
    """

    def __init__(
        self, context: StateStoreContext, key_serde: Serde[Any] | None, *value_serdes: Any
    ) -> None:
        keys = context.keySerde() if key_serde is None else key_serde
        values = [context.valueSerde() if each is None else each for each in value_serdes]
        self.key_halves = halves_of(keys, "the key serde of an operator's store")
        where = "a value serde of an operator's store"
        self.value_halves = [halves_of(serde, where) for serde in values]
        self._write_key = serializer_call(self.key_halves[0])
        self.write_key = self._write_key if is_stock(self.key_halves[0]) else self.key_bytes
        self.read_key = deserializer_call(self.key_halves[1])
        self.value_writers = [serializer_call(writes) for writes, _ in self.value_halves]
        self.value_readers = [deserializer_call(reads) for _, reads in self.value_halves]
        self.plain_types = [_plain_type(serde) for serde in (keys, *values)]
        """Of keys, then of values: the type whose objects are the same when they have been written
        and read; None if there is no such type."""
        self.want_headers = want_headers(keys, *values)
        self.headers = current_headers(context, wanted=self.want_headers)

    def key_bytes(self, topic: str, headers: Headers | None, key: Any) -> bytes:
        """Return the bytes of a key, as a user's serializer writes them.

        Raises:
            NullPointerException: It has returned None.
        """
        data = self._write_key(topic, headers, key)
        return written(data, self.key_halves[0], topic, "key")


def _plain_type(serde: Any) -> type | None:
    found = plain_type_of(serde)
    return found if found in _SAME else None


class OperatorStore(DelegatingStore):
    """A store over an inner one, whose name and life it has."""

    def init(self, stateStoreContext: StateStoreContext, root: StateStore) -> None:
        super().init(stateStoreContext, root)
        self._access = self._store.access()
