"""An application's clients and a broker with TLS and SASL: they connect, or say why they do not."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial
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
from compat_tests.kafka.tokens import (
    FORMER_HANDLER,
    HANDLER,
    Issuer,
    TokenEndpoint,
    oauth_entries,
    token_endpoint,
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
from millstream.testing.broker import wait_for
from millstream.topology.spark.clients.settings import producer_settings
from millstream.topology.spark.driver import brokers
from millstream.topology.spark.driver.brokers import Brokers
from millstream.topology.spark.wire import binary_column
from millstream.topology.spark.worker.zero_time import ZeroTimeProducer, can_write

pytestmark = pytest.mark.skipif(not can_make_certificates(), reason="openssl is not there")

TLS_REFUSED, SASL_REFUSED = "SslAuthenticationException", "SaslAuthenticationException"
_NUMBERS = itertools.count()
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
        assert "ssl.keystore.location" in settings or settings["sasl.mechanism"] == "OAUTHBEARER"


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


def runs(secured: SecuredBroker, spark: Any, directory: Any, entries: dict[str, Any]) -> None:
    """Run an application with exactly-once, to its last record."""
    play = Playground(secured.broker.bootstrap_servers, f"secured{next(_NUMBERS)}", directory)
    source, target = play.topic("in"), play.topic("out")
    play.produce(source, [(b"k", b"v", 1), (b"l", b"w", 7), (b"m", b"x", 8)])
    builder = StreamsBuilder()
    builder.stream(source).groupByKey().count().toStream().mapValues(str).to(target)
    config = play.config(processing_guarantee="exactly_once_v2") | entries
    streams = KafkaStreams(builder.build(), config, spark=spark)
    run_until(streams, lambda: sum(play.committed(play.name, source).values()), 3)
    assert sorted(play.pairs(target, 3)) == [(b"k", b"1"), (b"l", b"1"), (b"m", b"1")]


def start_is_refused(entries: dict[str, Any], directory: Any, kind: str, text: str) -> str:
    """Start an application that is refused before Spark starts, and return the error."""
    builder = StreamsBuilder()
    builder.stream("in").to("out")
    own = {"application.id": "refused", "state.dir": str(directory)}
    streams = KafkaStreams(builder.build(), own | entries)
    with pytest.raises(StreamsException, match=text) as failure, streams:
        streams.start()
    assert type(failure.value.__cause__).__name__ == kind
    return str(failure.value)


@pytest.mark.spark
def test_an_application_runs_with_tls_and_a_password(
    secured: SecuredBroker, spark: Any, tmp_path: Any
) -> None:
    both = user(SCRAM, "SCRAM-SHA-256") | truststore(secured, "ca.jks")
    runs(secured, spark, tmp_path, secured.at("BOTH") | both)


@pytest.mark.long
@pytest.mark.spark
@pytest.mark.parametrize("form", ["client.p12", "client-both.pem", "texts"])
def test_an_application_runs_with_a_certificate_of_its_own(
    form: str, secured: SecuredBroker, spark: Any, tmp_path: Any
) -> None:
    own = truststore(secured, "ca.pem") | identity(secured, form)
    runs(secured, spark, tmp_path, secured.at("MUTUAL") | own)


def test_an_application_with_a_certificate_of_another_authority_is_refused(
    secured: SecuredBroker, tmp_path: Any
) -> None:
    wrong = truststore(secured, "ca.pem") | identity(secured, "stranger-both.pem")
    told = start_is_refused(secured.at("MUTUAL") | wrong, tmp_path, TLS_REFUSED, "certificate")
    assert "ssl.keystore" in told


def at_tokens(secured: SecuredBroker) -> dict[str, Any]:
    if "OAUTH" not in secured.ports:
        pytest.skip("jose4j, with which a broker validates tokens, cannot be fetched")
    return secured.at("OAUTH") | truststore(secured, "ca.pem")


@pytest.mark.parametrize("handler", [HANDLER, FORMER_HANDLER])
def test_a_token_lets_a_client_in(handler: str, secured: SecuredBroker) -> None:
    with token_endpoint(secured.issuer) as endpoint:
        scope = 'scope="read write&more"'
        given = oauth_entries(endpoint.url, handler=handler, options=scope)
        connects(at_tokens(secured) | given)
    assert {body for _, body in endpoint.asked} == {
        "grant_type=client_credentials&scope=read+write%26more"
    }


@pytest.mark.parametrize("store", ["ca.pem", "ca.jks", None])
def test_the_token_endpoints_certificate_is_checked(
    store: str | None, secured: SecuredBroker
) -> None:
    options = ""
    if store is not None:
        found = truststore(secured, store).items()
        options = " ".join(f'{name}="{value}"' for name, value in found)
    certificate = secured.directory / "broker-both.pem"
    with token_endpoint(secured.issuer, certificate=certificate) as endpoint:
        given = at_tokens(secured) | oauth_entries(endpoint.url, options=options)
        if store is None:
            refused(given, SASL_REFUSED, "certificate")
        else:
            connects(given)


def test_an_application_with_a_wrong_client_secret_is_refused(
    secured: SecuredBroker, tmp_path: Any, caplog: pytest.LogCaptureFixture
) -> None:
    wrong = "unmistakable-wr0ng-secret"
    with token_endpoint(secured.issuer) as endpoint:
        given = at_tokens(secured) | oauth_entries(endpoint.url, wrong)
        told = start_is_refused(given, tmp_path, SASL_REFUSED, "invalid_client")
    assert "clientSecret" in told
    assert wrong not in told + caplog.text
    assert (endpoint.asked, endpoint.refused > 0) == ([], True)


def test_a_wrong_client_secret_of_the_consumer_alone_is_called_that(
    secured: SecuredBroker,
) -> None:
    with token_endpoint(secured.issuer) as endpoint:
        given = at_tokens(secured) | oauth_entries(endpoint.url)
        wrong = oauth_entries(endpoint.url, "unmistakable-wr0ng-secret")["sasl.jaas.config"]
        config = {"application.id": "app"} | given | {"consumer.sasl.jaas.config": wrong}
        with pytest.raises(StreamsException, match="invalid_client") as failure:
            Brokers(StreamsConfig(config)).committed([("in", 0)])
    assert type(failure.value.__cause__).__name__ == SASL_REFUSED


@pytest.mark.parametrize("wrong", ["audience", "signature", "time", "endpoint"])
def test_a_token_that_is_not_taken_is_called_that(
    wrong: str, secured: SecuredBroker, tmp_path: Any
) -> None:
    issuer, text = secured.issuer, "invalid_token"
    claims: dict[str, Any] = {}
    if wrong == "audience":
        claims = {"aud": "other-brokers"}
    elif wrong == "signature":
        issuer = Issuer(tmp_path / "keys.json")
    elif wrong == "time":
        claims, text = {"exp": 1_000_000_000}, "unexpired token"
    with token_endpoint(issuer, **claims) as endpoint:
        given = at_tokens(secured) | oauth_entries(endpoint.url)
        if wrong != "endpoint":
            refused(given, SASL_REFUSED, text)
    if wrong == "endpoint":
        refused(given, SASL_REFUSED, "Could not connect to server")


@pytest.mark.spark
def test_an_application_runs_with_tokens(secured: SecuredBroker, spark: Any, tmp_path: Any) -> None:
    with token_endpoint(secured.issuer) as endpoint:
        runs(secured, spark, tmp_path, at_tokens(secured) | oauth_entries(endpoint.url))
    # Both kinds of client have got tokens of their own.
    assert {"Java", "None"} <= {program for program, _ in endpoint.asked}


@pytest.mark.long
@pytest.mark.spark
def test_an_application_outlives_its_tokens(
    secured: SecuredBroker, spark: Any, tmp_path: Any
) -> None:
    play = Playground(secured.broker.bootstrap_servers, f"secured{next(_NUMBERS)}", tmp_path)
    source, target = play.topic("in"), play.topic("out")
    builder = StreamsBuilder()
    builder.stream(source).to(target)
    with token_endpoint(secured.issuer, lifetime_s=8) as endpoint:
        config = play.config(processing_guarantee="exactly_once_v2")
        config |= at_tokens(secured) | oauth_entries(endpoint.url)
        streams = KafkaStreams(builder.build(), config, spark=spark)
        sent = []
        with streams:
            streams.start()
            for number in range(4):
                sent.append((b"k", str(number).encode()))
                play.produce(source, [(*sent[-1], 1 + number)])
                assert play.pairs(target, len(sent)) == sent
                # The JVM logs in once, and again shortly before its token ends.
                so_far = len(by_the_jvm(endpoint))
                wait_for(partial(asked_again, endpoint, so_far), 60)
        assert play.pairs(target, len(sent)) == sent


def asked_again(endpoint: TokenEndpoint, before: int) -> bool:
    return len(by_the_jvm(endpoint)) > before


def by_the_jvm(endpoint: TokenEndpoint) -> list[str]:
    """Return the requests that came from the JVM and got a token."""
    return [body for program, body in endpoint.asked if program == "Java"]
