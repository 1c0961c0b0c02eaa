"""What the registry's client is told: credentials, TLS, addresses, and what is refused."""

from __future__ import annotations

import base64
import json
import logging
import ssl
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import confluent_kafka
import pytest

from compat_tests.certificates import self_signed
from compat_tests.serdes.registry.support import URL
from millstream import (
    ConfigException,
    PrimitiveAvroSerde,
    SchemaRegistryAuthenticationException,
    SchemaRegistryAuthorizationException,
    SchemaRegistryUnavailableException,
)

USER = "Basic " + base64.b64encode(b"user:secret").decode()
QUICK = {"max.retries": 0, "retries.wait.ms": 1}
Server = Callable[..., str]


@pytest.fixture
def server() -> Iterator[Server]:
    """Starts servers that give every schema the id 1 to those with the right credentials."""
    started: list[ThreadingHTTPServer] = []

    def start(
        wanted: str | None = None,
        *,
        status: int = 401,
        context: Any = None,
        page: bytes | None = None,
        page_status: int = 200,
    ) -> str:
        class Answer(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(page_status)
                self.end_headers()
                self.wfile.write(page or b"")

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                allowed = wanted is None or self.headers.get("Authorization") == wanted
                body = {"id": 1} if allowed else {"error_code": status, "message": "refused"}
                self.send_response(page_status if allowed else status)
                self.end_headers()
                self.wfile.write(json.dumps(body).encode() if page is None else page)

            def log_message(self, *arguments: Any) -> None:
                del arguments

        http = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        if context is not None:
            http.socket = context.wrap_socket(http.socket, server_side=True)
        threading.Thread(target=http.serve_forever, daemon=True).start()
        started.append(http)
        scheme = "http" if context is None else "https"
        return f"{scheme}://127.0.0.1:{http.server_port}"

    yield start
    for http in started:
        http.shutdown()
        http.server_close()


def written(url: str, **entries: Any) -> bytes | None:
    serde: Any = PrimitiveAvroSerde(str)
    named = {name.replace("_", "."): value for name, value in entries.items()}
    serde.configure({URL: url, **QUICK, **named}, False)
    return serde.serializer().serialize("t", "x")  # type: ignore[no-any-return]


WRITTEN = b"\0\0\0\0\x01\x02x"


def test_user_and_password_are_sent(server: Server) -> None:
    url = server(USER)
    entries = {"basic_auth_credentials_source": "USER_INFO"}
    assert written(url, **entries, basic_auth_user_info="user:secret") == WRITTEN
    older = {"schema_registry_basic_auth_user_info": "user:secret"}
    assert written(url, **entries, **older) == WRITTEN
    assert written(url.replace("//", "//user:secret@")) == WRITTEN


@pytest.mark.skipif(
    confluent_kafka.libversion()[1] < 0x020F0000,
    reason="before 2.15 its client asks for an identity pool",
)
def test_a_token_is_sent(server: Server) -> None:
    url = server("Bearer abc")
    entries = {
        "bearer_auth_credentials_source": "STATIC_TOKEN",
        "bearer_auth_logical_cluster": "lsrc-1",
    }
    assert written(url, **entries, bearer_auth_token="abc") == WRITTEN
    with pytest.raises(ConfigException, match=r"bearer\.auth\.token is missing"):
        written(url, **entries)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, SchemaRegistryAuthenticationException),
        (403, SchemaRegistryAuthorizationException),
        (503, SchemaRegistryUnavailableException),
    ],
)
def test_a_refusal_is_told_by_its_kind_and_without_the_password(
    server: Server, status: int, kind: Any
) -> None:
    url = server("nobody", status=status).replace("//", "//user:wrong@")
    with pytest.raises(kind) as caught:
        written(url)
    assert "wrong" not in str(caught.value)
    assert f"HTTP status {status}" in str(caught.value)


@pytest.mark.parametrize(
    ("page", "status"),
    [
        (b"<html>Sign in</html>", 200),
        (b"", 200),
        (b"[]", 200),
        (b"{}", 200),
        (b'{"id": "x"}', 200),
        (b"<html>Not found</html>", 404),
        (b'{"message": "no route"}', 404),
        (b"", 302),
    ],
)
def test_a_page_of_a_proxy_is_no_fault_of_the_record(
    server: Server, page: bytes, status: int
) -> None:
    url = server(page=page, page_status=status)
    with pytest.raises(SchemaRegistryUnavailableException, match="No schema registry's API"):
        written(url)
    serde = PrimitiveAvroSerde(str)
    serde.configure({URL: url, **QUICK}, False)
    with pytest.raises(SchemaRegistryUnavailableException, match="No schema registry's API"):
        serde.deserializer().deserialize("t", WRITTEN)


