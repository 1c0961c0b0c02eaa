"""Settings of one serializer or deserializer with a schema registry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from millstream.serdes.registry.connection_settings import (
    MOCK,
    ConnectionSettings,
    connection_settings,
)
from millstream.serdes.registry.connections import Writing
from millstream.serdes.registry.framing import KEY_HEADER, VALUE_HEADER, writes_header
from millstream.serdes.registry.keys import URL, parsed
from millstream.serdes.registry.subjects import SubjectOf, strategy


@dataclass(frozen=True, slots=True, kw_only=True)
class SerdeSettings:
    """What ``configure`` found; travels to workers."""

    connection: ConnectionSettings
    is_key: bool
    writing: Writing
    subject_of: SubjectOf
    values: Mapping[str, Any]
    """The parsed entries."""
    in_header: bool
    """Whether a serializer writes the schema's GUID into a header."""

    @property
    def role(self) -> str:
        """``key`` or ``value``."""
        return "key" if self.is_key else "value"

    @property
    def header(self) -> str:
        """The header of the schema's GUID."""
        return KEY_HEADER if self.is_key else VALUE_HEADER

    @property
    def latest_ttl_s(self) -> float | None:
        """How long the newest version is used without asking; None for always."""
        ttl: int = self.values["latest.cache.ttl.sec"]
        return ttl if self.writing.use_latest and ttl >= 0 else None

    def of_role(self, name: str) -> Any:
        """Return an entry of keys or values, such as ``json.{role}.type``."""
        return self.values[name.format(role=self.role)]


def serde_settings(
    configs: Mapping[str, Any], is_key: bool, *, given_client: bool
) -> SerdeSettings:
    """Return the settings that entries ask for.

    Args:
        configs: The entries.
        is_key: Whether it is for keys.
        given_client: Whether the serde was made with a client and needs no address.

    Raises:
        ConfigException: An entry is missing or wrong.
    """
    if given_client and not configs.get(URL):
        configs = {**configs, URL: f"{MOCK}given"}
    values = parsed(configs)
    role = "key" if is_key else "value"
    strategy_key, id_key = f"{role}.subject.name.strategy", f"{role}.schema.id.serializer"
    auto = values["auto.register.schemas"]
    return SerdeSettings(
        connection=connection_settings(values, configs),
        is_key=is_key,
        writing=Writing(
            auto_register=auto,
            use_latest=values["use.latest.version"] and not auto and values["use.schema.id"] < 0,
            use_id=-1 if auto else values["use.schema.id"],
            normalize=values["normalize.schemas"],
            strict=values["latest.compatibility.strict"],
        ),
        subject_of=strategy(values[strategy_key], strategy_key),
        values=values,
        in_header=writes_header(values[id_key], id_key),
    )
