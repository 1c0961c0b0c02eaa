"""Base of an operator's own stores over an inner store, which they open and close."""

from __future__ import annotations

from typing import Any

from millstream.core.serdes import Serde, deserializer_call, serializer_call
from millstream.core.state import StateStore, StateStoreContext
from millstream.topology.operators.serde_headers import current_headers, want_headers


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
        self.write_key = serializer_call(keys.serializer())
        self.read_key = deserializer_call(keys.deserializer())
        self.value_writers = [serializer_call(serde.serializer()) for serde in values]
        self.value_readers = [deserializer_call(serde.deserializer()) for serde in values]
        self.want_headers = want_headers(keys, *values)
        self.headers = current_headers(context, wanted=self.want_headers)


class OperatorStore(StateStore):
    """A store over an inner one, whose name and life it has."""

    def __init__(self, store: Any) -> None:
        self._store = store

    def name(self) -> str:
        return str(self._store.name())

    def init(self, stateStoreContext: StateStoreContext, root: StateStore) -> None:
        self._store.init(stateStoreContext, root)
        self._access = self._store.access()

    def flush(self) -> None:
        self._store.flush()

    def reload(self) -> None:
        self._store.reload()

    def close(self) -> None:
        self._store.close()

    def persistent(self) -> bool:
        return bool(self._store.persistent())

    def isOpen(self) -> bool:
        return bool(self._store.isOpen())
