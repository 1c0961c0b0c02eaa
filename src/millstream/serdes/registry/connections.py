"""Connections to registries: in a process, one client for equal settings."""

from __future__ import annotations

import logging
import os
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock, Timer
from typing import Any, TypeVar

import httpx
from confluent_kafka.schema_registry import RegisteredSchema, Schema, SchemaRegistryClient

from millstream.core.errors import SerializationException
from millstream.serdes.registry.connection_settings import ConnectionSettings
from millstream.serdes.registry.failures import failure
from millstream.serdes.registry.framing import GUID_BYTES, MAGIC_ID, PREFIX, IdKey, shown

T = TypeVar("T")

log = logging.getLogger(__name__)

_SLOW_S = 10.0
"""A batch, or a call of the program, waits for an answer: by default for up to four minutes."""


@dataclass(frozen=True, slots=True)
class SchemaIds:
    """A schema as a registry knows it."""

    id: int
    guid: str | None
    schema: Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """How a serializer finds the id of its schema."""

    auto_register: bool
    use_latest: bool
    use_id: int
    normalize: bool
    strict: bool


class Connection:
    """A registry's client, and the schemas that it was asked for.

    Args:
        client: The client.
        where: The registry's address, for errors.
    """

    def __init__(self, client: SchemaRegistryClient, where: str) -> None:
        self.client = client
        self.where = where
        self._by_id: dict[tuple[IdKey, str | None], Schema] = {}
        self._ids: dict[Any, SchemaIds] = {}

    def schema_by_id(
        self, id_key: IdKey, form: str, role: str, place: str, fmt: str | None
    ) -> Schema:
        """Return the schema that a record names.

        Raises:
            SchemaRegistryException: The registry failed.
            SerializationException: It has no such schema.
        """
        found = self._by_id.get((id_key, fmt))
        if found is None:
            problem = f"Error retrieving {form} {role} schema for id {shown(id_key)}"
            found = self._asked(lambda: self._fetched(id_key, fmt), problem, place)
            self._by_id[id_key, fmt] = found
        return found

    def latest(self, subject: str, problem: str, place: str, fmt: str | None = None) -> SchemaIds:
        """Return the newest schema of a subject.

        Raises:
            SchemaRegistryException: The registry failed.
            SerializationException: It has no such subject.
        """
        return self._asked(
            lambda: _known(self.client.get_latest_version(subject, fmt)), problem, place
        )

    def ids(
        self, subject: str, schema: Schema, writing: Writing, form: str, place: str
    ) -> SchemaIds:
        """Return the id of a serializer's schema; registers it if the entries say so.

        Raises:
            SchemaRegistryException: The registry failed.
            SerializationException: It does not accept the schema, or has none.
        """
        what, ask = self._question(subject, schema, writing, form)
        key = (subject, schema, writing)
        found = None if writing.use_latest else self._ids.get(key)
        if found is None:
            found = self._asked(ask, what, place)
            self._ids[key] = found
        return found

    def version(self, subject: str, schema: Schema, writing: Writing, form: str, place: str) -> int:
        """Return the version of a schema that others refer to; registers it as ``ids`` does.

        Raises:
            SchemaRegistryException: The registry failed.
            SerializationException: It does not accept the schema, or has none.
        """
        client, normalize = self.client, writing.normalize

        def ask() -> int:
            if writing.auto_register:
                client.register_schema(subject, schema, normalize)
            return int(client.lookup_schema(subject, schema, normalize).version or 0)

        return self._asked(ask, f"Error registering {form} schema: {subject}", place)

    def _question(
        self, subject: str, schema: Schema, writing: Writing, form: str
    ) -> tuple[str, Callable[[], SchemaIds]]:
        client, normalize = self.client, writing.normalize
        if writing.auto_register:
            return f"Error registering {form} schema: {schema.schema_str}", lambda: _known(
                client.register_schema_full_response(subject, schema, normalize), schema
            )
        if writing.use_id >= 0:
            return "Error retrieving schema ID", lambda: SchemaIds(
                writing.use_id, None, client.get_schema(writing.use_id, subject)
            )
        if writing.use_latest:
            return f"Error retrieving latest version of {form} schema", lambda: _known(
                client.get_latest_version(subject)
            )
        return f"Error retrieving {form} schema: {schema.schema_str}", lambda: _known(
            client.lookup_schema(subject, schema, normalize), schema
        )

    def _fetched(self, id_key: IdKey, fmt: str | None) -> Schema:
        if id_key[0] == MAGIC_ID:
            schema_id = PREFIX.unpack_from(id_key)[1]
            found = self.client.get_schema(schema_id, fmt=fmt)
        else:
            guid = str(uuid.UUID(bytes=id_key[1:GUID_BYTES]))
            found = self.client.get_schema_by_guid(guid, fmt)
        if not found.schema_str:
            raise ValueError("the answer has no schema")
        return found

    def _asked(self, ask: Callable[[], T], problem: str, place: str) -> T:
        try:
            with _told_if_slow(self.where, place):
                return ask()
        except Exception as error:
            raise failure(error, problem, f"the registry is {self.where}, {place}") from error


