"""Value transformers of ``KTable.transformValues``, which may use stores."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Generic

from millstream.core.processor import ConnectedStoreProvider
from millstream.core.readable import Readable
from millstream.topology.dsl.type_vars import VR, K, V


class ValueTransformerWithKey(Readable, ABC, Generic[K, V, VR]):
    """Computes a new value for each update, with access to stores and to the record's metadata.

    Source: ``kstream.ValueTransformerWithKey``.
    """

    def init(self, context: Any) -> None:
        """Get ready; ``context`` is a ``ProcessorContext`` that cannot forward."""

    @abstractmethod
    def transform(self, readOnlyKey: K, value: V | None) -> VR | None:
        """Return the new value; a deleted row comes as None."""

    def close(self) -> None:
        """Release what ``init`` acquired."""


class ValueTransformerWithKeySupplier(ConnectedStoreProvider, Generic[K, V, VR]):
    """Makes the transformers, one for each task and each reader of a table without a store.

    A transformer class, or a callable without arguments, will do as well.

    Source: ``kstream.ValueTransformerWithKeySupplier``.
    """

    @abstractmethod
    def get(self) -> ValueTransformerWithKey[K, V, VR]:
        """Return a new transformer."""
