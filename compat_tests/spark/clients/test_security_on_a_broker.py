"""An application's clients and a broker with TLS and SASL: they connect, or say why they do not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

from compat_tests.kafka.secured import (
    PASSWORD,
    PLAIN,
    SCRAM,
    SecuredBroker,
    can_make_certificates,
    secured_broker,
)
from compat_tests.spark.support import Playground, run_until
from millstream import (
    BrokerNotFoundException,
    ConfigException,
    KafkaStreams,
    StreamsBuilder,
    StreamsConfig,
    StreamsException,
)
from millstream.topology.spark.clients.settings import producer_settings
from millstream.topology.spark.driver import brokers
from millstream.topology.spark.driver.brokers import Brokers
from millstream.topology.spark.wire import binary_column
from millstream.topology.spark.worker.zero_time import ZeroTimeProducer, can_write

pytestmark = pytest.mark.skipif(not can_make_certificates(), reason="openssl is not there")

TLS_REFUSED = "SslAuthenticationException"
UNTRUSTED = "certificate verify failed"


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecuredBroker]:
    with secured_broker(tmp_path_factory.mktemp("secured")) as found:
        yield found


def user(module: str, mechanism: str, password: str = PASSWORD) -> dict[str, str]:
    jaas = f'{module} required username="alice" password="{password}";'
    return {"sasl.mechanism": mechanism, "sasl.jaas.config": jaas}


def truststore(secured: SecuredBroker, name: str) -> dict[str, str]:
    found = {"ssl.truststore.location": secured.path(name)}
    if not name.endswith(".pem"):
        found["ssl.truststore.password"] = PASSWORD
    return found


def identity(secured: SecuredBroker, form: str) -> dict[str, str]:
    if form == "texts":
        return {
            "ssl.keystore.type": "PEM",
            "ssl.keystore.key": secured.text("client.key").replace("\n", " "),
            "ssl.keystore.certificate.chain": secured.text("client.pem"),
        }
    found = {"ssl.keystore.location": secured.path(form)}
    if form.endswith(".p12"):
        found["ssl.keystore.password"] = PASSWORD
    return found


def connects(given: dict[str, Any]) -> None:
    """Connect with both of the clients outside the JVM."""
    config = StreamsConfig({"application.id": "app"} | given)
    assert Brokers(config).topic_sizes() is not None
    settings = producer_settings(config)
    if can_write(settings, []):
        columns = {
            "keys": binary_column([b"k"]),
            "values": binary_column([b"v"]),
            "timestamps": pa.array([0], pa.int64()),
        }
        producer = ZeroTimeProducer(settings, None)
        producer.write([("written", columns)])
        producer.close()
    else:
        assert "ssl.keystore.location" in settings


@pytest.mark.parametrize(("module", "mechanism"), [(PLAIN, "PLAIN"), (SCRAM, "SCRAM-SHA-256")])
def test_a_user_is_let_in(module: str, mechanism: str, secured: SecuredBroker) -> None:
    connects(secured.at("SASL") | user(module, mechanism))


@pytest.mark.parametrize("store", ["ca.pem", "ca.jks", "ca.pkcs12"])
def test_a_truststore_may_have_any_of_javas_forms(store: str, secured: SecuredBroker) -> None:
    connects(secured.at("TLS") | truststore(secured, store))


def test_trusted_certificates_may_be_a_text(secured: SecuredBroker) -> None:
    text = secured.text("ca.pem").replace("\n", "\\n")
    connects(secured.at("TLS") | {"ssl.truststore.certificates": text})


@pytest.mark.parametrize("form", ["client.p12", "client-both.pem", "texts"])
def test_a_client_shows_its_certificate(form: str, secured: SecuredBroker) -> None:
    trusted = truststore(secured, "ca.pkcs12")
    connects(secured.at("MUTUAL") | trusted | identity(secured, form))


def test_no_check_of_the_name_lets_a_broker_with_another_name_pass(secured: SecuredBroker) -> None:
    trusted = truststore(secured, "ca.pem")
    off = {"ssl.endpoint.identification.algorithm": ""}
    connects(secured.at("NAMED") | trusted | off)
    refused(
        secured.at("NAMED") | trusted, "SslAuthenticationException", "certificate verify failed"
    )


def refused(given: dict[str, Any], kind: str, text: str) -> None:
    with pytest.raises(StreamsException, match=text) as failure:
        Brokers(StreamsConfig({"application.id": "app"} | given)).topic_sizes()
    assert type(failure.value.__cause__).__name__ == kind
    assert PASSWORD not in str(failure.value)


@pytest.mark.parametrize(("module", "mechanism"), [(PLAIN, "PLAIN"), (SCRAM, "SCRAM-SHA-256")])
def test_a_wrong_password_is_called_that(
    module: str, mechanism: str, secured: SecuredBroker
) -> None:
    given = secured.at("SASL") | user(module, mechanism, "wrong")
    refused(given, "SaslAuthenticationException", "uthentication failed")


def test_a_mechanism_that_the_broker_has_not_is_called_that(secured: SecuredBroker) -> None:
    given = secured.at("SASL") | user(SCRAM, "SCRAM-SHA-512")
    refused(given, "SaslAuthenticationException", "SCRAM-SHA-512")


def test_an_unknown_authority_is_called_that(secured: SecuredBroker) -> None:
    trusted = truststore(secured, "other.jks")
    refused(secured.at("TLS") | trusted, TLS_REFUSED, UNTRUSTED)


def test_a_missing_certificate_of_the_client_is_called_that(secured: SecuredBroker) -> None:
    given = secured.at("MUTUAL") | truststore(secured, "ca.pem")
    refused(given, TLS_REFUSED, "certificate")


def test_a_protocol_that_is_not_the_listeners_is_hinted_at(
    secured: SecuredBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(brokers, "TIMEOUT_S", 2.0)
    given = secured.at("TLS") | {"security.protocol": "PLAINTEXT"}
    with pytest.raises(BrokerNotFoundException, match="security.protocol"):
        Brokers(StreamsConfig({"application.id": "app"} | given)).topic_sizes()


def test_a_wrong_password_of_a_truststore_is_called_that(secured: SecuredBroker) -> None:
    given = secured.at("TLS") | truststore(secured, "ca.jks") | {"ssl.truststore.password": "no"}
    with pytest.raises(ConfigException, match="password was incorrect"):
        Brokers(StreamsConfig({"application.id": "app"} | given))


def test_a_keystore_that_only_a_jvm_reads_is_refused_with_what_to_do(
    secured: SecuredBroker,
) -> None:
    given = secured.at("MUTUAL") | truststore(secured, "ca.jks") | identity(secured, "client.jks")
    with pytest.raises(ConfigException, match="keytool -importkeystore"):
        Brokers(StreamsConfig({"application.id": "app"} | given))


@pytest.mark.spark
def test_an_application_runs_with_tls_and_a_password(
    secured: SecuredBroker, spark: Any, tmp_path: Any
) -> None:
    play = Playground(secured.broker.bootstrap_servers, "secured", tmp_path)
    source, target = play.topic("in"), play.topic("out")
    play.produce(source, [(b"k", b"v", 0), (b"l", b"w", 7)])
    builder = StreamsBuilder()
    builder.stream(source).groupByKey().count().toStream().mapValues(str).to(target)
    config = play.config(processing_guarantee="exactly_once_v2") | secured.at("BOTH")
    config |= user(SCRAM, "SCRAM-SHA-256") | truststore(secured, "ca.jks")
    streams = KafkaStreams(builder.build(), config, spark=spark)
    run_until(streams, lambda: sum(play.committed("secured", source).values()), 2)
    assert sorted(play.pairs(target, 2)) == [(b"k", b"1"), (b"l", b"1")]
