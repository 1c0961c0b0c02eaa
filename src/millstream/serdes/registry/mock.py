"""Registries in memory, for tests: ``mock://name`` in ``schema.registry.url``."""

from __future__ import annotations

import json
import uuid
import warnings
from threading import Lock
from typing import Any

from confluent_kafka.schema_registry import (
    ConfigCompatibilityLevel,
    RegisteredSchema,
    Schema,
    SchemaRegistryClient,
    ServerConfig,
)
from confluent_kafka.schema_registry._sync.mock_schema_registry_client import (
    MockSchemaRegistryClient as ConfluentMock,
)
from confluent_kafka.schema_registry.error import SchemaRegistryError

from millstream.core.errors import ConfigException
from millstream.serdes.registry.avro_schemas import parsed_schema
from millstream.serdes.registry.avro_text import java_text
from millstream.serdes.registry.connection_settings import MOCK
from millstream.serdes.registry.java_client import JavaSchemaRegistryClient

_CONFLICT = 409
_DEFAULT = "BACKWARD"


class MockSchemaRegistryClient(ConfluentMock, JavaSchemaRegistryClient):
    """A registry in memory: subjects, versions, ids; Avro schemas must be compatible.

    As in a real one, a schema has the same id under every subject. A new Avro schema is refused if
    it cannot read what the newest one has written (``BACKWARD``); ``updateCompatibility`` sets
    another rule. Schemas of other formats are accepted as they are.

    Source: ``io.confluent.kafka.schemaregistry.client.MockSchemaRegistryClient``.
    """

    def __init__(self, conf: Any = None) -> None:
        super().__init__({"url": MOCK, **(conf or {})})
        self._known: dict[Any, tuple[int, str]] = {}
        self._levels: dict[str | None, str] = {}
        self._registering = Lock()

    def register_schema_full_response(
        self, subject_name: str, schema: Schema, normalize_schemas: bool = False
    ) -> RegisteredSchema:
        """Register a schema; return it with id, GUID and version."""
        schema = _typed(schema)
        with self._registering:
            found = self._store.get_registered_schema_by_schema(subject_name, schema)
            if found is None:
                self._refuse_incompatible(subject_name, schema)
                found = self._registered(subject_name, schema)
        return found

    def lookup_schema(
        self, subject_name: str, schema: Schema, *more: Any, **named: Any
    ) -> RegisteredSchema:
        """Return a schema that is registered, with id, GUID and version."""
        return super().lookup_schema(subject_name, _typed(schema), *more, **named)

    def set_config(
        self, subject_name: str | None = None, config: ServerConfig | None = None
    ) -> ServerConfig:
        """Set the compatibility of a subject, or of all without their own."""
        level = getattr(config, "compatibility", None) or getattr(
            config, "compatibility_level", None
        )
        self._levels[subject_name] = str(getattr(level, "value", level or _DEFAULT)).upper()
        return self.get_config(subject_name)

    def get_config(self, subject_name: str | None = None) -> ServerConfig:
        """Return the compatibility of a subject."""
        level = self._levels.get(subject_name) or self._levels.get(None, _DEFAULT)
        return ServerConfig(compatibility_level=ConfigCompatibilityLevel(level))

    def test_compatibility(
        self,
        subject_name: str,
        schema: Schema,
        version: int | str = "latest",
        normalize: bool = False,
        verbose: bool = False,
    ) -> bool:
        """Tell whether a subject accepts a schema."""
        del version, normalize, verbose
        try:
            self._refuse_incompatible(subject_name, _typed(schema))
        except SchemaRegistryError:
            return False
        return True

    def reset(self) -> None:
        """Forget all schemas."""
        self._store.clear()  # type: ignore[no-untyped-call]
        self._known.clear()
        self._levels.clear()

    def __reduce__(self) -> Any:
        raise mock_elsewhere()

    def _registered(self, subject: str, schema: Schema) -> RegisteredSchema:
        latest = self._store.get_latest_version(subject)
        version = 1 if latest is None else int(latest.version or 0) + 1
        schema_id, guid = self._known.setdefault(schema, (len(self._known) + 1, str(uuid.uuid4())))
        # The store gives each entry the next number: the schema's own is set before.
        self._store.max_id = schema_id - 1
        return self._store.set(
            RegisteredSchema(
                schema_id=schema_id, guid=guid, schema=schema, subject=subject, version=version
            )
        )

    def _refuse_incompatible(self, subject: str, schema: Schema) -> None:
        level = self._levels.get(subject) or self._levels.get(None, _DEFAULT)
        older = sorted(self._store.get_versions(subject))
        checked = older if level.endswith("_TRANSITIVE") else older[-1:]
        for version in checked:
            found = self._store.get_version(subject, version)
            if found is None:
                continue
            known = found.schema
            if schema.schema_type != known.schema_type:
                raise _conflict(subject, f"its schemas are {known.schema_type}")
            if reason := incompatibility(schema, known, level, self):
                raise _conflict(subject, reason)


