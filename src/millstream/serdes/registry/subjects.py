"""Names of subjects: under which a registry keeps the schemas of a topic's keys or values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from millstream.core.errors import ConfigException, SerializationException
from millstream.core.wording import a_kind

SubjectOf = Callable[[str, bool, "SubjectSchema"], str]


@dataclass(frozen=True, slots=True)
class SubjectSchema:
    """What a strategy is told about a schema.

    Source: ``io.confluent.kafka.schemaregistry.ParsedSchema``.
    """

    type: str
    """``AVRO``, ``JSON`` or ``PROTOBUF``."""
    text: str
    full_name: str | None
    """Of a record, a message, or the title of a JSON schema; None for others."""

    def name(self) -> str | None:
        """Return the full name; None for a schema that has none."""
        return self.full_name

    def schemaType(self) -> str:
        """Return the format."""
        return self.type

    def canonicalString(self) -> str:
        """Return the text."""
        return self.text


class SubjectNameStrategy:
    """Base of strategies; a subclass writes ``subjectName``.

    Source: ``io.confluent.kafka.serializers.subject.strategy.SubjectNameStrategy``.
    """

    def subjectName(self, topic: str, isKey: bool, schema: SubjectSchema) -> str:
        """Return the subject of a topic's keys or values with a schema."""
        raise NotImplementedError


class TopicNameStrategy(SubjectNameStrategy):
    """``<topic>-key`` or ``<topic>-value``, whatever the schema; the default."""

    def subjectName(self, topic: str, isKey: bool, schema: SubjectSchema) -> str:
        """Return the topic's name with ``-key`` or ``-value``."""
        return f"{topic}-key" if isKey else f"{topic}-value"


class RecordNameStrategy(SubjectNameStrategy):
    """The record's full name: one line of schemas in all topics."""

    def subjectName(self, topic: str, isKey: bool, schema: SubjectSchema) -> str:
        """Return the record's full name.

        Raises:
            SerializationException: The schema is not one of a record.
        """
        if schema.full_name is None:
            role = "key" if isKey else "value"
            raise SerializationException(
                f"In configuration {role}.subject.name.strategy = {type(self).__name__}, the "
                f"message {role} must only be a record schema",
                detail=f'The schema is {schema.text}, the topic "{topic}".',
            )
        return schema.full_name


class TopicRecordNameStrategy(RecordNameStrategy):
    """``<topic>-<record's full name>``: several record types in one topic."""

    def subjectName(self, topic: str, isKey: bool, schema: SubjectSchema) -> str:
        """Return the topic's and the record's name.

        Raises:
            SerializationException: The schema is not one of a record.
        """
        return f"{topic}-{super().subjectName(topic, isKey, schema)}"


def strategy(given: Any, key: str) -> SubjectOf:
    """Return the function of a strategy that an entry names: a class, an object, a function.

    Raises:
        ConfigException: It is none of these.
    """
    found = TopicNameStrategy() if given is None else given
    if isinstance(found, type):
        found = found()
    method = getattr(found, "subjectName", None)
    asked = method if callable(method) else found
    if callable(asked):
        return partial(_named, asked, key)
    raise ConfigException(
        f"Invalid value {given} for configuration {key}: it is no strategy",
        hint="Give TopicNameStrategy, RecordNameStrategy, TopicRecordNameStrategy, or a function "
        "(topic, isKey, schema) -> subject.",
    )


def _named(
    asked: Callable[..., Any], key: str, topic: str, isKey: bool, schema: SubjectSchema
) -> str:
    subject = asked(topic, isKey, schema)
    if isinstance(subject, str) and subject:
        return subject
    raise ConfigException(
        f"the strategy of {key} must return a subject's name, not {a_kind(subject)}",
        detail=f'It was asked for the topic "{topic}".',
        hint="Return a text that is not empty, such as the topic's name with -value.",
    )
