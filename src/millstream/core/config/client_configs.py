"""Names of the settings of Kafka's clients, as constants.

An application gives them to ``KafkaStreams`` plainly or with a prefix, or to clients of its own.

Example:
    >>> from millstream import StreamsConfig
    >>> StreamsConfig.consumerPrefix(ConsumerConfig.MAX_POLL_RECORDS_CONFIG)
    'consumer.max.poll.records'
"""


class CommonClientConfigs:
    """Settings that all clients have.

    Source: ``org.apache.kafka.clients.CommonClientConfigs``.
    """

    BOOTSTRAP_SERVERS_CONFIG = "bootstrap.servers"
    CLIENT_DNS_LOOKUP_CONFIG = "client.dns.lookup"
    CLIENT_ID_CONFIG = "client.id"
    CLIENT_RACK_CONFIG = "client.rack"
    CONNECTIONS_MAX_IDLE_MS_CONFIG = "connections.max.idle.ms"
    DEFAULT_API_TIMEOUT_MS_CONFIG = "default.api.timeout.ms"
    DEFAULT_CLIENT_RACK = ""
    DEFAULT_LIST_KEY_SERDE_INNER_CLASS = "default.list.key.serde.inner"
    DEFAULT_LIST_KEY_SERDE_TYPE_CLASS = "default.list.key.serde.type"
    DEFAULT_LIST_VALUE_SERDE_INNER_CLASS = "default.list.value.serde.inner"
    DEFAULT_LIST_VALUE_SERDE_TYPE_CLASS = "default.list.value.serde.type"
    DEFAULT_METADATA_RECOVERY_REBOOTSTRAP_TRIGGER_MS = 300000
    DEFAULT_SECURITY_PROTOCOL = "PLAINTEXT"
    ENABLE_METRICS_PUSH_CONFIG = "enable.metrics.push"
    GROUP_ID_CONFIG = "group.id"
    GROUP_INSTANCE_ID_CONFIG = "group.instance.id"
    HEARTBEAT_INTERVAL_MS_CONFIG = "heartbeat.interval.ms"
    MAX_POLL_INTERVAL_MS_CONFIG = "max.poll.interval.ms"
    METADATA_MAX_AGE_CONFIG = "metadata.max.age.ms"
    METADATA_RECOVERY_REBOOTSTRAP_TRIGGER_MS_CONFIG = "metadata.recovery.rebootstrap.trigger.ms"
    METADATA_RECOVERY_STRATEGY_CONFIG = "metadata.recovery.strategy"
    METRICS_CONTEXT_PREFIX = "metrics.context."
    METRICS_NUM_SAMPLES_CONFIG = "metrics.num.samples"
    METRICS_RECORDING_LEVEL_CONFIG = "metrics.recording.level"
    METRICS_SAMPLE_WINDOW_MS_CONFIG = "metrics.sample.window.ms"
    METRIC_REPORTER_CLASSES_CONFIG = "metric.reporters"
    REBALANCE_TIMEOUT_MS_CONFIG = "rebalance.timeout.ms"
    RECEIVE_BUFFER_CONFIG = "receive.buffer.bytes"
    RECEIVE_BUFFER_LOWER_BOUND = -1
    RECONNECT_BACKOFF_MAX_MS_CONFIG = "reconnect.backoff.max.ms"
    RECONNECT_BACKOFF_MS_CONFIG = "reconnect.backoff.ms"
    REQUEST_TIMEOUT_MS_CONFIG = "request.timeout.ms"
    RETRIES_CONFIG = "retries"
    RETRY_BACKOFF_EXP_BASE = 2
    RETRY_BACKOFF_JITTER = 0.2
    RETRY_BACKOFF_MAX_MS_CONFIG = "retry.backoff.max.ms"
    RETRY_BACKOFF_MS_CONFIG = "retry.backoff.ms"
    SECURITY_PROTOCOL_CONFIG = "security.protocol"
    SEND_BUFFER_CONFIG = "send.buffer.bytes"
    SEND_BUFFER_LOWER_BOUND = -1
    SESSION_TIMEOUT_MS_CONFIG = "session.timeout.ms"
    SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS_CONFIG = "socket.connection.setup.timeout.max.ms"
    SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG = "socket.connection.setup.timeout.ms"


