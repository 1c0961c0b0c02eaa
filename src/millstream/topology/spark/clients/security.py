"""TLS and SASL settings of Kafka's Java clients, translated for librdkafka and the JVM's connector.

A setting that not all clients of an application support is refused by name. Otherwise one client
would fail later with "no broker answers", or connect in another way than the others.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from millstream.core.config.clients import refuse_objects
from millstream.core.errors import ConfigException
from millstream.topology.spark.clients import security_keys as keys
from millstream.topology.spark.clients.certificates import kind_of_store, pem, trusted_certificates
from millstream.topology.spark.clients.jaas import KEY as JAAS
from millstream.topology.spark.clients.jaas import PLAIN, SCRAM, LoginModule, jaas_text, parse_jaas
from millstream.topology.spark.clients.oauth import (
    connector_oauth,
    for_the_jvm,
    librdkafka_oauth,
)

Given = Mapping[str, str]
_TYPE = {"ssl.truststore": "ssl.truststore.type", "ssl.keystore": "ssl.keystore.type"}
_PEM_FILES = {
    "ssl.key.location": "ssl.keystore.key",
    "ssl.certificate.location": "ssl.keystore.certificate.chain",
}


def librdkafka_security(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return a client's ``security.protocol``, ``ssl.*`` and ``sasl.*`` by librdkafka's names.

    Raises:
        ConfigException: An entry is wrong, unknown, or supported by a JVM only.
    """
    protocol, given = _checked(settings)
    found: dict[str, Any] = {"security.protocol": protocol}
    found |= {name: value for name, value in given.items() if name in keys.LIBRDKAFKA}
    if "SSL" in protocol:
        _check_protocols(given)
        found |= _trust(given) | _identity(given) | _handshake(given)
    if "SASL" in protocol:
        found |= _credentials(given)
    return found


def connector_security(settings: Mapping[str, Any]) -> dict[str, str]:
    """Return the same for the JVM, entries by librdkafka's names included.

    Raises:
        ConfigException: As above.
    """
    protocol, given = _checked(settings)
    found = {"security.protocol": protocol}
    found |= {
        name: value
        for name, value in given.items()
        if name not in keys.LIBRDKAFKA and for_the_jvm(name)
    }
    if "SSL" in protocol:
        found |= _files_for_the_jvm(given)
    if "SASL" in protocol:
        mechanism = found["sasl.mechanism"] = _mechanism(given)
        if mechanism == "OAUTHBEARER":
            found |= connector_oauth(given)
        elif JAAS not in given and "sasl.username" in given:
            module = SCRAM if mechanism.startswith("SCRAM-") else PLAIN
            user = {"username": given["sasl.username"], "password": given.get("sasl.password", "")}
            found[JAAS] = jaas_text(module, user)
    return found


