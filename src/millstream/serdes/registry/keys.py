"""Configuration entries of serdes with a schema registry: types, defaults, and what is refused."""

from __future__ import annotations

import difflib
import logging
from collections.abc import Mapping
from typing import Any

from millstream.core.config.definition import ConfigKey, ValueKind, at_least
from millstream.core.errors import ConfigException

log = logging.getLogger(__name__)

URL = "schema.registry.url"
BOOL, INT, TEXT, CLASS = ValueKind.BOOLEAN, ValueKind.INT, ValueKind.STRING, ValueKind.CLASS


def _key(name: str, kind: ValueKind, default: Any = None, **more: Any) -> ConfigKey:
    return ConfigKey(name=name, kind=kind, default=default, **more)


_NOT_NEGATIVE = at_least(0)

KEYS: dict[str, ConfigKey] = {
    key.name: key
    for key in (
        _key(URL, ValueKind.LIST),
        _key("auto.register.schemas", BOOL, True),
        _key("normalize.schemas", BOOL, False),
        _key("use.latest.version", BOOL, False),
        _key("latest.compatibility.strict", BOOL, True),
        _key("latest.cache.ttl.sec", INT, -1),
        _key("max.schemas.per.subject", INT, 1000, check=at_least(1)),
        _key("use.schema.id", INT, -1),
        _key("max.retries", INT, 3, check=_NOT_NEGATIVE),
        _key("retries.wait.ms", INT, 1000, check=_NOT_NEGATIVE),
        _key("retries.max.wait.ms", INT, 20_000, check=_NOT_NEGATIVE),
        _key("http.connect.timeout.ms", INT, 60_000, check=at_least(1)),
        _key("http.read.timeout.ms", INT, 60_000, check=at_least(1)),
        _key("proxy.host", TEXT, ""),
        _key("proxy.port", INT, -1),
        _key("basic.auth.credentials.source", TEXT, "URL"),
        _key("basic.auth.user.info", TEXT, ""),
        _key("bearer.auth.credentials.source", TEXT),
        _key("bearer.auth.token", TEXT, ""),
        _key("bearer.auth.issuer.endpoint.url", TEXT),
        _key("bearer.auth.client.id", TEXT),
        _key("bearer.auth.client.secret", TEXT),
        _key("bearer.auth.scope", TEXT),
        _key("bearer.auth.logical.cluster", TEXT),
        _key("bearer.auth.identity.pool.id", TEXT),
        _key("key.subject.name.strategy", CLASS),
        _key("value.subject.name.strategy", CLASS),
        _key("key.schema.id.serializer", CLASS),
        _key("value.schema.id.serializer", CLASS),
        _key("specific.avro.reader", BOOL, False),
        _key("specific.avro.key.type", CLASS),
        _key("specific.avro.value.type", CLASS),
        _key("json.fail.invalid.schema", BOOL, False),
        _key("json.fail.unknown.properties", BOOL, True),
        _key("json.key.type", CLASS),
        _key("json.value.type", CLASS),
        _key("specific.protobuf.key.type", CLASS),
        _key("specific.protobuf.value.type", CLASS),
        _key("skip.known.types", BOOL, True),
    )
}
"""Entries that have a meaning here, as in Kafka's serializers."""

TLS = "schema.registry.ssl."
CLIENT_FAMILIES = ("basic.auth.", "bearer.auth.")
"""Entries of the client, which may also be written with ``schema.registry.`` before them."""
FAMILIES = ("avro.", "json.", "schema.registry.", "specific.avro.", "specific.protobuf.")

