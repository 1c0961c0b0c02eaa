"""Base of serializers and deserializers with a schema registry: settings, framing, caches."""

from __future__ import annotations

import struct
import time
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

from confluent_kafka.schema_registry import Schema, SchemaRegistryClient

from millstream.core.errors import (
    InvalidConfigurationException,
    NullPointerException,
    SerializationException,
)
from millstream.core.headers import Headers
from millstream.core.serdes import Deserializer, Serializer
from millstream.core.serdes.base import headers_and_data
from millstream.serdes.registry.connections import (
    Connection,
    connection,
    without_rules,
)
from millstream.serdes.registry.framing import (
    PREFIX,
    IdKey,
    guid_header,
    id_prefix,
    set_header,
    split,
)
from millstream.serdes.registry.serde_settings import SerdeSettings, serde_settings
from millstream.serdes.registry.subjects import SubjectSchema

T = TypeVar("T")
Encode = Callable[[Any], bytes]
Decode = Callable[[bytes, int], Any]
DecodeMany = Callable[[Sequence[bytes | None], int], list[Any] | None]


@dataclass(frozen=True, slots=True)
class SchemaWriter:
    """How values of one kind are written to one topic."""

    prefix: bytes
    """What comes before the payload; empty if the header has it."""
    header: bytes | None
    encode: Encode
    """Quick; may refuse what ``convert`` takes."""
    convert: Encode


@dataclass(frozen=True, slots=True)
class SchemaReader:
    """How data of one schema become objects."""

    decode: Decode
    """From bytes, and where the payload begins."""
    decode_many: DecodeMany | None = None
    """Reads many together, if the format can; its result is None where it can't read these."""


MOST_KNOWN = 4096
"""Readers that a deserializer keeps, by topic and by what names a schema."""


@dataclass(slots=True)
class _Live:
    """What a process has learnt; never pickled."""

    connection: Connection
    known: dict[Any, Any] = field(default_factory=dict)
    until_s: float | None = None


