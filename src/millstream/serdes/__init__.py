"""Serdes of schema formats: Avro, JSON and Protobuf, alone and with a schema registry.

``millstream`` has all of their names, too. They are imported at their first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from millstream.core.later_names import LATER

if TYPE_CHECKING:
    from millstream.core.errors import AuthenticationException as AuthenticationException
    from millstream.core.errors import AuthorizationException as AuthorizationException
    from millstream.core.errors import (
        InvalidConfigurationException as InvalidConfigurationException,
    )
    from millstream.core.errors import (
        SchemaRegistryAuthenticationException as SchemaRegistryAuthenticationException,
    )
    from millstream.core.errors import (
        SchemaRegistryAuthorizationException as SchemaRegistryAuthorizationException,
    )
    from millstream.core.errors import SchemaRegistryException as SchemaRegistryException
    from millstream.core.errors import (
        SchemaRegistryUnavailableException as SchemaRegistryUnavailableException,
    )
    from millstream.serdes.avro import AvroDeserializer as AvroDeserializer
    from millstream.serdes.avro import AvroRecord as AvroRecord
    from millstream.serdes.avro import AvroSerde as AvroSerde
    from millstream.serdes.avro import AvroSerializer as AvroSerializer
    from millstream.serdes.avro import avro_record_class as avro_record_class
    from millstream.serdes.protobuf import ProtobufDeserializer as ProtobufDeserializer
    from millstream.serdes.protobuf import ProtobufSerde as ProtobufSerde
    from millstream.serdes.protobuf import ProtobufSerializer as ProtobufSerializer
    from millstream.serdes.registry.avro_halves import (
        GenericAvroDeserializer as GenericAvroDeserializer,
    )
    from millstream.serdes.registry.avro_halves import (
        GenericAvroSerializer as GenericAvroSerializer,
    )
    from millstream.serdes.registry.avro_halves import (
        KafkaAvroDeserializer as KafkaAvroDeserializer,
    )
    from millstream.serdes.registry.avro_halves import KafkaAvroSerializer as KafkaAvroSerializer
    from millstream.serdes.registry.avro_halves import (
        SpecificAvroDeserializer as SpecificAvroDeserializer,
    )
    from millstream.serdes.registry.avro_halves import (
        SpecificAvroSerializer as SpecificAvroSerializer,
    )
    from millstream.serdes.registry.avro_serdes import GenericAvroSerde as GenericAvroSerde
    from millstream.serdes.registry.avro_serdes import PrimitiveAvroSerde as PrimitiveAvroSerde
    from millstream.serdes.registry.avro_serdes import ReflectionAvroSerde as ReflectionAvroSerde
    from millstream.serdes.registry.avro_serdes import SpecificAvroSerde as SpecificAvroSerde
    from millstream.serdes.registry.config_names import (
        AbstractKafkaSchemaSerDeConfig as AbstractKafkaSchemaSerDeConfig,
    )
    from millstream.serdes.registry.config_names import (
        KafkaAvroDeserializerConfig as KafkaAvroDeserializerConfig,
    )
    from millstream.serdes.registry.config_names import (
        KafkaAvroSerializerConfig as KafkaAvroSerializerConfig,
    )
    from millstream.serdes.registry.config_names import (
        KafkaJsonSchemaDeserializerConfig as KafkaJsonSchemaDeserializerConfig,
    )
    from millstream.serdes.registry.config_names import (
        KafkaJsonSchemaSerializerConfig as KafkaJsonSchemaSerializerConfig,
    )
    from millstream.serdes.registry.config_names import (
        KafkaProtobufDeserializerConfig as KafkaProtobufDeserializerConfig,
    )
    from millstream.serdes.registry.config_names import (
        KafkaProtobufSerializerConfig as KafkaProtobufSerializerConfig,
    )
    from millstream.serdes.registry.framing import (
        HeaderSchemaIdSerializer as HeaderSchemaIdSerializer,
    )
    from millstream.serdes.registry.framing import (
        PrefixSchemaIdSerializer as PrefixSchemaIdSerializer,
    )
    from millstream.serdes.registry.generic_record import GenericRecord as GenericRecord
    from millstream.serdes.registry.java_client import (
        CachedSchemaRegistryClient as CachedSchemaRegistryClient,
    )
    from millstream.serdes.registry.java_client import SchemaMetadata as SchemaMetadata
    from millstream.serdes.registry.json_halves import (
        KafkaJsonSchemaDeserializer as KafkaJsonSchemaDeserializer,
    )
    from millstream.serdes.registry.json_halves import KafkaJsonSchemaSerde as KafkaJsonSchemaSerde
    from millstream.serdes.registry.json_halves import (
        KafkaJsonSchemaSerializer as KafkaJsonSchemaSerializer,
    )
    from millstream.serdes.registry.mock import MockSchemaRegistry as MockSchemaRegistry
    from millstream.serdes.registry.mock import MockSchemaRegistryClient as MockSchemaRegistryClient
    from millstream.serdes.registry.protobuf_halves import (
        KafkaProtobufDeserializer as KafkaProtobufDeserializer,
    )
    from millstream.serdes.registry.protobuf_halves import KafkaProtobufSerde as KafkaProtobufSerde
    from millstream.serdes.registry.protobuf_halves import (
        KafkaProtobufSerializer as KafkaProtobufSerializer,
    )
    from millstream.serdes.registry.subjects import RecordNameStrategy as RecordNameStrategy
    from millstream.serdes.registry.subjects import SubjectNameStrategy as SubjectNameStrategy
    from millstream.serdes.registry.subjects import TopicNameStrategy as TopicNameStrategy
    from millstream.serdes.registry.subjects import (
        TopicRecordNameStrategy as TopicRecordNameStrategy,
    )


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        home = LATER.get(name, "")
        if home.startswith((f"{__name__}.", "millstream.core.errors")):
            return getattr(import_module(home), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
