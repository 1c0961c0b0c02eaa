"""SASL OAUTHBEARER by client credentials: Java's entries for librdkafka and for the JVM.

Java clients read id and secret from ``sasl.jaas.config``; those of Kafka 4.1 also from
``sasl.oauthbearer.client.credentials.*``, which the older client in Spark does not know. librdkafka
has names of its own. Whatever form is given, each client gets the one that it knows.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from ssl import get_default_verify_paths
from urllib.parse import quote_plus, urlsplit

from millstream.core.errors import ConfigException
from millstream.topology.spark.clients.certificates import kind_of_store, pem, trusted_certificates
from millstream.topology.spark.clients.jaas import KEY as JAAS
from millstream.topology.spark.clients.jaas import OAUTH, jaas_text, parse_jaas

Given = Mapping[str, str]

HANDLER = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler"
"""Kafka's own login by client credentials, in Spark's client and in those of Kafka 4."""
_PREFIX = "sasl.oauthbearer."
_URL = f"{_PREFIX}token.endpoint.url"
_SUBJECT = "unsecuredLoginStringClaim_sub"
_EXTENSION = "extension_"
_CREDENTIALS = {"client.id": "clientId", "client.secret": "clientSecret", "scope": "scope"}
"""Ends of the entries' names -> options of the login module."""
_TRUST = "ssl.truststore."
_BUNDLES = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt")


@dataclass(frozen=True, slots=True)
class ClientCredentials:
    """Who asks which endpoint for tokens."""

    url: str
    client: str
    secret: str = field(repr=False)
    scope: str
    options: Mapping[str, str] = field(repr=False)
    """All options of the login module."""

    @property
    def extensions(self) -> str:
        """SASL extensions by librdkafka's form."""
        given = {n: v for n, v in self.options.items() if n.startswith(_EXTENSION)}
        return ",".join(f"{n.removeprefix(_EXTENSION)}={v}" for n, v in given.items())


def librdkafka_oauth(given: Given) -> dict[str, str | bool]:
    """Return the entries of ``sasl.oauthbearer.*`` by librdkafka's names.

    Raises:
        ConfigException: One is missing, wrong, or supported by a JVM only.
    """
    if _URL not in given:
        if f"{_PREFIX}config" in given:
            return {"enable.sasl.oauthbearer.unsecure.jwt": True}
        if (subject := _options(given).get(_SUBJECT)) is not None:
            config = f"principal={subject}"
            return {"enable.sasl.oauthbearer.unsecure.jwt": True, f"{_PREFIX}config": config}
    found = _credentials(given)
    client, secret = found.client, found.secret
    if given.get(f"{_PREFIX}header.urlencode", "").lower() == "true":
        client, secret = quote_plus(client), quote_plus(secret)
    entries: dict[str, str | bool] = {
        f"{_PREFIX}method": "oidc",
        _URL: found.url,
        f"{_PREFIX}client.id": client,
        f"{_PREFIX}client.secret": secret,
    }
    if found.scope:
        # Java encodes it, librdkafka sends it as it is.
        entries[f"{_PREFIX}scope"] = quote_plus(found.scope)
    if found.extensions:
        entries[f"{_PREFIX}extensions"] = found.extensions
    if claim := given.get(f"{_PREFIX}sub.claim.name"):
        entries[f"{_PREFIX}sub.claim.name"] = claim
    return entries | _https(found)


def connector_oauth(given: Given) -> dict[str, str]:
    """Return the entries that the JVM needs besides those that have Java's names.

    Raises:
        ConfigException: As above.
    """
    if _URL not in given:
        subject = given.get(f"{_PREFIX}config", "").partition("principal=")[2].split()
        if JAAS in given or not subject:
            return {}
        return {JAAS: jaas_text(OAUTH, {_SUBJECT: subject[0]})}
    found = _credentials(given)
    options = {"clientId": found.client, "clientSecret": found.secret}
    if found.scope:
        options["scope"] = found.scope
    options |= {name: value for name, value in found.options.items() if name not in options}
    for pair in filter(None, given.get(f"{_PREFIX}extensions", "").split(",")):
        name, _, value = pair.partition("=")
        options.setdefault(f"{_EXTENSION}{name.strip()}", value.strip())
    path = options.get(f"{_TRUST}location")
    if path and f"{_TRUST}type" not in options and _kind(path) == "PEM":
        # Without the type Java expects JKS or PKCS12.
        options[f"{_TRUST}type"] = "PEM"
    return {JAAS: jaas_text(OAUTH, options), "sasl.login.callback.handler.class": HANDLER}


def for_the_jvm(name: str) -> bool:
    """Return whether an entry goes to the JVM: credentials do, as options of the login module."""
    return name not in (f"{_PREFIX}client.credentials.{end}" for end in _CREDENTIALS)


def _credentials(given: Given) -> ClientCredentials:
    options, url = _options(given), given.get(_URL)
    values = {
        option: given.get(f"{_PREFIX}client.credentials.{end}")
        or given.get(f"{_PREFIX}{end}")
        or options.get(option, "")
        for end, option in _CREDENTIALS.items()
    }
    client, secret, scope = values.values()
    if not (url and client and secret):
        raise ConfigException(
            "the token endpoint, client id or client secret for OAUTHBEARER is missing",
            hint=f"Set {_URL}, and clientId and clientSecret in {JAAS} ({OAUTH}).",
        )
    if urlsplit(url).scheme not in ("http", "https"):
        raise ConfigException(
            f"Invalid value {url} for configuration {_URL} on Spark",
            detail="librdkafka asks an endpoint for tokens, by HTTP or HTTPS.",
            hint="Files with tokens are for Java clients only; use client credentials.",
        )
    return ClientCredentials(url, client, secret, scope, options)


def _options(given: Given) -> Mapping[str, str]:
    if (text := given.get(JAAS)) is None:
        return {}
    module = parse_jaas(text)
    if module.name != OAUTH:
        raise ConfigException(
            f"Invalid value for configuration {JAAS} on Spark: login module {module.name}",
            detail=f"With sasl.mechanism=OAUTHBEARER it has to be {OAUTH}.",
            hint="The sinks' clients are librdkafka and cannot run Java's login modules.",
        )
    return module.options


def _https(found: ClientCredentials) -> dict[str, str | bool]:
    """Return whom the endpoint's certificate has to come from: Java has it in the login module."""
    if urlsplit(found.url).scheme != "https":
        return {}
    options = found.options
    if text := options.get(f"{_TRUST}certificates"):
        return {"https.ca.pem": pem(f"{_TRUST}certificates", text)}
    path = options.get(f"{_TRUST}location")
    if not path:
        # The client's own default, and what it probes, is the place of one distribution.
        known = get_default_verify_paths()
        system = known.cafile or next(filter(os.path.exists, _BUNDLES), known.capath)
        return {} if system is None else {"https.ca.location": system}
    if _kind(path) == "PEM":
        return {"https.ca.location": path}
    password = options.get(f"{_TRUST}password")
    return {"https.ca.pem": trusted_certificates(f"{_TRUST}location", path, password)}


def _kind(path: str) -> str:
    return kind_of_store(f"{_TRUST}location in {JAAS}", path)
