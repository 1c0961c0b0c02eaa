"""Client credentials of SASL OAUTHBEARER, in the words of each client of an application."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from millstream import ConfigException
from millstream.topology.spark.clients.jaas import OAUTH, jaas_text, parse_jaas
from millstream.topology.spark.clients.oauth import HANDLER
from millstream.topology.spark.clients.security import connector_security, librdkafka_security
from millstream.topology.spark.worker.zero_time import can_write

URL = "https://tokens/here"
FORMER = HANDLER.replace("OAuthBearerLogin", "secured.OAuthBearerLogin")
OWN = "sasl.oauthbearer."


def oauth(jaas: dict[str, str] | None = None, **more: str) -> dict[str, Any]:
    found = {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "OAUTHBEARER"}
    if jaas is not None:
        found["sasl.jaas.config"] = jaas_text(OAUTH, jaas)
    return found | {OWN + name.replace("_", "."): value for name, value in more.items()}


JAVA = oauth({"clientId": "me", "clientSecret": 's"+', "scope": "all"}, token_endpoint_url=URL)
SPELLINGS = {
    "in the login module": JAVA,
    "with the former handler": JAVA | {"sasl.login.callback.handler.class": FORMER},
    "by Kafka 4.1's entries": oauth(
        token_endpoint_url=URL,
        client_credentials_client_id="me",
        client_credentials_client_secret='s"+',
        scope="all",
    ),
    "by librdkafka's entries": oauth(
        token_endpoint_url=URL, method="oidc", client_id="me", client_secret='s"+', scope="all"
    ),
}


@pytest.mark.parametrize("given", SPELLINGS.values(), ids=SPELLINGS)
def test_each_client_gets_the_credentials_in_its_words(given: dict[str, Any]) -> None:
    found = librdkafka_security(given)
    assert {name: found[OWN + name] for name in ("method", "client.id", "client.secret")} == {
        "method": "oidc",
        "client.id": "me",
        "client.secret": 's"+',
    }
    assert (found[f"{OWN}scope"], found[f"{OWN}token.endpoint.url"]) == ("all", URL)
    # The third client has no such login; it is not used.
    assert not can_write(found, [])
    jvm = connector_security(given)
    options = {"clientId": "me", "clientSecret": 's"+', "scope": "all"}
    assert parse_jaas(jvm["sasl.jaas.config"]).options == options
    assert jvm["sasl.login.callback.handler.class"] == HANDLER
    assert jvm[f"{OWN}token.endpoint.url"] == URL
    # It is a secret under a name that Spark's client does not know.
    assert not any("credentials" in name for name in jvm)


def test_scopes_and_extensions_mean_the_same_to_every_client() -> None:
    jaas = {"clientId": "me", "clientSecret": "s", "scope": "a b&c"}
    extensions = {"extension_logicalCluster": "lkc-1", "extension_identityPoolId": "pool-2"}
    given = oauth(jaas | extensions, token_endpoint_url=URL, sub_claim_name="azp")
    found = librdkafka_security(given)
    assert found[f"{OWN}scope"] == "a+b%26c"
    assert found[f"{OWN}extensions"] == "logicalCluster=lkc-1,identityPoolId=pool-2"
    assert found[f"{OWN}sub.claim.name"] == "azp"
    assert parse_jaas(connector_security(given)["sasl.jaas.config"]).options == jaas | extensions
    other = oauth(jaas, token_endpoint_url=URL, extensions="logicalCluster=lkc-1")
    jvm = parse_jaas(connector_security(other)["sasl.jaas.config"]).options
    assert jvm["extension_logicalCluster"] == "lkc-1"


def test_credentials_are_encoded_where_java_is_told_to() -> None:
    jaas = {"clientId": "m e", "clientSecret": "s+/"}
    found = librdkafka_security(oauth(jaas, token_endpoint_url=URL, header_urlencode="true"))
    assert (found[f"{OWN}client.id"], found[f"{OWN}client.secret"]) == ("m+e", "s%2B%2F")


def test_whom_the_endpoint_trusts_is_an_option_of_the_login_module(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("-----BEGIN CERTIFICATE-----\nTUlJQg==\n-----END CERTIFICATE")
    path = str(tmp_path / "ca.pem")
    jaas = {"clientId": "me", "clientSecret": "s", "ssl.truststore.location": path}
    given = oauth(jaas, token_endpoint_url=URL)
    assert librdkafka_security(given)["https.ca.location"] == path
    jvm = parse_jaas(connector_security(given)["sasl.jaas.config"]).options
    assert jvm["ssl.truststore.type"] == "PEM"
    plain = given | {f"{OWN}token.endpoint.url": "http://tokens/here"}
    assert "https.ca.location" not in librdkafka_security(plain)


def test_unsecured_tokens_are_made_by_both_clients() -> None:
    by_java = oauth({"unsecuredLoginStringClaim_sub": "alice"})
    by_librdkafka = oauth(config="principal=alice")
    for given in (by_java, by_librdkafka):
        found = librdkafka_security(given)
        assert found["enable.sasl.oauthbearer.unsecure.jwt"] is True
        assert found[f"{OWN}config"] == "principal=alice"
        jvm = parse_jaas(connector_security(given)["sasl.jaas.config"])
        assert jvm.options == {"unsecuredLoginStringClaim_sub": "alice"}


WRONG = {
    "no endpoint": (oauth({"clientId": "me", "clientSecret": "s"}), "token.endpoint.url"),
    "no secret": (oauth({"clientId": "me"}, token_endpoint_url=URL), "clientSecret"),
    "a file": (
        oauth({"clientId": "me", "clientSecret": "s"}, token_endpoint_url="file:///tmp/token"),
        "Files with tokens are for Java clients only",
    ),
    "no file of trust": (
        oauth(
            {"clientId": "me", "clientSecret": "s", "ssl.truststore.location": "/no/such"},
            token_endpoint_url=URL,
        ),
        "/no/such",
    ),
    "own handler": (
        JAVA | {"sasl.login.callback.handler.class": "com.acme.Handler"},
        "sasl.login.callback.handler.class",
    ),
}


@pytest.mark.parametrize(("given", "named"), WRONG.values(), ids=WRONG)
def test_what_not_every_client_can_do_is_refused(given: dict[str, Any], named: str) -> None:
    with pytest.raises(ConfigException, match=named):
        librdkafka_security(given)
