"""Names of configuration entries of serdes with a schema registry, in Kafka's classes."""

from __future__ import annotations


class AbstractKafkaSchemaSerDeConfig:
    """Entries of all serdes with a schema registry.

    Source: ``io.confluent.kafka.serializers.AbstractKafkaSchemaSerDeConfig``.
    """

    SCHEMA_REGISTRY_URL_CONFIG = "schema.registry.url"
    MAX_SCHEMAS_PER_SUBJECT_CONFIG = "max.schemas.per.subject"
    AUTO_REGISTER_SCHEMAS = "auto.register.schemas"
    NORMALIZE_SCHEMAS = "normalize.schemas"
    USE_SCHEMA_ID = "use.schema.id"
    USE_LATEST_VERSION = "use.latest.version"
    USE_LATEST_WITH_METADATA = "use.latest.with.metadata"
    LATEST_COMPATIBILITY_STRICT = "latest.compatibility.strict"
    LATEST_CACHE_SIZE = "latest.cache.size"
    LATEST_CACHE_TTL = "latest.cache.ttl.sec"
    HTTP_CONNECT_TIMEOUT_MS = "http.connect.timeout.ms"
    HTTP_READ_TIMEOUT_MS = "http.read.timeout.ms"
    MAX_RETRIES_CONFIG = "max.retries"
    RETRIES_WAIT_MS_CONFIG = "retries.wait.ms"
    RETRIES_MAX_WAIT_MS_CONFIG = "retries.max.wait.ms"
    PROXY_HOST = "proxy.host"
    PROXY_PORT = "proxy.port"
    BASIC_AUTH_CREDENTIALS_SOURCE = "basic.auth.credentials.source"
    USER_INFO_CONFIG = "basic.auth.user.info"
    SCHEMA_REGISTRY_USER_INFO_CONFIG = "schema.registry.basic.auth.user.info"
    BEARER_AUTH_CREDENTIALS_SOURCE = "bearer.auth.credentials.source"
    BEARER_AUTH_TOKEN_CONFIG = "bearer.auth.token"
    BEARER_AUTH_ISSUER_ENDPOINT_URL = "bearer.auth.issuer.endpoint.url"
    BEARER_AUTH_CLIENT_ID = "bearer.auth.client.id"
    BEARER_AUTH_CLIENT_SECRET = "bearer.auth.client.secret"
    BEARER_AUTH_SCOPE = "bearer.auth.scope"
    BEARER_AUTH_LOGICAL_CLUSTER = "bearer.auth.logical.cluster"
    BEARER_AUTH_IDENTITY_POOL_ID = "bearer.auth.identity.pool.id"
    KEY_SUBJECT_NAME_STRATEGY = "key.subject.name.strategy"
    VALUE_SUBJECT_NAME_STRATEGY = "value.subject.name.strategy"
    KEY_SCHEMA_ID_SERIALIZER = "key.schema.id.serializer"
    VALUE_SCHEMA_ID_SERIALIZER = "value.schema.id.serializer"
    KEY_SCHEMA_ID_DESERIALIZER = "key.schema.id.deserializer"
    VALUE_SCHEMA_ID_DESERIALIZER = "value.schema.id.deserializer"


class KafkaAvroSerializerConfig(AbstractKafkaSchemaSerDeConfig):
    """Entries of ``KafkaAvroSerializer``."""

    AVRO_REFLECTION_ALLOW_NULL_CONFIG = "avro.reflection.allow.null"
    AVRO_USE_LOGICAL_TYPE_CONVERTERS_CONFIG = "avro.use.logical.type.converters"
    AVRO_REMOVE_JAVA_PROPS_CONFIG = "avro.remove.java.properties"


class KafkaAvroDeserializerConfig(AbstractKafkaSchemaSerDeConfig):
    """Entries of ``KafkaAvroDeserializer``."""

    SPECIFIC_AVRO_READER_CONFIG = "specific.avro.reader"
    SPECIFIC_AVRO_KEY_TYPE_CONFIG = "specific.avro.key.type"
    SPECIFIC_AVRO_VALUE_TYPE_CONFIG = "specific.avro.value.type"
    AVRO_REFLECTION_ALLOW_NULL_CONFIG = "avro.reflection.allow.null"
    AVRO_USE_LOGICAL_TYPE_CONVERTERS_CONFIG = "avro.use.logical.type.converters"
    AVRO_FAIL_ON_TRAILING_DATA_CONFIG = "avro.fail.on.trailing.data"


class KafkaJsonSchemaSerializerConfig(AbstractKafkaSchemaSerDeConfig):
    """Entries of ``KafkaJsonSchemaSerializer``."""

    FAIL_UNKNOWN_PROPERTIES = "json.fail.unknown.properties"
    FAIL_INVALID_SCHEMA = "json.fail.invalid.schema"
    WRITE_DATES_AS_ISO8601 = "json.write.dates.iso8601"
    JSON_INDENT_OUTPUT = "json.indent.output"
    ONEOF_FOR_NULLABLES = "json.oneof.for.nullables"


class KafkaJsonSchemaDeserializerConfig(AbstractKafkaSchemaSerDeConfig):
    """Entries of ``KafkaJsonSchemaDeserializer``."""

    FAIL_UNKNOWN_PROPERTIES = "json.fail.unknown.properties"
    FAIL_INVALID_SCHEMA = "json.fail.invalid.schema"
    JSON_KEY_TYPE = "json.key.type"
    JSON_VALUE_TYPE = "json.value.type"
    TYPE_PROPERTY = "type.property"


class KafkaProtobufSerializerConfig(AbstractKafkaSchemaSerDeConfig):
    """Entries of ``KafkaProtobufSerializer``."""

    SKIP_KNOWN_TYPES_CONFIG = "skip.known.types"


class KafkaProtobufDeserializerConfig(AbstractKafkaSchemaSerDeConfig):
    """Entries of ``KafkaProtobufDeserializer``."""

    SPECIFIC_PROTOBUF_KEY_TYPE = "specific.protobuf.key.type"
    SPECIFIC_PROTOBUF_VALUE_TYPE = "specific.protobuf.value.type"
    DERIVE_TYPE_CONFIG = "derive.type"
