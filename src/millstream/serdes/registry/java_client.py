"""Java's method names for clients of a registry, as tests of ported programs call them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from confluent_kafka.schema_registry import (
    ConfigCompatibilityLevel,
    Schema,
    SchemaRegistryClient,
    ServerConfig,
)

from millstream.core.errors import ClassCastException
from millstream.core.wording import a_kind


@dataclass(frozen=True, slots=True)
class SchemaMetadata:
    """A version of a subject's schema.

    Source: ``io.confluent.kafka.schemaregistry.client.SchemaMetadata``.
    """

    id: int
    version: int
    schema: str
    schema_type: str

    def getId(self) -> int:
        """Return the schema's id."""
        return self.id

    def getVersion(self) -> int:
        """Return the version, from 1."""
        return self.version

    def getSchema(self) -> str:
        """Return the schema's text."""
        return self.schema

    def getSchemaType(self) -> str:
        """Return ``AVRO``, ``JSON`` or ``PROTOBUF``."""
        return self.schema_type


class JavaSchemaRegistryClient(SchemaRegistryClient):
    """A client of confluent-kafka that also has the method names of Java's interface.

    A schema is a text, a class of ``avro_record_class``, or confluent-kafka's ``Schema``.

    Source: ``io.confluent.kafka.schemaregistry.client.SchemaRegistryClient``.
    """

    def register(self, subject: str, schema: Any, normalize: bool = False) -> int:
        """Register a schema under a subject; return its id."""
        return int(self.register_schema(subject, as_schema(schema), normalize))

    def getId(self, subject: str, schema: Any) -> int:
        """Return the id of a schema that is registered."""
        return int(self.lookup_schema(subject, as_schema(schema)).schema_id or 0)

    def getVersion(self, subject: str, schema: Any) -> int:
        """Return the version of a schema that is registered."""
        return int(self.lookup_schema(subject, as_schema(schema)).version or 0)

    def getSchemaById(self, id: int) -> Schema:
        """Return the schema of an id."""
        return self.get_schema(id)

    def getSchemaBySubjectAndId(self, subject: str, id: int) -> Schema:
        """Return the schema of an id."""
        return self.get_schema(id, subject)

    def getLatestSchemaMetadata(self, subject: str) -> SchemaMetadata:
        """Return the newest version of a subject."""
        return _metadata(self.get_latest_version(subject))

    def getSchemaMetadata(self, subject: str, version: int) -> SchemaMetadata:
        """Return a version of a subject."""
        return _metadata(self.get_version(subject, version))

    def getAllSubjects(self) -> list[str]:
        """Return the subjects, sorted."""
        return sorted(self.get_subjects())

    def getAllVersions(self, subject: str) -> list[int]:
        """Return the versions of a subject, ascending."""
        return sorted(self.get_versions(subject))

    def deleteSubject(self, subject: str) -> list[int]:
        """Delete a subject; return its versions."""
        return sorted(self.delete_subject(subject))

    def testCompatibility(self, subject: str, schema: Any) -> bool:
        """Tell whether a subject accepts a schema."""
        return bool(self.test_compatibility(subject, as_schema(schema)))

    def updateCompatibility(self, subject: str | None, compatibility: str) -> str:
        """Set what a subject, or all without their own setting, accept; return it."""
        level = ConfigCompatibilityLevel(compatibility.upper())
        self.set_config(subject, ServerConfig(compatibility=level))
        return compatibility

    def getCompatibility(self, subject: str | None = None) -> str:
        """Return what a subject accepts."""
        found = self.get_config(subject)
        return str(getattr(found.compatibility_level or found.compatibility, "value", ""))


class CachedSchemaRegistryClient(JavaSchemaRegistryClient):
    """A client of a real registry.

    Args:
        urls: The address, several with commas or in a list, or the client's own settings.
        identityMapCapacity: How many schemas it keeps.
        configs: Further entries, as in a serde's configuration.

    Source: ``io.confluent.kafka.schemaregistry.client.CachedSchemaRegistryClient``.
    """

    def __init__(self, urls: Any, identityMapCapacity: int = 1000, configs: Any = None) -> None:
        from millstream.serdes.registry.connections import client_entries
        from millstream.serdes.registry.serde_settings import serde_settings

        listed = urls if isinstance(urls, str) else ",".join(urls)
        entries = {**(configs or {}), "schema.registry.url": listed}
        entries["max.schemas.per.subject"] = identityMapCapacity
        super().__init__(
            client_entries(serde_settings(entries, False, given_client=False).connection)
        )


def as_schema(given: Any) -> Schema:
    """Return what confluent-kafka calls a schema.

    Raises:
        ClassCastException: It is none.
    """
    if isinstance(given, Schema):
        return given
    given = getattr(given, "avro_schema", given)
    text = getattr(given, "text", given)
    if isinstance(text, str):
        return Schema(text, "AVRO")
    raise ClassCastException(
        f"{a_kind(given)} is no schema", hint='Give Schema(text, "AVRO" | "JSON" | "PROTOBUF").'
    )


def _metadata(found: Any) -> SchemaMetadata:
    schema = found.schema
    kind = schema.schema_type or "AVRO"
    return SchemaMetadata(int(found.schema_id), int(found.version), schema.schema_str, kind)
