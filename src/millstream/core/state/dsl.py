"""The choice of stores for the DSL: suppliers, and builders over them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from millstream.core.errors import UnsupportedOperationException
from millstream.core.readable import Readable
from millstream.core.state.changelog_format import ChangelogFormat
from millstream.core.state.dsl_params import (
    DslKeyValueParams,
    DslSessionParams,
    DslWindowParams,
)
from millstream.core.state.suppliers import (
    AnyStoreBuilder,
    KeyValueBytesStoreSupplier,
    SessionBytesStoreSupplier,
    StoreSupplier,
    WindowBytesStoreSupplier,
)

if TYPE_CHECKING:
    from millstream.core.serdes import Serde


class DslStoreSuppliers(Readable, ABC):
    """Chooses the stores behind a DSL's operators.

    Source: KIP-954, ``state.DslStoreSuppliers``.
    """

    def configure(self, configs: Mapping[str, Any]) -> None:
        """Take what is needed from the configuration."""

    @abstractmethod
    def keyValueStore(self, params: DslKeyValueParams) -> KeyValueBytesStoreSupplier:
        """Return the supplier of a key-value store."""

    @abstractmethod
    def windowStore(self, params: DslWindowParams) -> WindowBytesStoreSupplier:
        """Return the supplier of a window store."""

    def sessionStore(self, params: DslSessionParams) -> SessionBytesStoreSupplier:
        """Return the supplier of a session store.

        Raises:
            UnsupportedOperationException: There are none of this kind.
        """
        raise UnsupportedOperationException(
            f'cannot make session store "{params.name()}": '
            f"{type(self).__name__} has no session stores"
        )


class StoreKinds(ABC):
    """Kafka's kinds of stores, as the DSL asks for them."""

    @abstractmethod
    def dsl_suppliers(self, name: str) -> DslStoreSuppliers:
        """Return the suppliers called ``name``: Kafka's names, or that of a byte-store plugin.

        Raises:
            PluginError: No installed plugin is called so.
        """

    @abstractmethod
    def builder(
        self,
        store: type[Any],
        supplier: StoreSupplier[Any],
        key_serde: Serde[Any] | None,
        value_serde: Serde[Any] | None,
    ) -> AnyStoreBuilder:
        """Return a builder of stores.

        Args:
            store: The interface of Kafka's that the store is to have: ``KeyValueStore``,
                ``WindowStore`` or ``SessionStore``, their forms with timestamps or headers, or
                ``VersionedKeyValueStore``.
            supplier: Makes the bytes; of the interface's kind.
            key_serde: None for the application's default.
            value_serde: None for the application's default.
        """

    def changelog_format(
        self, store: str, note: Any, retention: int | None = None
    ) -> ChangelogFormat:
        """Return how the rows of a store are written to a changelog topic of Kafka Streams.

        Args:
            store: The store's name, for errors.
            note: A ``StoreIdentity``, or what a checkpoint has noted of one.
            retention: Of a versioned store, how far back versions are kept; None: all are.

        Raises:
            UnsupportedOperationException: These stores have none.
        """
        raise UnsupportedOperationException(
            f'the changelog format of store "{store}" is not known',
            detail=f"{type(self).__name__} does not tell it.",
        )

    def row_conversion(
        self,
        store: str,
        names: tuple[str, ...],
        before: Any,
        after: Any,
        word: Callable[[bytes], Any] | None = None,
    ) -> Callable[[Sequence[bytes], Sequence[bytes]], tuple[list[bytes], list[bytes]]]:
        """Return the conversion of a store's rows, keys and values, for a changed program.

        Args:
            store: The store's name, for errors.
            names: What is converted, in this order: ``headers``, ``times``, ``segments``,
                ``order``, ``word``.
            before: A ``StoreIdentity`` of the rows, or what a checkpoint has noted of one.
            after: That of the new program.
            word: A user's function from the bytes of a plain value to its new ones.

        Raises:
            UnsupportedOperationException: These stores have none.
        """
        raise UnsupportedOperationException(
            f'the rows of store "{store}" cannot be converted',
            detail=f"{type(self).__name__} does not say how.",
        )