_UNSUPPORTED: dict[str, tuple[Any, str]] = {
    "context.name.strategy": (None, "Write the context into the subject's name."),
    "execution.environment": (None, "Rules of schemas are not run."),
    "id.compatibility.strict": (True, "Give schemas of one line of compatibility."),
    "json.indent.output": (False, "Indent where people read it."),
    "json.write.dates.iso8601": (True, "Dates are always written as ISO 8601."),
    "json.default.property.inclusion": (None, "Leave out what must not be written."),
    "json.schema.spec.version": ("draft_7", "Give the schema as a text."),
    "json.validate.before.domain.rules": (False, "Rules of schemas are not run."),
    "propagate.schema.tags": (False, "Register the schema with its tags."),
    "reference.subject.name.strategy": (None, "References have the subject of their name."),
    "rule.actions": ("", "Rules of schemas are not run."),
    "rule.executors": ("", "Rules of schemas are not run."),
    "schema.format": (None, "Schemas are asked for in the form that the client needs."),
    "schema.reflection": (False, "Use ReflectionAvroSerde."),
    "type.property": ("javaType", "Name the type in json.value.type."),
    "use.latest.with.metadata": (None, "Use use.latest.version."),
    "use.schema.guid": (None, "Use use.schema.id."),
    "validation.rules.execution": ("DISABLED", "Rules of schemas are not run."),
    "derive.type": (False, "Name the class in specific.protobuf.value.type."),
}
"""Entries that Kafka's serializers have besides, with the only value that is accepted."""

_SCHEMA_IDS = "an id is read from the header if it has one, else from the bytes"
_WITHOUT_EFFECT: dict[str, str] = {
    "avro.use.logical.type.converters": "values of logical types are always converted",
    "avro.fail.on.trailing.data": "bytes behind the value are always an error",
    "avro.remove.java.properties": "schemas made here have no properties of Java",
    "avro.reflection.allow.null": "a field may be null if its annotation says so",
    "json.oneof.for.nullables": "schemas of classes are made from their annotations",
    "key.schema.id.deserializer": _SCHEMA_IDS,
    "value.schema.id.deserializer": _SCHEMA_IDS,
}
"""Entries of Kafka's serializers that are taken with a warning."""

_HARMLESS = frozenset(
    {
        "latest.cache.size",
        "rule.service.loader.enable",
        "rule.metrics.enable",
        "url.randomize",
        "schema.registry.url.randomize",
        "json.envelope.detection",
        "json.schema.scan.packages",
        "json.type.allowed.packages",
        "use.apache.http.client",
        "missing.cache.size",
        "validation.rules.fail.fast",
        "bearer.auth.cache.expiry.buffer.seconds",
        "bearer.auth.scope.claim.name",
        "bearer.auth.sub.claim.name",
    }
)
"""Entries that do not change which bytes are written or which registry is asked."""


def parsed(configs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the value of each known entry, or its default.

    Raises:
        ConfigException: A value is wrong; or an entry asks for what is not supported.
    """
    given = {_plain(name): value for name, value in configs.items() if isinstance(name, str)}
    _refuse_unsupported(given)
    _look_for_slips(given)
    return {name: key.value_in(given) for name, key in KEYS.items()}


def _plain(name: str) -> str:
    short = name.removeprefix("schema.registry.")
    return short if short.startswith(CLIENT_FAMILIES) else name


def _refuse_unsupported(given: Mapping[str, Any]) -> None:
    for name, (accepted, hint) in _UNSUPPORTED.items():
        value = given.get(name)
        if value is None or value in ("", []) or _same(value, accepted):
            continue
        raise ConfigException(
            f"Invalid value {value} for configuration {name}: it is not supported here", hint=hint
        )
    for name in given:
        if name.startswith("request.header."):
            raise ConfigException(
                f"Configuration {name} is not supported here",
                detail="The registry's client sends its own headers only.",
                hint="Use basic.auth.* or bearer.auth.* for credentials.",
            )


def _same(value: Any, accepted: Any) -> bool:
    return str(value).strip().lower() == str(accepted).lower()


def _look_for_slips(given: Mapping[str, Any]) -> None:
    """Refuse unknown entries about credentials, and warn of others that look like known ones."""
    known = KEYS.keys() | _UNSUPPORTED.keys() | _HARMLESS
    for name in given:
        if name in _WITHOUT_EFFECT:
            log.warning('configuration key "%s" has no effect: %s', name, _WITHOUT_EFFECT[name])
            continue
        if name in known or name.startswith(TLS):
            continue
        close = difflib.get_close_matches(name, KEYS, n=1)
        hint = f'Did you mean "{close[0]}"?' if close else "See docs/schema-registry.md."
        if name.startswith(CLIENT_FAMILIES):
            raise ConfigException(f"Unknown configuration '{name}'", hint=hint)
        near = difflib.get_close_matches(name, KEYS, n=1, cutoff=0.9)
        if name.startswith(FAMILIES) or near:
            log.warning('configuration key "%s" has no effect: %s', name, hint)