def test_several_addresses_are_tried_in_turn(server: Server) -> None:
    assert written(f"http://127.0.0.1:1,{server()}") == WRITTEN


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A PEM file of a key and a certificate for 127.0.0.1."""
    return self_signed(tmp_path / "registry.pem", "registry")


def test_tls_trusts_the_certificates_of_the_truststore(server: Server, certificate: Path) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    url = server(context=context)
    trust = {"schema_registry_ssl_truststore_location": str(certificate)}
    assert written(url, **trust) == WRITTEN
    own = {"schema_registry_ssl_keystore_location": str(certificate)}
    assert written(url, **trust, **own) == WRITTEN
    with pytest.raises(SchemaRegistryAuthenticationException, match="CERTIFICATE_VERIFY_FAILED"):
        written(url)


@pytest.mark.parametrize(
    ("entries", "problem"),
    [
        ({URL: "localhost:8081"}, "it is no address"),
        ({URL: "mock://a,mock://b"}, "Only one mock scope is permitted"),
        ({URL: "mock://a,http://b"}, "Cannot mix mock and real urls"),
        ({"basic.auth.credentials.source": "SASL_INHERIT"}, "Invalid value SASL_INHERIT"),
        ({"basic.auth.credentials.source": "USER_INFO"}, "not of the form user:password"),
        ({"basic.auth.user.inf": "a:b"}, "Unknown configuration 'basic.auth.user.inf'"),
        ({"bearer.auth.credentials.source": "CUSTOM"}, "Invalid value CUSTOM"),
        ({"rule.executors": "encryption"}, "it is not supported here"),
        ({"request.header.X": "y"}, "is not supported here"),
        ({"max.retries": -1}, "Value must be at least 0"),
        ({"auto.register.schemas": "perhaps"}, "either true or false"),
        ({"value.subject.name.strategy": "no.such.Strategy"}, "could not be found"),
        ({"value.schema.id.serializer": dict}, "Invalid value"),
        ({"schema.registry.ssl.truststore.location": "/no/such/file"}, "cannot be read"),
        ({"schema.registry.ssl.truststore.type": "JKS"}, "it is not PEM"),
        ({"schema.registry.ssl.engine.factory.class": "x"}, "is not supported here"),
    ],
)
def test_an_entry_that_cannot_be_used_is_refused(entries: dict[str, Any], problem: str) -> None:
    serde: Any = PrimitiveAvroSerde(str)
    with pytest.raises(ConfigException) as caught:
        serde.configure({URL: "http://localhost:8081", **entries}, False)
    assert problem in str(caught.value)


def test_a_password_is_in_no_text(caplog: pytest.LogCaptureFixture) -> None:
    serde: Any = PrimitiveAvroSerde(str)
    user = {"basic.auth.credentials.source": "USER_INFO", "basic.auth.user.info": "u:hidden-one"}
    serde.configure({URL: "http://u:hidden-two@localhost:1", **user}, False)
    settings = serde.serializer()._settings
    assert "hidden-one" not in repr(settings.connection)
    assert "hidden" not in settings.connection.shown_url
    assert "hidden" not in caplog.text


@pytest.mark.parametrize(
    "url",
    [
        "u:hidden@localhost:8081",
        "ftp://u:hidden@localhost",
        "mock://a,http://u:hidden@localhost",
        # The client said it of each record, with an error that handlers of records are asked about.
        "http://u:hidden@localhost:port",
        "http://u:hidden@localhost:99999",
        "http://u:hidden@[::1",
        "http://u:hidden@",
    ],
)
def test_an_address_with_a_password_is_refused_without_it(url: str) -> None:
    serde: Any = PrimitiveAvroSerde(str)
    with pytest.raises(ConfigException) as caught:
        serde.configure({URL: url}, False)
    assert "hidden" not in str(caught.value)


def test_a_slip_is_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    serde: Any = PrimitiveAvroSerde(str)
    with caplog.at_level(logging.WARNING):
        serde.configure({URL: "mock://slips", "auto.register.schema": False}, False)
        serde.configure({URL: "mock://slips", "basic.auth.user.info": "a:b"}, False)
        serde.configure({URL: "http://slips:1", "basic.auth.user.info": "a:b"}, False)
    assert 'Did you mean "auto.register.schemas"?' in caplog.text
    assert "basic.auth.user.info has no effect" in caplog.text


@pytest.mark.parametrize(
    "entry",
    [
        {"avro.use.logical.type.converters": "true"},
        {"avro.fail.on.trailing.data": False},
        {"json.oneof.for.nullables": False},
        {
            "value.schema.id.deserializer": "io.confluent.kafka.serializers.schema.id."
            "DualSchemaIdDeserializer"
        },
    ],
)
def test_an_entry_of_java_that_changes_nothing_here_is_warned_of(
    entry: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    serde: Any = PrimitiveAvroSerde(str)
    with caplog.at_level(logging.WARNING):
        serde.configure({URL: "mock://effect", **entry}, False)
    assert f'configuration key "{next(iter(entry))}" has no effect' in caplog.text
