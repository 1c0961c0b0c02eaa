"""Kafka's Java settings for TLS and SASL, in the words of each client of an application."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import Any

import pytest

from millstream import ConfigException, StreamsConfig
from millstream.jars import jars
from millstream.topology.spark.clients import security_keys as keys
from millstream.topology.spark.clients.certificates import kind_of_store, pem
from millstream.topology.spark.clients.jaas import PLAIN, SCRAM, jaas_text, parse_jaas
from millstream.topology.spark.clients.security import connector_security, librdkafka_security
from millstream.topology.spark.clients.settings import (
    client_settings,
    connector_settings,
    consumer_settings,
    producer_settings,
)

CERTIFICATE = "-----BEGIN CERTIFICATE-----\nTUlJQg==\n-----END CERTIFICATE-----\n"
KEY = "-----BEGIN PRIVATE KEY-----\nTUlJQg==\n-----END PRIVATE KEY-----\n"


def sasl(module: str, mechanism: str, **more: Any) -> dict[str, Any]:
    text = f'{module} required username="alice" password="a;\\"b\\\\";'
    return {
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": mechanism,
        "sasl.jaas.config": text,
    } | more


def tls(**more: Any) -> dict[str, Any]:
    return {"security.protocol": "SSL"} | {k.replace("_", "."): v for k, v in more.items()}


@pytest.mark.parametrize("kit", ["spark", "kafka"])
def test_every_setting_of_kafkas_clients_is_translated_or_refused_by_name(kit: str) -> None:
    jar = next(path for path in jars(kit) if Path(path).name.startswith("kafka-clients"))
    found: set[str] = set()
    with zipfile.ZipFile(jar) as classes:
        for name in ("SslConfigs", "SaslConfigs"):
            content = classes.read(f"org/apache/kafka/common/config/{name}.class")
            # A constant of the class: its length in two bytes, then its text.
            texts = re.findall(rb"\x01\x00(.)((?:ssl|sasl)\.[a-z0-9._]+)", content, re.DOTALL)
            found |= {text[: size[0]].decode() for size, text in texts if len(text) >= size[0]}
    assert len(found) > 40
    assert found - keys.TRANSLATED - keys.JVM_ONLY - keys.REFUSED.keys() == set()


@pytest.mark.parametrize(
    ("module", "mechanism"), [(PLAIN, "PLAIN"), (SCRAM, "SCRAM-SHA-256"), (SCRAM, "SCRAM-SHA-512")]
)
def test_user_and_password_come_from_the_login_module(module: str, mechanism: str) -> None:
    found = librdkafka_security(sasl(module, mechanism))
    assert found == {
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": mechanism,
        "sasl.username": "alice",
        "sasl.password": 'a;"b\\',
    }


def test_librdkafkas_words_reach_the_jvm(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text(CERTIFICATE)
    given = {
        "security.protocol": "sasl_ssl",
        "sasl.mechanisms": "PLAIN",
        "sasl.username": "alice",
        "sasl.password": 'p"',
        "ssl.ca.location": str(tmp_path / "ca.pem"),
    }
    assert connector_security(given) == {
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "PLAIN",
        "sasl.jaas.config": f'{PLAIN} required username="alice" password="p\\"";',
        "ssl.truststore.location": str(tmp_path / "ca.pem"),
        "ssl.truststore.type": "PEM",
    }
    assert librdkafka_security(given)["sasl.username"] == "alice"


REFUSED = [
    (sasl(PLAIN, "GSSAPI"), "GSSAPI"),
    ({"security.protocol": "SASL_SSL"}, "GSSAPI"),
    (sasl(PLAIN, "AWS_MSK_IAM"), "AWS_MSK_IAM"),
    (sasl(SCRAM, "PLAIN"), "ScramLoginModule"),
    (sasl("com.acme.Login", "PLAIN"), "com.acme.Login"),
    ({"security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN"}, "sasl.jaas.config is missing"),
    (sasl(PLAIN, "PLAIN") | {"sasl.jaas.config": f"{PLAIN} required"}, "sasl.jaas.config"),
    (sasl(PLAIN, "PLAIN") | {"sasl.jaas.config": f"{PLAIN} required;"}, "sasl.jaas.config"),
    (
        sasl(PLAIN, "PLAIN") | {"sasl.login.callback.handler.class": "com.acme.H"},
        "sasl.login.callback.handler.class",
    ),
    ({"security.protocol": "SASL_SSL", "sasl.mechanism": "OAUTHBEARER"}, "OAUTHBEARER"),
    (tls(ssl_protocol="TLSv1.1"), "ssl.protocol"),
    (tls(ssl_enabled_protocols="TLSv1.3"), "ssl.enabled.protocols"),
    (tls(ssl_engine_factory_class="com.acme.E"), "ssl.engine.factory.class"),
    (tls(ssl_provider="BC"), "ssl.provider"),
    (tls(ssl_cipher_suites="NO_SUCH"), "NO_SUCH"),
    (tls(ssl_truststore_certificates="/etc/ca.pem"), "ssl.truststore.certificates"),
    (tls(ssl_truststore_location="/no/such/file"), "/no/such/file"),
    (tls(ssl_trust_location="x"), "ssl.trust.location"),
]


@pytest.mark.parametrize(("given", "named"), REFUSED, ids=[named for _, named in REFUSED])
def test_what_not_every_client_can_do_is_refused_by_name(given: Any, named: str) -> None:
    with pytest.raises(ConfigException, match=re.escape(named)) as failure:
        librdkafka_security(given)
    assert failure.value.hint or "cannot be read" in str(failure.value)


def test_what_the_protocol_does_not_use_does_not_matter() -> None:
    given = {"ssl.provider": "BC", "sasl.mechanism": "GSSAPI", "security.protocol": "PLAINTEXT"}
    assert librdkafka_security(given) == {"security.protocol": "PLAINTEXT"}
    assert librdkafka_security({}) == {"security.protocol": "PLAINTEXT"}


def test_the_usual_settings_of_tls_are_accepted() -> None:
    found = librdkafka_security(
        tls(
            ssl_protocol="TLSv1.3",
            ssl_enabled_protocols=["TLSv1.2", "TLSv1.3"],
            ssl_trustmanager_algorithm="PKIX",
            ssl_endpoint_identification_algorithm="HTTPS",
            ssl_cipher_suites="TLS_AES_256_GCM_SHA384,TLS_RSA_WITH_AES_128_CBC_SHA",
        )
    )
    assert found == {
        "security.protocol": "SSL",
        "ssl.endpoint.identification.algorithm": "https",
        "ssl.cipher.suites": "AES128-SHA",
    }


def test_no_check_of_the_brokers_name_reaches_every_client() -> None:
    given = {
        "application.id": "app",
        "bootstrap.servers": "here:1",
        "security.protocol": "SSL",
        "ssl.endpoint.identification.algorithm": "",
    }
    config = StreamsConfig(given)
    name = "ssl.endpoint.identification.algorithm"
    for found in (
        client_settings(config),
        producer_settings(config),
        consumer_settings(config, ""),
    ):
        assert found[name] == "none"
    assert connector_settings(config)[f"kafka.{name}"] == ""


def test_pem_texts_may_be_on_one_line() -> None:
    one_line = CERTIFICATE.replace("\n", " ") + CERTIFICATE.replace("\n", "\\n")
    given = tls(
        ssl_truststore_certificates=one_line,
        ssl_keystore_key=KEY.replace("\n", ""),
        ssl_keystore_certificate_chain=CERTIFICATE,
        ssl_key_password="k",
    )
    assert librdkafka_security(given) == {
        "security.protocol": "SSL",
        "ssl.ca.pem": CERTIFICATE * 2,
        "ssl.key.pem": KEY,
        "ssl.certificate.pem": CERTIFICATE,
        "ssl.key.password": "k",
    }
    jvm = connector_security(given)
    assert (jvm["ssl.truststore.type"], jvm["ssl.keystore.type"]) == ("PEM", "PEM")


def test_settings_of_one_client_are_for_that_client_alone() -> None:
    config = StreamsConfig(
        {
            "application.id": "app",
            "bootstrap.servers": "here:1",
            "security.protocol": "SASL_PLAINTEXT",
            "sasl.mechanism": "PLAIN",
            **{
                f"{client}.sasl.jaas.config": jaas_text(PLAIN, {"username": u, "password": "p"})
                for client, u in (("producer", "writer"), ("consumer", "reader"), ("admin", "boss"))
            },
        }
    )
    assert client_settings(config)["sasl.username"] == "boss"
    assert producer_settings(config)["sasl.username"] == "writer"
    assert consumer_settings(config, "g")["sasl.username"] == "reader"
    assert 'username="reader"' in connector_settings(config)["kafka.sasl.jaas.config"]


def test_a_login_module_is_read_as_java_reads_it() -> None:
    text = 'a.B  REQUIRED\n  one=1 two=\'t o\'\n three = "3\\"" ;\n'
    assert parse_jaas(text).options == {"one": "1", "two": "t o", "three": '3"'}


def test_a_wrong_login_module_is_refused_without_showing_it() -> None:
    with pytest.raises(ConfigException) as failure:
        parse_jaas(f'{PLAIN} required username="alice" password="pa55;')
    assert "pa55" not in str(failure.value)


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("hello")
    with pytest.raises(ConfigException, match="no JKS, PKCS12 or PEM"):
        kind_of_store("ssl.truststore.location", str(tmp_path / "x"))
    with pytest.raises(ConfigException, match="not PEM"):
        pem("ssl.keystore.key", "hello")
