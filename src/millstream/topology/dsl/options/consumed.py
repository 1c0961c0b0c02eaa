"""Options of ``stream``, ``table`` and ``globalTable``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, overload

from millstream.core.errors import ClassCastException
from millstream.core.serdes import Serde
from millstream.core.wording import a_kind
from millstream.topology.callables import EXTRACTED
from millstream.topology.dsl.options.auto_offset_reset import AutoOffsetReset
from millstream.topology.dsl.options.checks import checked_function
from millstream.topology.dsl.options.function_types import Extractor
from millstream.topology.dsl.options.named import SerdeOperation
from millstream.topology.dsl.type_vars import K_, V_, K, V


@dataclass(frozen=True, slots=True, kw_only=True)
class Consumed(SerdeOperation[K, V]):
    """Serdes, timestamp extractor, offset reset policy and name of a source; all optional.

    What is not given comes from the application's configuration.

    Raises:
        ClassCastException: A serde, the extractor or the policy is of another type.

    Source: ``kstream.Consumed``.
    """

    name: str | None = field(default=None, compare=False)
    key_serde: Serde[K] | None = None
    value_serde: Serde[V] | None = None
    timestamp_extractor: Any = None
    offset_reset: AutoOffsetReset | None = None

    def __post_init__(self) -> None:
        SerdeOperation.__post_init__(self)
        checked_function(self.timestamp_extractor, "extract", "timestampExtractor", EXTRACTED)
        policy: object = self.offset_reset
        if not isinstance(policy, AutoOffsetReset | None):
            # The test driver begins nowhere: only the start on Spark would fail.
            raise ClassCastException(
                f"resetPolicy cannot be {a_kind(policy)}",
                hint="Give AutoOffsetReset.earliest(), latest(), none() or byDuration().",
            )

    @overload
    @staticmethod
    def with_(
        keySerde: Serde[K_] | None,
        valueSerde: Serde[V_] | None,
        timestampExtractor: Extractor = None,
        resetPolicy: AutoOffsetReset | None = None,
    ) -> Consumed[K_, V_]: ...
    @overload
    @staticmethod
    def with_(extractorOrResetPolicy: Extractor | AutoOffsetReset, /) -> Consumed[Any, Any]: ...
    @overload
    @staticmethod
    def with_(
        *,
        keySerde: Serde[K_] | None = None,
        valueSerde: Serde[V_] | None = None,
        timestampExtractor: Extractor = None,
        resetPolicy: AutoOffsetReset | None = None,
    ) -> Consumed[K_, V_]: ...
    @staticmethod
    def with_(
        keySerde: Any = None,
        valueSerde: Any = None,
        timestampExtractor: Any = None,
        resetPolicy: AutoOffsetReset | None = None,
    ) -> Consumed[Any, Any]:
        """Return serdes and more: ``with_(keySerde, valueSerde[, timestampExtractor[, reset]])``.

        ``with_(timestampExtractor)`` and ``with_(resetPolicy)`` stand for only that.
        """
        if isinstance(keySerde, AutoOffsetReset):
            keySerde, resetPolicy = None, keySerde
        elif not isinstance(keySerde, Serde | type) and (
            callable(keySerde) or hasattr(keySerde, "extract")
        ):
            keySerde, timestampExtractor = None, keySerde
        serde: Any = keySerde
        return Consumed(
            key_serde=serde,
            value_serde=valueSerde,
            timestamp_extractor=timestampExtractor,
            offset_reset=resetPolicy,
        )

    @staticmethod
    def as_(processorName: str) -> Consumed[Any, Any]:
        """Return only a name."""
        return Consumed(name=processorName)

    def withTimestampExtractor(self, timestampExtractor: Extractor) -> Consumed[K, V]:
        """Return a copy with another timestamp extractor."""
        return self._with(timestamp_extractor=timestampExtractor)

    def withOffsetResetPolicy(self, resetPolicy: AutoOffsetReset | None) -> Consumed[K, V]:
        """Return a copy with another policy for topics that were never read."""
        return self._with(offset_reset=resetPolicy)