class RegistryHalf:
    """What serializers and deserializers have in common.

    Args:
        client: The registry's client, for tests; None: the one that the configuration names.
    """

    FORMAT: ClassVar[str]
    """The format in messages."""
    SCHEMA_TYPE: ClassVar[str]
    """The format in the registry."""
    FETCHED_AS: ClassVar[str | None] = None
    """The form of the schema that the registry is asked for."""

    def __init__(self, client: SchemaRegistryClient | None = None) -> None:
        self._client = client
        self._settings: SerdeSettings | None = None
        self._live: _Live | None = None

    def configure(self, configs: Mapping[str, Any], isKey: bool) -> None:
        """Take the registry's address and the rest from the configuration.

        Raises:
            ConfigException: The address is missing, or an entry is wrong.
        """
        if configs is None:
            raise NullPointerException("configs cannot be null")
        given = self._client is not None
        self._settings = serde_settings(configs, isKey, given_client=given)
        self._live = None

    def close(self) -> None:
        """Forget what was learnt; the client stays for the process's other serdes."""
        self._live = None

    def _known(self) -> dict[Any, Any]:
        live = self._live
        if live is None or (live.until_s is not None and time.monotonic() >= live.until_s):
            live = self._live = self._connected()
        return live.known

    def _connected(self) -> _Live:
        settings = self._configured()
        client = self._client
        made = connection(settings.connection) if client is None else Connection(client, "given")
        ttl_s = settings.latest_ttl_s
        return _Live(made, until_s=None if ttl_s is None else time.monotonic() + ttl_s)

    def _connection(self) -> Connection:
        self._known()
        assert self._live is not None
        return self._live.connection

    def _configured(self) -> SerdeSettings:
        if self._settings is None:
            raise InvalidConfigurationException(
                "SchemaRegistryClient not found. You need to configure the "
                f"{'serializer' if isinstance(self, Serializer) else 'deserializer'} or use "
                "serializer constructor with SchemaRegistryClient.",
                hint='Call configure({"schema.registry.url": url}, isKey), or name its class in '
                "default.key.serde or default.value.serde.",
            )
        return self._settings

    def __getstate__(self) -> dict[str, Any]:
        settings = self._settings
        if self._client is not None or (settings is not None and settings.connection.scope):
            from millstream.serdes.registry.mock import mock_elsewhere

            raise mock_elsewhere()
        return {**self.__dict__, "_live": None}

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class RegistrySerializer(RegistryHalf, Serializer[T]):
    """Base of serializers with a schema registry."""

    varied: ClassVar[frozenset[type]] = frozenset()
    """Classes of which two objects may have two schemas."""

    @abstractmethod
    def kind_of(self, value: Any) -> Any:
        """Return what says which schema a value has, as a key of a dict."""

    @abstractmethod
    def schema_of(self, value: Any, topic: str) -> tuple[Schema | None, str | None]:
        """Return a value's schema and its record's name; no schema: the newest in the registry."""

    @abstractmethod
    def encoders(self, schema: Schema, value: Any, topic: str) -> tuple[Encode, Encode]:
        """Return two functions from values to payloads: a quick one, and one for what it refuses.

        The first may raise anything, the second says what is wrong.
        """

    def serialize(self, topic: str, /, *arguments: Any) -> bytes | None:
        """Write ``(topic, data)`` or ``(topic, headers, data)``.

        Raises:
            SchemaRegistryException: The registry failed.
            SerializationException: The registry refuses the schema, or the value does not fit it.
        """
        headers, data = headers_and_data(arguments)
        if data is None:
            self._configured()
            return None
        writer = self._writer(topic, data)
        if writer.header is not None:
            if headers is None:
                raise SerializationException("Missing headers", detail=f'The topic is "{topic}".')
            set_header(headers, self._configured().header, writer.header)
        return writer.prefix + self._encoded(writer, topic, data)

    def needs_headers(self) -> bool:
        """Return whether the schema's id goes into a header."""
        return self._settings is not None and self._settings.in_header

    def serialize_column(self, topic: str, values: Sequence[T | None]) -> list[bytes | None]:
        """Serialize many values."""
        out: list[bytes | None] = []
        last, writer = None, None
        for value in values:
            if value is None:
                out.append(None)
                continue
            kind = type(value)
            if writer is None or kind is not last or kind in self.varied:
                last, writer = kind, self._writer(topic, value)
            try:
                out.append(writer.prefix + writer.encode(value))
            except Exception:  # noqa: BLE001 - the slow way converts it, or says what is wrong
                out.append(writer.prefix + self._encoded(writer, topic, value))
        return out

    def _encoded(self, writer: SchemaWriter, topic: str, data: Any) -> bytes:
        with suppress(Exception):  # the slow way converts it, or says what is wrong
            return writer.encode(data)
        try:
            return writer.convert(data)
        except Exception as error:
            raise SerializationException(
                f"Error serializing {self.FORMAT} message",
                error,
                detail=f'The topic is "{topic}"; {type(error).__name__}: {error}',
            ) from error

    def _writer(self, topic: str, value: Any) -> SchemaWriter:
        known = self._known()
        key = (topic, self.kind_of(value))
        found: SchemaWriter | None = known.get(key)
        if found is None:
            found = known[key] = self._new_writer(topic, value)
        return found

    def _new_writer(self, topic: str, value: Any) -> SchemaWriter:
        settings = self._configured()
        schema, name = self.schema_of(value, topic)
        told = SubjectSchema(self.SCHEMA_TYPE, str(schema.schema_str) if schema else "", name)
        subject = settings.subject_of(topic, settings.is_key, told)
        place = f'the subject "{subject}", the topic "{topic}"'
        asked = schema or Schema("", self.SCHEMA_TYPE)
        ids = self._connection().ids(subject, asked, settings.writing, self.FORMAT, place)
        chosen = settings.writing.use_latest or settings.writing.use_id >= 0
        written = without_rules(ids.schema if chosen or schema is None else schema, place)
        if chosen and schema is not None and settings.writing.strict:
            self.check_readable(written, schema, place)
        encode, convert = self.encoders(written, value, topic)
        if not settings.in_header:
            return SchemaWriter(id_prefix(ids.id) + self.after_id(value), None, encode, convert)
        if ids.guid is None:
            raise SerializationException(
                "Schema GUID is null",
                detail=f"The registry gives schemas no GUID; {place}.",
                hint="Use PrefixSchemaIdSerializer, the default.",
            )
        return SchemaWriter(b"", guid_header(ids.guid) + self.after_id(value), encode, convert)

    def after_id(self, value: Any) -> bytes:
        """Return what a format adds to the id."""
        del value
        return b""

    def check_readable(self, latest: Schema, own: Schema, place: str) -> None:
        """Refuse the registry's schema if it cannot read what the value's own would write."""


