"""Names of security settings in Kafka's Java clients and in librdkafka."""

from __future__ import annotations

import re

from millstream.core.errors import ConfigException

MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER")
PROTOCOLS = frozenset(("TLSv1.2", "TLSv1.3"))

TLS_1_3 = frozenset(
    ("TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256")
)

TRANSLATED = frozenset(
    (
        "sasl.jaas.config",
        "sasl.mechanism",
        "sasl.oauthbearer.client.credentials.client.id",
        "sasl.oauthbearer.client.credentials.client.secret",
        "sasl.oauthbearer.header.urlencode",
        "sasl.oauthbearer.scope",
        "sasl.oauthbearer.sub.claim.name",
        "sasl.oauthbearer.token.endpoint.url",
        "ssl.cipher.suites",
        "ssl.enabled.protocols",
        "ssl.endpoint.identification.algorithm",
        "ssl.key.password",
        "ssl.keystore.certificate.chain",
        "ssl.keystore.key",
        "ssl.keystore.location",
        "ssl.keystore.password",
        "ssl.keystore.type",
        "ssl.protocol",
        "ssl.truststore.certificates",
        "ssl.truststore.location",
        "ssl.truststore.password",
        "ssl.truststore.type",
    )
)
"""Java's names of settings that every client supports."""

_OAUTH = "sasl.oauthbearer."
JVM_ONLY = frozenset(
    (
        "sasl.kerberos.kinit.cmd",
        "sasl.kerberos.min.time.before.relogin",
        "sasl.kerberos.service.name",
        "sasl.kerberos.ticket.renew.jitter",
        "sasl.kerberos.ticket.renew.window.factor",
        "sasl.login.connect.timeout.ms",
        "sasl.login.read.timeout.ms",
        "sasl.login.refresh.buffer.seconds",
        "sasl.login.refresh.min.period.seconds",
        "sasl.login.refresh.window.factor",
        "sasl.login.refresh.window.jitter",
        "sasl.login.retry.backoff.max.ms",
        "sasl.login.retry.backoff.ms",
        f"{_OAUTH}clock.skew.seconds",
        f"{_OAUTH}expected.audience",
        f"{_OAUTH}expected.issuer",
        f"{_OAUTH}jwks.endpoint.refresh.ms",
        f"{_OAUTH}jwks.endpoint.retry.backoff.max.ms",
        f"{_OAUTH}jwks.endpoint.retry.backoff.ms",
        f"{_OAUTH}jwks.endpoint.url",
        f"{_OAUTH}scope.claim.name",
        "ssl.client.auth",
        "ssl.keymanager.algorithm",
        "ssl.secure.random.implementation",
        "ssl.trustmanager.algorithm",
    )
)
"""Settings for the connector only: timing, and implementations inside a JVM. They do not change
which broker is trusted, or as which user a client connects."""

_PASSWORDS = (
    'Give user and password in sasl.jaas.config: ... required username="..." password="...";'
)
_CLIENT_SECRET = (
    "Use client credentials: sasl.oauthbearer.token.endpoint.url, and clientId and clientSecret in "
    "sasl.jaas.config."
)
_FILES = "Give ssl.truststore.location and ssl.keystore.location, or the PEM texts of the two."
_ASSERTIONS = (
    *("algorithm", "claim.aud", "claim.exp.seconds", "claim.iss", "claim.jti.include"),
    *("claim.nbf.seconds", "claim.sub", "file", "private.key.file", "private.key.passphrase"),
    "template.file",
)
REFUSED = {
    "sasl.client.callback.handler.class": _PASSWORDS,
    "sasl.login.callback.handler.class": _PASSWORDS,
    "sasl.login.class": _PASSWORDS,
    f"{_OAUTH}jwt.retriever.class": _CLIENT_SECRET,
    f"{_OAUTH}jwt.validator.class": _CLIENT_SECRET,
    "ssl.engine.factory.class": _FILES,
    "ssl.provider": "Leave it out: TLSv1.2 and TLSv1.3 need no other provider.",
    **{f"{_OAUTH}assertion.{name}": _CLIENT_SECRET for name in _ASSERTIONS},
}
"""Settings that need Java classes of the user, with a replacement for each."""

_KAFKA_OAUTH = "org.apache.kafka.common.security.oauthbearer"
HARMLESS = {
    "sasl.login.callback.handler.class": (
        f"{_KAFKA_OAUTH}.OAuthBearerLoginCallbackHandler",
        f"{_KAFKA_OAUTH}.secured.OAuthBearerLoginCallbackHandler",
    ),
    f"{_OAUTH}jwt.retriever.class": (
        f"{_KAFKA_OAUTH}.DefaultJwtRetriever",
        f"{_KAFKA_OAUTH}.ClientCredentialsJwtRetriever",
    ),
    f"{_OAUTH}jwt.validator.class": (f"{_KAFKA_OAUTH}.DefaultJwtValidator",),
}
"""Kafka's own classes for which librdkafka has an equivalent."""

LIBRDKAFKA = frozenset(
    (
        "enable.ssl.certificate.verification",
        "sasl.mechanisms",
        f"{_OAUTH}client.id",
        f"{_OAUTH}client.secret",
        f"{_OAUTH}config",
        f"{_OAUTH}extensions",
        f"{_OAUTH}method",
        "sasl.password",
        "sasl.username",
        "ssl.ca.location",
        "ssl.ca.pem",
        "ssl.certificate.location",
        "ssl.certificate.pem",
        "ssl.crl.location",
        "ssl.curves.list",
        "ssl.engine.id",
        "ssl.engine.location",
        "ssl.key.location",
        "ssl.key.pem",
        "ssl.providers",
        "ssl.sigalgs.list",
    )
)
"""librdkafka's own names, passed on unchanged."""

KNOWN = TRANSLATED | JVM_ONLY | REFUSED.keys() | LIBRDKAFKA

_SUITE = re.compile(r"TLS_(?:(RSA)|(\w+?)_(\w+))_WITH_(\w+)_(SHA\d*)")


def openssl_cipher(name: str) -> str:
    """Return OpenSSL's name of a cipher suite of Java.

    Raises:
        ConfigException: OpenSSL has no such suite of TLSv1.2.

    >>> openssl_cipher("TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384")
    'ECDHE-RSA-AES256-GCM-SHA384'
    """
    found = _SUITE.fullmatch(name)
    if found is None:
        raise ConfigException(
            f"Invalid value {name} for configuration ssl.cipher.suites on Spark",
            detail="librdkafka accepts suites of TLSv1.2 only; those of TLSv1.3 are always on.",
            hint="Write TLSv1.2 suites such as TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384.",
        )
    rsa, exchange, signature, cipher, digest = found.groups()
    cipher = re.sub(r"AES_(\d+)", r"AES\1", cipher).replace("_CBC", "").replace("_", "-")
    if cipher.startswith("CHACHA20"):
        return f"{exchange}-{signature}-{cipher}"
    parts = [] if rsa else [exchange, signature]
    return "-".join([*parts, cipher, digest])