class ConsumerConfig(CommonClientConfigs):
    """Settings of Kafka's consumer, and those that all clients have.

    Source: ``org.apache.kafka.clients.consumer.ConsumerConfig``.
    """

    ALLOW_AUTO_CREATE_TOPICS_CONFIG = "allow.auto.create.topics"
    AUTO_COMMIT_INTERVAL_MS_CONFIG = "auto.commit.interval.ms"
    AUTO_OFFSET_RESET_CONFIG = "auto.offset.reset"
    CHECK_CRCS_CONFIG = "check.crcs"
    DEFAULT_ALLOW_AUTO_CREATE_TOPICS = True
    DEFAULT_EXCLUDE_INTERNAL_TOPICS = True
    DEFAULT_FETCH_MAX_BYTES = 52428800
    DEFAULT_FETCH_MAX_WAIT_MS = 500
    DEFAULT_FETCH_MIN_BYTES = 1
    DEFAULT_MAX_PARTITION_FETCH_BYTES = 1048576
    DEFAULT_MAX_POLL_RECORDS = 500
    ENABLE_AUTO_COMMIT_CONFIG = "enable.auto.commit"
    EXCLUDE_INTERNAL_TOPICS_CONFIG = "exclude.internal.topics"
    FETCH_MAX_BYTES_CONFIG = "fetch.max.bytes"
    FETCH_MAX_WAIT_MS_CONFIG = "fetch.max.wait.ms"
    FETCH_MIN_BYTES_CONFIG = "fetch.min.bytes"
    GROUP_PROTOCOL_CONFIG = "group.protocol"
    GROUP_REMOTE_ASSIGNOR_CONFIG = "group.remote.assignor"
    INTERCEPTOR_CLASSES_CONFIG = "interceptor.classes"
    ISOLATION_LEVEL_CONFIG = "isolation.level"
    KEY_DESERIALIZER_CLASS_CONFIG = "key.deserializer"
    MAX_PARTITION_FETCH_BYTES_CONFIG = "max.partition.fetch.bytes"
    MAX_POLL_RECORDS_CONFIG = "max.poll.records"
    PARTITION_ASSIGNMENT_STRATEGY_CONFIG = "partition.assignment.strategy"
    SECURITY_PROVIDERS_CONFIG = "security.providers"
    SHARE_ACKNOWLEDGEMENT_MODE_CONFIG = "share.acknowledgement.mode"
    SHARE_ACQUIRE_MODE_CONFIG = "share.acquire.mode"
    VALUE_DESERIALIZER_CLASS_CONFIG = "value.deserializer"


class ProducerConfig(CommonClientConfigs):
    """Settings of Kafka's producer, and those that all clients have.

    Source: ``org.apache.kafka.clients.producer.ProducerConfig``.
    """

    ACKS_CONFIG = "acks"
    BATCH_SIZE_CONFIG = "batch.size"
    BUFFER_MEMORY_CONFIG = "buffer.memory"
    COMPRESSION_GZIP_LEVEL_CONFIG = "compression.gzip.level"
    COMPRESSION_LZ4_LEVEL_CONFIG = "compression.lz4.level"
    COMPRESSION_TYPE_CONFIG = "compression.type"
    COMPRESSION_ZSTD_LEVEL_CONFIG = "compression.zstd.level"
    DELIVERY_TIMEOUT_MS_CONFIG = "delivery.timeout.ms"
    ENABLE_IDEMPOTENCE_CONFIG = "enable.idempotence"
    INTERCEPTOR_CLASSES_CONFIG = "interceptor.classes"
    KEY_SERIALIZER_CLASS_CONFIG = "key.serializer"
    LINGER_MS_CONFIG = "linger.ms"
    MAX_BLOCK_MS_CONFIG = "max.block.ms"
    MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION = "max.in.flight.requests.per.connection"
    MAX_REQUEST_SIZE_CONFIG = "max.request.size"
    METADATA_MAX_IDLE_CONFIG = "metadata.max.idle.ms"
    PARTITIONER_ADAPTIVE_PARTITIONING_ENABLE_CONFIG = "partitioner.adaptive.partitioning.enable"
    PARTITIONER_ADPATIVE_PARTITIONING_ENABLE_CONFIG = "partitioner.adaptive.partitioning.enable"
    PARTITIONER_AVAILABILITY_TIMEOUT_MS_CONFIG = "partitioner.availability.timeout.ms"
    PARTITIONER_CLASS_CONFIG = "partitioner.class"
    PARTITIONER_IGNORE_KEYS_CONFIG = "partitioner.ignore.keys"
    SECURITY_PROVIDERS_CONFIG = "security.providers"
    TRANSACTIONAL_ID_CONFIG = "transactional.id"
    TRANSACTION_TIMEOUT_CONFIG = "transaction.timeout.ms"
    TRANSACTION_TWO_PHASE_COMMIT_ENABLE_CONFIG = "transaction.two.phase.commit.enable"
    VALUE_SERIALIZER_CLASS_CONFIG = "value.serializer"


class AdminClientConfig(CommonClientConfigs):
    """Settings of Kafka's admin client, and those that all clients have.

    Source: ``org.apache.kafka.clients.admin.AdminClientConfig``.
    """

    BOOTSTRAP_CONTROLLERS_CONFIG = "bootstrap.controllers"
    SECURITY_PROVIDERS_CONFIG = "security.providers"
