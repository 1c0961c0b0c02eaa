"""Options of ``groupBy`` and ``groupByKey``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, overload

from millstream.core.serdes import Serde
from millstream.topology.dsl.options.named import SerdeOperation
from millstream.topology.dsl.type_vars import K_, V_, K, V


@dataclass(frozen=True, slots=True, kw_only=True)
class Grouped(SerdeOperation[K, V]):
    """Serdes and name of the repartition topic, where there has to be one.

    Source: ``kstream.Grouped``.
    """

    name: str | None = None
    key_serde: Serde[K] | None = None
    value_serde: Serde[V] | None = None

    @overload
    @staticmethod
    def with_(keySerde: Serde[K_] | None, valueSerde: Serde[V_] | None, /) -> Grouped[K_, V_]: ...
    @overload
    @staticmethod
    def with_(
        name: str | None, keySerde: Serde[K_] | None, valueSerde: Serde[V_] | None, /
    ) -> Grouped[K_, V_]: ...
    @overload
    @staticmethod
    def with_(
        *,
        keySerde: Serde[K_] | None = None,
        valueSerde: Serde[V_] | None = None,
        name: str | None = None,
    ) -> Grouped[K_, V_]: ...
    @staticmethod
    def with_(*arguments: Any, **keywords: Any) -> Grouped[Any, Any]:
        """Return serdes and a name: ``with_([name,] keySerde, valueSerde)``."""
        names = ("name", "keySerde", "valueSerde")[-len(arguments) or 3 :]
        given = dict(zip(names, arguments, strict=True)) | keywords
        return Grouped(
            name=given.pop("name", None),
            key_serde=given.pop("keySerde", None),
            value_serde=given.pop("valueSerde", None),
            **given,
        )

    @staticmethod
    def as_(name: str) -> Grouped[Any, Any]:
        """Return only a name."""
        return Grouped(name=name)

    @staticmethod
    def keySerde(keySerde: Serde[K_] | None) -> Grouped[K_, Any]:
        """Return only a key serde."""
        return Grouped(key_serde=keySerde)

    @staticmethod
    def valueSerde(valueSerde: Serde[V_] | None) -> Grouped[Any, V_]:
        """Return only a value serde."""
        return Grouped(value_serde=valueSerde)