class MockSchemaRegistry:
    """The registries in memory of this process, by the name after ``mock://``.

    Example:
        >>> client = MockSchemaRegistry.getClientForScope("orders-test")
        >>> client.getAllSubjects()
        []
        >>> MockSchemaRegistry.dropScope("orders-test")

    Source: ``io.confluent.kafka.schemaregistry.testutil.MockSchemaRegistry``.
    """

    @staticmethod
    def getClientForScope(scope: str) -> MockSchemaRegistryClient:
        """Return the registry of a name; the same one for the same name."""
        with _lock:
            if scope not in _scopes:
                _scopes[scope] = MockSchemaRegistryClient()
            return _scopes[scope]

    @staticmethod
    def dropScope(scope: str) -> None:
        """Forget the registry of a name; serdes that are configured later get an empty one."""
        from millstream.serdes.registry.connections import forget

        with _lock:
            _scopes.pop(scope, None)
        forget(f"{MOCK}{scope}")

    @staticmethod
    def clear() -> None:
        """Forget all of them."""
        for scope in list(_scopes):
            MockSchemaRegistry.dropScope(scope)


_scopes: dict[str, MockSchemaRegistryClient] = {}
_lock = Lock()


def mock_elsewhere() -> ConfigException:
    """Return the error for a mock registry that other processes would have to share."""
    return ConfigException(
        "a mock registry cannot be used on Spark",
        detail="It is memory of one process, and Spark's workers are others.",
        hint="Use mock:// with TopologyTestDriver; on Spark let schema.registry.url name a real "
        "registry: `millstream broker --registry` starts one.",
    )


def incompatibility(new: Schema, known: Schema, level: str, client: SchemaRegistryClient) -> str:
    """Return why an Avro schema does not fit a known one, or an empty text."""
    if new.schema_type != "AVRO" or level == "NONE":
        return ""
    ways = list[tuple[Schema, Schema]]()
    if level.startswith(("BACKWARD", "FULL")):
        ways.append((new, known))
    if level.startswith(("FORWARD", "FULL")):
        ways.append((known, new))
    found = (unreadable(reader, writer, client) for reader, writer in ways)
    return next(filter(None, found), "")


def unreadable(reader: Schema, writer: Schema, client: SchemaRegistryClient) -> str:
    """Return why data of one Avro schema cannot be read with another, or an empty text.

    Args:
        reader: The schema that reads.
        writer: The schema that has written.
        client: Of the registry that has the schemas to which they refer.
    """
    from avro.compatibility import ReaderWriterCompatibilityChecker, SchemaCompatibilityType

    checker: Any = ReaderWriterCompatibilityChecker()  # type: ignore[no-untyped-call]
    found = checker.get_compatibility(_avro(reader, client), _avro(writer, client))
    if found.compatibility is SchemaCompatibilityType.compatible:
        return ""
    return "; ".join(sorted(found.messages)) or "the schemas do not fit"


def _avro(schema: Schema, client: SchemaRegistryClient) -> Any:
    import avro.schema

    text = parsed_schema(schema, client).text
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return avro.schema.parse(text)


def _typed(schema: Schema) -> Schema:
    """Return a schema in one form: spaces and the order of entries do not count."""
    text, kind = str(schema.schema_str), schema.schema_type or "AVRO"
    if kind in ("AVRO", "JSON"):
        try:
            text = java_text(text) if kind == "AVRO" else _short(text)
        except (ValueError, KeyError, TypeError) as error:
            raise SchemaRegistryError(422, 42201, f"Invalid schema {text}") from error
    return Schema(text, kind, schema.references, schema.metadata, schema.rule_set)


def _short(text: str) -> str:
    return json.dumps(json.loads(text), separators=(",", ":"))


def _conflict(subject: str, reason: str) -> SchemaRegistryError:
    return SchemaRegistryError(
        _CONFLICT,
        _CONFLICT,
        "Schema being registered is incompatible with an earlier schema for subject "
        f'"{subject}", details: {reason}',
    )
