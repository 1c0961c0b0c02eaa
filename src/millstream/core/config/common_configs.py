"""Names of the settings of topics, TLS and SASL, as constants."""


class TopicConfig:
    """Settings of a topic, as `Materialized.withLoggingEnabled` takes them.

    Source: ``org.apache.kafka.common.config.TopicConfig``.
    """

    CLEANUP_POLICY_COMPACT = "compact"
    CLEANUP_POLICY_CONFIG = "cleanup.policy"
    CLEANUP_POLICY_DELETE = "delete"
    COMPRESSION_GZIP_LEVEL_CONFIG = "compression.gzip.level"
    COMPRESSION_LZ4_LEVEL_CONFIG = "compression.lz4.level"
    COMPRESSION_TYPE_CONFIG = "compression.type"
    COMPRESSION_ZSTD_LEVEL_CONFIG = "compression.zstd.level"
    DELETE_RETENTION_MS_CONFIG = "delete.retention.ms"
    FILE_DELETE_DELAY_MS_CONFIG = "file.delete.delay.ms"
    FLUSH_MESSAGES_INTERVAL_CONFIG = "flush.messages"
    FLUSH_MS_CONFIG = "flush.ms"
    INDEX_INTERVAL_BYTES_CONFIG = "index.interval.bytes"
    LOCAL_LOG_RETENTION_BYTES_CONFIG = "local.retention.bytes"
    LOCAL_LOG_RETENTION_MS_CONFIG = "local.retention.ms"
    MAX_COMPACTION_LAG_MS_CONFIG = "max.compaction.lag.ms"
    MAX_MESSAGE_BYTES_CONFIG = "max.message.bytes"
    MESSAGE_DOWNCONVERSION_ENABLE_CONFIG = "message.downconversion.enable"
    MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG = "message.timestamp.after.max.ms"
    MESSAGE_TIMESTAMP_BEFORE_MAX_MS_CONFIG = "message.timestamp.before.max.ms"
    MESSAGE_TIMESTAMP_TYPE_CONFIG = "message.timestamp.type"
    MIN_CLEANABLE_DIRTY_RATIO_CONFIG = "min.cleanable.dirty.ratio"
    MIN_COMPACTION_LAG_MS_CONFIG = "min.compaction.lag.ms"
    MIN_IN_SYNC_REPLICAS_CONFIG = "min.insync.replicas"
    PREALLOCATE_CONFIG = "preallocate"
    REMOTE_LOG_COPY_DISABLE_CONFIG = "remote.log.copy.disable"
    REMOTE_LOG_DELETE_ON_DISABLE_CONFIG = "remote.log.delete.on.disable"
    REMOTE_LOG_STORAGE_ENABLE_CONFIG = "remote.storage.enable"
    RETENTION_BYTES_CONFIG = "retention.bytes"
    RETENTION_MS_CONFIG = "retention.ms"
    SEGMENT_BYTES_CONFIG = "segment.bytes"
    SEGMENT_INDEX_BYTES_CONFIG = "segment.index.bytes"
    SEGMENT_JITTER_MS_CONFIG = "segment.jitter.ms"
    SEGMENT_MS_CONFIG = "segment.ms"
    UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG = "unclean.leader.election.enable"


class SslConfigs:
    """Settings of TLS.

    Source: ``org.apache.kafka.common.config.SslConfigs``.
    """

    DEFAULT_SSL_ENABLED_PROTOCOLS = "TLSv1.2,TLSv1.3"
    DEFAULT_SSL_ENDPOINT_IDENTIFICATION_ALGORITHM = "https"
    DEFAULT_SSL_KEYSTORE_TYPE = "JKS"
    DEFAULT_SSL_PROTOCOL = "TLSv1.3"
    DEFAULT_SSL_TRUSTSTORE_TYPE = "JKS"
    SSL_CIPHER_SUITES_CONFIG = "ssl.cipher.suites"
    SSL_ENABLED_PROTOCOLS_CONFIG = "ssl.enabled.protocols"
    SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_CONFIG = "ssl.endpoint.identification.algorithm"
    SSL_ENGINE_FACTORY_CLASS_CONFIG = "ssl.engine.factory.class"
    SSL_KEYMANAGER_ALGORITHM_CONFIG = "ssl.keymanager.algorithm"
    SSL_KEYSTORE_CERTIFICATE_CHAIN_CONFIG = "ssl.keystore.certificate.chain"
    SSL_KEYSTORE_KEY_CONFIG = "ssl.keystore.key"
    SSL_KEYSTORE_LOCATION_CONFIG = "ssl.keystore.location"
    SSL_KEYSTORE_PASSWORD_CONFIG = "ssl.keystore.password"
    SSL_KEYSTORE_TYPE_CONFIG = "ssl.keystore.type"
    SSL_KEY_PASSWORD_CONFIG = "ssl.key.password"
    SSL_PROTOCOL_CONFIG = "ssl.protocol"
    SSL_PROVIDER_CONFIG = "ssl.provider"
    SSL_SECURE_RANDOM_IMPLEMENTATION_CONFIG = "ssl.secure.random.implementation"
    SSL_TRUSTMANAGER_ALGORITHM_CONFIG = "ssl.trustmanager.algorithm"
    SSL_TRUSTSTORE_CERTIFICATES_CONFIG = "ssl.truststore.certificates"
    SSL_TRUSTSTORE_LOCATION_CONFIG = "ssl.truststore.location"
    SSL_TRUSTSTORE_PASSWORD_CONFIG = "ssl.truststore.password"
    SSL_TRUSTSTORE_TYPE_CONFIG = "ssl.truststore.type"


