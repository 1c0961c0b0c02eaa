"""Options of ``deduplicate`` and its variants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, overload

from millstream.core.serdes import Serde
from millstream.core.serdes.checks import checked_serde
from millstream.topology.dsl.options.named import SerdeOperation, validate_name
from millstream.topology.dsl.type_vars import K_, V_, K, V


@dataclass(frozen=True, slots=True, kw_only=True)
class Deduplicated(SerdeOperation[K, V]):
    """Name, store name and serdes of a deduplication; all optional.

    Attributes:
        name: Of the operation, of its repartition topic (``name-repartition``), if there is one,
            and, with ``-store`` after it, of the store.
        store_name: Of the store; None for the name above.
        key_serde: For the key, in ``deduplicateByKey``. With an id selector: for the id, as the KIP
            has it; if ``id_serde`` is given as well, for the key.
        id_serde: For what the id selector returns.
        value_serde: For values in a repartition topic.

    A serde that is not given is the one that the stream brings along, or the application's default.
    For ids it is the application's default for keys.

    Example:
        >>> Deduplicated.as_("orders").withStoreName("seen-orders").store_name
        'seen-orders'

    Source: KIP-655; ``idSerde`` and ``withStoreName`` are ours.
    """

    name: str | None = None
    store_name: str | None = None
    key_serde: Serde[Any] | None = None
    id_serde: Serde[Any] | None = None
    value_serde: Serde[V] | None = None

    def __post_init__(self) -> None:
        SerdeOperation.__post_init__(self)
        if self.store_name is not None:
            object.__setattr__(self, "store_name", validate_name(self.store_name))
        checked_serde(self.id_serde, "idSerde")

    @overload
    @staticmethod
    def with_(
        keySerde: Serde[K_] | None, valueSerde: Serde[V_] | None, /
    ) -> Deduplicated[K_, V_]: ...
    @overload
    @staticmethod
    def with_(
        storeName: str | None, keySerde: Serde[K_] | None, valueSerde: Serde[V_] | None, /
    ) -> Deduplicated[K_, V_]: ...
    @overload
    @staticmethod
    def with_(
        *,
        storeName: str | None = None,
        keySerde: Serde[K_] | None = None,
        idSerde: Serde[Any] | None = None,
        valueSerde: Serde[V_] | None = None,
    ) -> Deduplicated[K_, V_]: ...
    @staticmethod
    def with_(*arguments: Any, **keywords: Any) -> Deduplicated[Any, Any]:
        """Return serdes and a store's name: ``with_([storeName,] keySerde, valueSerde)``."""
        names = ("storeName", "keySerde", "valueSerde")[-len(arguments) or 3 :]
        given = dict(zip(names, arguments, strict=bool(arguments))) | keywords
        return Deduplicated(
            store_name=given.pop("storeName", None),
            key_serde=given.pop("keySerde", None),
            id_serde=given.pop("idSerde", None),
            value_serde=given.pop("valueSerde", None),
            **given,
        )

    @staticmethod
    def as_(name: str) -> Deduplicated[Any, Any]:
        """Return only a name."""
        return Deduplicated(name=name)

    @staticmethod
    def keySerde(keySerde: Serde[K_] | None) -> Deduplicated[K_, Any]:
        """Return only a key serde; see the class for what it writes."""
        return Deduplicated(key_serde=keySerde)

    @staticmethod
    def idSerde(idSerde: Serde[K_] | None) -> Deduplicated[K_, Any]:
        """Return only a serde for ids."""
        return Deduplicated(id_serde=idSerde)

    @staticmethod
    def valueSerde(valueSerde: Serde[V_] | None) -> Deduplicated[Any, V_]:
        """Return only a value serde."""
        return Deduplicated(value_serde=valueSerde)

    def withStoreName(self, storeName: str | None) -> Deduplicated[K, V]:
        """Return a copy with another name for the store.

        Raises:
            TopologyException: The name breaks the rules for topics' names.
        """
        return self._with(store_name=storeName)

    def withIdSerde(self, idSerde: Serde[Any] | None) -> Deduplicated[K, V]:
        """Return a copy with another serde for ids."""
        return self._with(id_serde=idSerde)