class RegistryDeserializer(RegistryHalf, Deserializer[T]):
    """Base of deserializers with a schema registry."""

    @abstractmethod
    def schema_reader(self, written: Schema, id_key: IdKey, topic: str) -> SchemaReader:
        """Return how data of a schema become objects."""

    def deserialize(self, topic: str, /, *arguments: Any) -> T | None:
        """Read ``(topic, data)`` or ``(topic, headers, data)``.

        Raises:
            SchemaRegistryException: The registry failed.
            SerializationException: The bytes do not begin with a schema's id, the registry does
                not know it, or the payload does not fit it.
        """
        headers, data = headers_and_data(arguments)
        if data is None:
            self._configured()
            return None
        return self._read(topic, headers, data)

    def needs_headers(self) -> bool:
        """Return whether the schema's id comes in a header only."""
        return self._settings is not None and self._settings.in_header

    def heeds_headers(self) -> bool:
        """Return True: a header may have the schema's id."""
        return True

    def deserialize_column(self, topic: str, values: Sequence[bytes | None]) -> list[T | None]:
        """Deserialize many values; the registry is asked once for each schema."""
        found = self._read_together(topic, values)
        if found is not None:
            return found
        known, start = self._known(), PREFIX.size
        out: list[T | None] = []
        for data in values:
            if data is None:
                out.append(None)
                continue
            reader = known.get((topic, data[:start]))
            if reader is None:
                out.append(self._read(topic, None, data))
            else:
                out.append(reader.decode(data, start))
        return out

    def _read_together(self, topic: str, values: Sequence[bytes | None]) -> list[T | None] | None:
        """Return the objects if all data are of one known schema, and the format can do it."""
        known, start = self._known(), PREFIX.size
        first = next((data[:start] for data in values if data is not None), None)
        reader = known.get((topic, first))
        if first is None or reader is None or reader.decode_many is None:
            return None
        if any(data is not None and data[:start] != first for data in values):
            return None
        found: list[T | None] | None = reader.decode_many(values, start)
        return found

    def _read(self, topic: str, headers: Headers | None, data: bytes) -> T:
        id_key, payload = split(data, headers, self._configured().header)
        known = self._known()
        reader = known.get((topic, id_key))
        if reader is None:
            if len(known) >= MOST_KNOWN:
                # A header may go on behind the schema's id, so that records decide how many.
                known.clear()
            reader = known[topic, id_key] = self._new_reader(topic, id_key)
        try:
            value: T = reader.decode(data, len(data) - len(payload))
            return value
        except Exception as error:
            settings = self._configured()
            ends = isinstance(error, IndexError | struct.error)
            reason = "the bytes end too early" if ends else f"{type(error).__name__}: {error}"
            raise SerializationException(
                f"Error deserializing {self.FORMAT} message for id {self.shown_id(id_key)}",
                error,
                detail=f'The {settings.role} is of the topic "{topic}"; {reason}',
            ) from error

    def shown_id(self, id_key: IdKey) -> str:
        """Return a schema's id or GUID as text."""
        from millstream.serdes.registry.framing import shown

        return shown(id_key)

    def _new_reader(self, topic: str, id_key: IdKey) -> SchemaReader:
        role = self._configured().role
        place = f'the topic "{topic}"'
        schema = self._connection().schema_by_id(id_key, self.FORMAT, role, place, self.FETCHED_AS)
        return self.schema_reader(without_rules(schema, place), id_key, topic)

    def latest_of(self, topic: str, name: str | None, text: str) -> Schema | None:
        """Return the newest schema of the topic's subject, if the configuration asks for it."""
        settings = self._configured()
        if not settings.values["use.latest.version"]:
            return None
        told = SubjectSchema(self.SCHEMA_TYPE, text, name)
        subject = settings.subject_of(topic, settings.is_key, told)
        problem = f"Error retrieving latest version of {self.FORMAT} schema"
        place = f'the subject "{subject}", the topic "{topic}"'
        found = self._connection().latest(subject, problem, place, self.FETCHED_AS)
        return without_rules(found.schema, place)