class SaslConfigs:
    """Settings of SASL.

    Source: ``org.apache.kafka.common.config.SaslConfigs``.
    """

    DEFAULT_KERBEROS_KINIT_CMD = "/usr/bin/kinit"
    DEFAULT_KERBEROS_MIN_TIME_BEFORE_RELOGIN = 60000
    DEFAULT_KERBEROS_TICKET_RENEW_JITTER = 0.05
    DEFAULT_KERBEROS_TICKET_RENEW_WINDOW_FACTOR = 0.8
    DEFAULT_LOGIN_REFRESH_BUFFER_SECONDS = 300
    DEFAULT_LOGIN_REFRESH_MIN_PERIOD_SECONDS = 60
    DEFAULT_LOGIN_REFRESH_WINDOW_FACTOR = 0.8
    DEFAULT_LOGIN_REFRESH_WINDOW_JITTER = 0.05
    DEFAULT_SASL_LOGIN_RETRY_BACKOFF_MAX_MS = 10000
    DEFAULT_SASL_LOGIN_RETRY_BACKOFF_MS = 100
    DEFAULT_SASL_MECHANISM = "GSSAPI"
    DEFAULT_SASL_OAUTHBEARER_ASSERTION_ALGORITHM = "RS256"
    DEFAULT_SASL_OAUTHBEARER_ASSERTION_CLAIM_EXP_SECONDS = 300
    DEFAULT_SASL_OAUTHBEARER_ASSERTION_CLAIM_JTI_INCLUDE = False
    DEFAULT_SASL_OAUTHBEARER_ASSERTION_CLAIM_NBF_SECONDS = 60
    DEFAULT_SASL_OAUTHBEARER_CLOCK_SKEW_SECONDS = 30
    DEFAULT_SASL_OAUTHBEARER_HEADER_URLENCODE = False
    DEFAULT_SASL_OAUTHBEARER_JWKS_ENDPOINT_REFRESH_MS = 3600000
    DEFAULT_SASL_OAUTHBEARER_JWKS_ENDPOINT_RETRY_BACKOFF_MAX_MS = 10000
    DEFAULT_SASL_OAUTHBEARER_JWKS_ENDPOINT_RETRY_BACKOFF_MS = 100
    DEFAULT_SASL_OAUTHBEARER_JWT_RETRIEVER_CLASS = (
        "org.apache.kafka.common.security.oauthbearer.DefaultJwtRetriever"
    )
    DEFAULT_SASL_OAUTHBEARER_JWT_VALIDATOR_CLASS = (
        "org.apache.kafka.common.security.oauthbearer.DefaultJwtValidator"
    )
    DEFAULT_SASL_OAUTHBEARER_SCOPE_CLAIM_NAME = "scope"
    DEFAULT_SASL_OAUTHBEARER_SUB_CLAIM_NAME = "sub"
    GSSAPI_MECHANISM = "GSSAPI"
    SASL_CLIENT_CALLBACK_HANDLER_CLASS = "sasl.client.callback.handler.class"
    SASL_JAAS_CONFIG = "sasl.jaas.config"
    SASL_KERBEROS_KINIT_CMD = "sasl.kerberos.kinit.cmd"
    SASL_KERBEROS_MIN_TIME_BEFORE_RELOGIN = "sasl.kerberos.min.time.before.relogin"
    SASL_KERBEROS_SERVICE_NAME = "sasl.kerberos.service.name"
    SASL_KERBEROS_TICKET_RENEW_JITTER = "sasl.kerberos.ticket.renew.jitter"
    SASL_KERBEROS_TICKET_RENEW_WINDOW_FACTOR = "sasl.kerberos.ticket.renew.window.factor"
    SASL_LOGIN_CALLBACK_HANDLER_CLASS = "sasl.login.callback.handler.class"
    SASL_LOGIN_CLASS = "sasl.login.class"
    SASL_LOGIN_CONNECT_TIMEOUT_MS = "sasl.login.connect.timeout.ms"
    SASL_LOGIN_READ_TIMEOUT_MS = "sasl.login.read.timeout.ms"
    SASL_LOGIN_REFRESH_BUFFER_SECONDS = "sasl.login.refresh.buffer.seconds"
    SASL_LOGIN_REFRESH_MIN_PERIOD_SECONDS = "sasl.login.refresh.min.period.seconds"
    SASL_LOGIN_REFRESH_WINDOW_FACTOR = "sasl.login.refresh.window.factor"
    SASL_LOGIN_REFRESH_WINDOW_JITTER = "sasl.login.refresh.window.jitter"
    SASL_LOGIN_RETRY_BACKOFF_MAX_MS = "sasl.login.retry.backoff.max.ms"
    SASL_LOGIN_RETRY_BACKOFF_MS = "sasl.login.retry.backoff.ms"
    SASL_MECHANISM = "sasl.mechanism"
    SASL_OAUTHBEARER_ASSERTION_ALGORITHM = "sasl.oauthbearer.assertion.algorithm"
    SASL_OAUTHBEARER_ASSERTION_CLAIM_AUD = "sasl.oauthbearer.assertion.claim.aud"
    SASL_OAUTHBEARER_ASSERTION_CLAIM_EXP_SECONDS = "sasl.oauthbearer.assertion.claim.exp.seconds"
    SASL_OAUTHBEARER_ASSERTION_CLAIM_ISS = "sasl.oauthbearer.assertion.claim.iss"
    SASL_OAUTHBEARER_ASSERTION_CLAIM_JTI_INCLUDE = "sasl.oauthbearer.assertion.claim.jti.include"
    SASL_OAUTHBEARER_ASSERTION_CLAIM_NBF_SECONDS = "sasl.oauthbearer.assertion.claim.nbf.seconds"
    SASL_OAUTHBEARER_ASSERTION_CLAIM_SUB = "sasl.oauthbearer.assertion.claim.sub"
    SASL_OAUTHBEARER_ASSERTION_FILE = "sasl.oauthbearer.assertion.file"
    SASL_OAUTHBEARER_ASSERTION_PRIVATE_KEY_FILE = "sasl.oauthbearer.assertion.private.key.file"
    SASL_OAUTHBEARER_ASSERTION_PRIVATE_KEY_PASSPHRASE = (
        "sasl.oauthbearer.assertion.private.key.passphrase"
    )
    SASL_OAUTHBEARER_ASSERTION_TEMPLATE_FILE = "sasl.oauthbearer.assertion.template.file"
    SASL_OAUTHBEARER_CLIENT_CREDENTIALS_CLIENT_ID = "sasl.oauthbearer.client.credentials.client.id"
    SASL_OAUTHBEARER_CLIENT_CREDENTIALS_CLIENT_SECRET = (
        "sasl.oauthbearer.client.credentials.client.secret"
    )
    SASL_OAUTHBEARER_CLOCK_SKEW_SECONDS = "sasl.oauthbearer.clock.skew.seconds"
    SASL_OAUTHBEARER_EXPECTED_AUDIENCE = "sasl.oauthbearer.expected.audience"
    SASL_OAUTHBEARER_EXPECTED_ISSUER = "sasl.oauthbearer.expected.issuer"
    SASL_OAUTHBEARER_HEADER_URLENCODE = "sasl.oauthbearer.header.urlencode"
    SASL_OAUTHBEARER_JWKS_ENDPOINT_REFRESH_MS = "sasl.oauthbearer.jwks.endpoint.refresh.ms"
    SASL_OAUTHBEARER_JWKS_ENDPOINT_RETRY_BACKOFF_MAX_MS = (
        "sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms"
    )
    SASL_OAUTHBEARER_JWKS_ENDPOINT_RETRY_BACKOFF_MS = (
        "sasl.oauthbearer.jwks.endpoint.retry.backoff.ms"
    )
    SASL_OAUTHBEARER_JWKS_ENDPOINT_URL = "sasl.oauthbearer.jwks.endpoint.url"
    SASL_OAUTHBEARER_JWT_RETRIEVER_CLASS = "sasl.oauthbearer.jwt.retriever.class"
    SASL_OAUTHBEARER_JWT_VALIDATOR_CLASS = "sasl.oauthbearer.jwt.validator.class"
    SASL_OAUTHBEARER_SCOPE = "sasl.oauthbearer.scope"
    SASL_OAUTHBEARER_SCOPE_CLAIM_NAME = "sasl.oauthbearer.scope.claim.name"
    SASL_OAUTHBEARER_SUB_CLAIM_NAME = "sasl.oauthbearer.sub.claim.name"
    SASL_OAUTHBEARER_TOKEN_ENDPOINT_URL = "sasl.oauthbearer.token.endpoint.url"