@contextmanager
def _told_if_slow(where: str, place: str) -> Iterator[None]:
    """Log a warning if the registry has not answered after a while."""
    said = (
        "no answer of the schema registry for %d s registry=%s %s: it is asked up to "
        "1 + max.retries times for http.read.timeout.ms each"
    )
    timer = Timer(_SLOW_S, log.warning, (said, _SLOW_S, where, place))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def without_rules(schema: Schema, place: str) -> Schema:
    """Return a schema that has no rules.

    Raises:
        SerializationException: It has some; without them the bytes would mean something else.
    """
    rules = schema.rule_set
    if rules is not None and any((rules.domain_rules, rules.migration_rules, rules.encoding_rules)):
        raise SerializationException(
            "cannot use a schema with rules",
            detail=f"Rules of schemas (encryption, conditions, migrations) are not run; {place}.",
            hint="Remove the rules, or read the topic as bytes and use the registry's own client.",
        )
    return schema


def _known(found: RegisteredSchema, schema: Schema | None = None) -> SchemaIds:
    if found.schema_id is None and found.guid is None:
        raise ValueError("the answer has no id")
    named = found.schema if found.schema is not None and found.schema.schema_str else schema
    return SchemaIds(int(found.schema_id or 0), found.guid, named or found.schema)


_connections: dict[ConnectionSettings, Connection] = {}
_lock = Lock()


def connection(settings: ConnectionSettings) -> Connection:
    """Return this process's connection with some settings; made at its first use."""
    found = _connections.get(settings)
    if found is None:
        with _lock:
            found = _connections.get(settings)
            if found is None:
                found = _connections[settings] = Connection(_client(settings), settings.shown_url)
    return found


def forget(url: str) -> None:
    """Drop the connections to a registry."""
    with _lock:
        for settings in [each for each in _connections if each.url == url]:
            del _connections[settings]


def client_entries(settings: ConnectionSettings) -> dict[str, Any]:
    """Return a client's settings as confluent-kafka takes them."""
    conf = {"url": settings.url, **dict(settings.entries)}
    conf["timeout"] = httpx.Timeout(conf["timeout"], connect=conf.pop("connect.timeout"))
    return conf


def _client(settings: ConnectionSettings) -> SchemaRegistryClient:
    if settings.scope is not None:
        from millstream.serdes.registry.mock import MockSchemaRegistry

        return MockSchemaRegistry.getClientForScope(settings.scope)
    return SchemaRegistryClient(client_entries(settings))


def _start_anew() -> None:
    global _lock
    _lock = Lock()
    for settings in [each for each in _connections if each.scope is None]:
        del _connections[settings]


# A forked process must not share sockets with the process that it came from.
os.register_at_fork(after_in_child=_start_anew)