def _checked(settings: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
    """Return the protocol, and the entries that concern it."""
    protocol = str(settings.get("security.protocol") or "PLAINTEXT").upper()
    used = [prefix for prefix in ("ssl.", "sasl.") if prefix[:-1].upper() in protocol]
    if "SSL" in protocol:
        used.append("enable.ssl.")
    given = {
        name: as_text(value)
        for name, value in settings.items()
        if name.startswith(tuple(used)) and value is not None
    }
    for name, value in given.items():
        refuse_objects(name, settings[name])
        if name in keys.REFUSED and value not in keys.HARMLESS.get(name, ()):
            raise ConfigException(
                f"configuration {name} cannot be used on Spark",
                detail="Only Java clients support it, and the sinks' clients are librdkafka.",
                hint=keys.REFUSED[name],
            )
        if name not in keys.KNOWN:
            close = difflib.get_close_matches(name, keys.KNOWN, n=1)
            raise ConfigException(
                f"Unknown configuration '{name}'",
                hint=f'Did you mean "{close[0]}"?' if close else "See Kafka's documentation.",
            )
    return protocol, given


def _check_protocols(given: Given) -> None:
    for name in ("ssl.protocol", "ssl.enabled.protocols"):
        asked = {part.strip() for part in given.get(name, "").split(",")} - {""}
        # The first entry lists what the JVM supports, the second what it may use.
        known, alone = keys.PROTOCOLS, {"TLSv1.3"}
        if name == "ssl.protocol":
            known, alone = known | {"TLS"}, {""}
        if asked - known or asked == alone:
            raise ConfigException(
                f"Invalid value {given[name]} for configuration {name} on Spark",
                detail="librdkafka offers TLSv1.2 and TLSv1.3; that cannot be changed.",
                hint="Leave it out, or write TLSv1.2,TLSv1.3; the broker can allow one alone.",
            )


def _trust(given: Given) -> dict[str, str]:
    if certificates := given.get("ssl.truststore.certificates"):
        return {"ssl.ca.pem": pem("ssl.truststore.certificates", certificates)}
    key = "ssl.truststore.location"
    if not (path := given.get(key)):
        return {}
    if kind_of_store(key, path) == "PEM":
        return {"ssl.ca.location": path}
    password = given.get("ssl.truststore.password")
    return {"ssl.ca.pem": trusted_certificates(key, path, password)}


def _identity(given: Given) -> dict[str, str]:
    found = {}
    if password := given.get("ssl.key.password"):
        found["ssl.key.password"] = password
    if key := given.get("ssl.keystore.key"):
        found["ssl.key.pem"] = pem("ssl.keystore.key", key)
    if chain := given.get("ssl.keystore.certificate.chain"):
        found["ssl.certificate.pem"] = pem("ssl.keystore.certificate.chain", chain)
    path = given.get("ssl.keystore.location")
    if not path or "ssl.key.location" in given or "ssl.key.pem" in given:
        return found
    kind = kind_of_store("ssl.keystore.location", path)
    if kind == "JKS":
        raise ConfigException(
            f"Invalid value {path} for configuration ssl.keystore.location: it is a JKS file",
            detail="librdkafka reads keys from PKCS12 and PEM files.",
            hint=f"Convert it: keytool -importkeystore -srckeystore {path} -destkeystore "
            "client.p12 -deststoretype PKCS12",
        )
    if kind == "PEM":
        return found | {"ssl.key.location": path, "ssl.certificate.location": path}
    found = {"ssl.keystore.location": path}
    if password := given.get("ssl.keystore.password"):
        found["ssl.keystore.password"] = password
    return found


def _handshake(given: Given) -> dict[str, str]:
    found = {}
    # An empty text, and only that, switches it off in Java.
    if (algorithm := given.get("ssl.endpoint.identification.algorithm")) is not None:
        found["ssl.endpoint.identification.algorithm"] = algorithm.lower() or "none"
    if suites := given.get("ssl.cipher.suites"):
        names = [each.strip() for each in suites.split(",") if each.strip()]
        # librdkafka accepts suites of TLSv1.2; those of TLSv1.3 are always on.
        older = [each for each in names if each not in keys.TLS_1_3] or names
        found["ssl.cipher.suites"] = ":".join(map(keys.openssl_cipher, older))
    return found


def _credentials(given: Given) -> dict[str, Any]:
    mechanism = _mechanism(given)
    found: dict[str, Any] = {"sasl.mechanism": mechanism}
    jaas = given.get(JAAS)
    if mechanism == "OAUTHBEARER":
        return found | librdkafka_oauth(given)
    if jaas is None and "sasl.username" in given:
        return found
    if jaas is None:
        raise ConfigException(
            f"{JAAS} is missing",
            detail=f"sasl.mechanism is {mechanism}, which needs a user and a password.",
            hint=f'Write {JAAS}={PLAIN} required username="..." password="..."; as an entry. Files '
            "named by java.security.auth.login.config are for the JVM only.",
        )
    module = parse_jaas(jaas)
    expected = PLAIN if mechanism == "PLAIN" else SCRAM
    if module.name != expected:
        raise _wrong_module(module, f"With sasl.mechanism={mechanism} it has to be {expected}.")
    if module.options.get("tokenauth", "").lower() == "true":
        raise _wrong_module(module, "librdkafka knows no delegation tokens (tokenauth).")
    if missing := [name for name in ("username", "password") if name not in module.options]:
        raise _wrong_module(module, f"It has no {missing[0]}.")
    user, password = module.options["username"], module.options["password"]
    return found | {"sasl.username": user, "sasl.password": password}


def _mechanism(given: Given) -> str:
    mechanism = given.get("sasl.mechanism") or given.get("sasl.mechanisms") or "GSSAPI"
    if mechanism not in keys.MECHANISMS:
        default = " (Kafka's default)" if mechanism == "GSSAPI" else ""
        raise ConfigException(
            f"Invalid value {mechanism}{default} for configuration sasl.mechanism on Spark",
            detail=f"The installed librdkafka supports: {', '.join(keys.MECHANISMS)}.",
            hint="Let the broker offer one of them, for instance SCRAM-SHA-512.",
        )
    return mechanism


def _files_for_the_jvm(given: Given) -> dict[str, str]:
    found = {}
    if "ssl.ca.location" in given and not any(n.startswith("ssl.truststore.") for n in given):
        found["ssl.truststore.location"] = given["ssl.ca.location"]
        found["ssl.truststore.type"] = "PEM"
    if "ssl.ca.pem" in given:
        found |= {"ssl.truststore.certificates": given["ssl.ca.pem"], "ssl.truststore.type": "PEM"}
    if "ssl.key.location" in given and "ssl.keystore.location" not in given:
        for own, new in _PEM_FILES.items():
            found[new] = _read(own, given.get(own, ""))
        found["ssl.keystore.type"] = "PEM"
    for store, name in _TYPE.items():
        path = given.get(f"{store}.location")
        if name in given:
            continue
        texts = ("ssl.truststore.certificates", "ssl.keystore.key")
        if (path and kind_of_store(f"{store}.location", path) == "PEM") or any(
            text in given and text.startswith(store) for text in texts
        ):
            # Without the type Java expects JKS or PKCS12.
            found[name] = "PEM"
    return found


def _read(key: str, path: str) -> str:
    try:
        return pem(key, Path(path).read_text(encoding="utf-8", errors="replace"))
    except OSError as error:
        raise ConfigException(
            f"Invalid value {path} for configuration {key}: it cannot be read: {error.strerror}"
        ) from error


def _wrong_module(module: LoginModule, detail: str) -> ConfigException:
    return ConfigException(
        f"Invalid value for configuration {JAAS} on Spark: login module {module.name}",
        detail=detail,
        hint="The sinks' clients are librdkafka and cannot run Java's login modules.",
    )


def as_text(value: Any) -> str:
    """Return a value of the configuration as the text that Java's clients read."""
    if isinstance(value, (list, tuple)):
        return ",".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
