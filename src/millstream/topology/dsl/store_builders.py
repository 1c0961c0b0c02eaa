"""Base of the builders of the DSL's stores, whose kind may depend on the configuration."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from typing_extensions import Self

from millstream.core.config.keys import CONFIG_KEYS
from millstream.core.errors import ConfigException
from millstream.core.loading import load_instance
from millstream.core.state import (
    AnyStoreBuilder,
    DslStoreFormat,
    HeadersBytesStoreSupplier,
    SessionStore,
    SessionStoreWithHeaders,
    StateStore,
    StoreBuilder,
    TimestampedKeyValueStore,
    TimestampedKeyValueStoreWithHeaders,
    TimestampedWindowStore,
    TimestampedWindowStoreWithHeaders,
    VersionedKeyValueStore,
    changelog_settings,
)
from millstream.core.state.identity import StoreIdentity
from millstream.plugins.registry import store_kinds
from millstream.topology.dsl.options.checks import is_dsl_store_suppliers
from millstream.topology.dsl.options.materialized import StoreType

_SUPPLIERS_CLASS = "dsl.store.suppliers.class"

Interfaces = tuple[type[Any], type[Any]]
"""A store's interface, and that over a supplier whose stores keep headers."""

KEY_VALUES: Interfaces = (TimestampedKeyValueStore, TimestampedKeyValueStoreWithHeaders)
WINDOWS: Interfaces = (TimestampedWindowStore, TimestampedWindowStoreWithHeaders)
SESSIONS: Interfaces = (SessionStore, SessionStoreWithHeaders)
VERSIONED: Interfaces = (VersionedKeyValueStore, VersionedKeyValueStore)


@dataclass(frozen=True, slots=True, eq=False)
class DslStoreBuilder(StoreBuilder[StateStore]):
    """Builder of a store of the DSL. Frozen: the ``with...`` methods return changed copies."""

    configs: Mapping[str, Any] | None = field(default=None, repr=False, kw_only=True)
    """Of the application; None until a host has set them."""

    def configured(self, configs: Mapping[str, Any]) -> Self:
        """Return a copy for an application; a host calls it before ``build``."""
        return replace(self, configs=configs)

    def withCachingEnabled(self) -> Self:
        # An operator that has to see every record has no cache, as in Kafka Streams.
        return self

    def withCachingDisabled(self) -> Self:
        return self

    def withLoggingEnabled(self, config: Mapping[str, str]) -> Self:
        return self._with_logging(True, changelog_settings(config))

    def withLoggingDisabled(self) -> Self:
        return self._with_logging(False, {})

    def build(self) -> StateStore:
        """Return a new store of the kind that user or configuration chose."""
        return self._logged(self.plain_builder()).build()  # type: ignore[no-any-return]

    def identity(self) -> StoreIdentity | None:
        """Return what the store's bytes mean; None if another package makes the stores."""
        return inner_identity(self.plain_builder())

    def plain_builder(self) -> Any:
        """Return the builder of the store of bytes, without cache and changelog; None: none."""
        return None

    @abstractmethod
    def _with_logging(self, logged: bool, config: dict[str, str]) -> Self:
        """Return a copy with or without a changelog."""

    def _logged(self, builder: Any) -> Any:
        """Give a builder this one's changelog."""
        if self.loggingEnabled():
            return builder.withLoggingEnabled(self.logConfig())
        return builder.withLoggingDisabled()

    def _format(self, otherwise: DslStoreFormat) -> DslStoreFormat:
        """Return what values carry: headers if the application is configured so."""
        configured = str((self.configs or {}).get("dsl.store.format") or "")
        return DslStoreFormat.HEADERS if configured.lower() == "headers" else otherwise

    def _chosen_suppliers(self, chosen: Any) -> Any:
        """Return the suppliers that a user chose, those of the application, or Kafka's default."""
        configs = self.configs or {}
        if chosen is None:
            given = configs.get(_SUPPLIERS_CLASS)
            if given in (None, CONFIG_KEYS[_SUPPLIERS_CLASS].default):
                chosen = _plugin_kind(configs) or StoreType.ROCKS_DB
            else:
                chosen = load_instance(given, _SUPPLIERS_CLASS)
                if not is_dsl_store_suppliers(chosen):
                    raise ConfigException(
                        f"Invalid value {type(chosen).__name__} for configuration "
                        f"{_SUPPLIERS_CLASS}: it does not make all three kinds of stores",
                        hint="Derive the class from DslStoreSuppliers.",
                    )
                # Those that a program gives are its own to configure. Java's interface has a
                # default of the method.
                configure = getattr(chosen, "configure", None)
                if configure is not None:
                    configure(dict(getattr(configs, "originals", configs)))
        if isinstance(chosen, StoreType):
            chosen = chosen.value
        if isinstance(chosen, str):
            return store_kinds().dsl_suppliers(chosen)
        return chosen


def inner_identity(builder: Any) -> StoreIdentity | None:
    """Return what the bytes of a builder's stores mean; None if it does not say."""
    identity = getattr(builder, "identity", None)
    found: StoreIdentity | None = None if identity is None else identity()
    return found


def builder_over(
    supplier: Any, interfaces: Interfaces, key_serde: Any, value_serde: Any
) -> AnyStoreBuilder:
    """Return the builder of stores over what a supplier makes: with headers if it keeps them."""
    interface = interfaces[isinstance(supplier, HeadersBytesStoreSupplier)]
    return store_kinds().builder(interface, supplier, key_serde, value_serde)


def _plugin_kind(configs: Mapping[str, Any]) -> str | None:
    """Return the byte store plugin in ``default.dsl.store``.

    Kafka Streams looks there only in a ``TopologyConfig``, so outside of one its own names choose
    nothing.
    """
    name = configs.get("default.dsl.store")
    return None if name in {kind.value for kind in StoreType} else name
