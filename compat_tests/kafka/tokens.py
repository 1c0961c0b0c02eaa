"""A token endpoint of OAuth for tests, and a broker's settings that validate what it signs."""

from __future__ import annotations

import base64
import json
import ssl
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.hashes import SHA256

from millstream.jars import JarError, jars

CLIENT, UNMISTAKABLE = "alice", "unmistakable-cl1ent-secret"
SECRET = f"{UNMISTAKABLE}+/%"
"""With characters that clients must not encode in different ways."""
AUDIENCE = "brokers-of-tests"
LIFETIME_S = 3600
_PACKAGE = "org.apache.kafka.common.security.oauthbearer"
MODULE = f"{_PACKAGE}.OAuthBearerLoginModule"
HANDLER = f"{_PACKAGE}.OAuthBearerLoginCallbackHandler"
FORMER_HANDLER = f"{_PACKAGE}.secured.OAuthBearerLoginCallbackHandler"
_VALIDATOR = f"{_PACKAGE}.OAuthBearerValidatorCallbackHandler"
_LOCK = Path(__file__).with_name("oauth.lock")


def validator_jars() -> Sequence[Path]:
    """Return the jars with which a broker validates signatures; none if they cannot be fetched."""
    try:
        return jars(_LOCK)
    except JarError:
        return ()


@dataclass(frozen=True)
class Issuer:
    """Who signs tokens: a key, and the file that tells brokers its public part."""

    keys: Path
    _key: rsa.RSAPrivateKey = field(
        default_factory=lambda: rsa.generate_private_key(65537, 2048), repr=False
    )

    def __post_init__(self) -> None:
        public = self._key.public_key().public_numbers()
        numbers = {name: _base64(_bytes(getattr(public, name))) for name in ("n", "e")}
        key = {"kty": "RSA", "use": "sig", "alg": "RS256", "kid": "tests", **numbers}
        self.keys.write_text(json.dumps({"keys": [key]}))

    def token(self, lifetime_s: int = LIFETIME_S, **claims: Any) -> str:
        """Return a token for the client, with claims in the place of the usual ones."""
        now = int(time.time())
        usual = {"sub": CLIENT, "aud": AUDIENCE, "iat": now, "exp": now + lifetime_s}
        body = usual | claims
        parts = ({"alg": "RS256", "typ": "JWT", "kid": "tests"}, body)
        signed = ".".join(_base64(json.dumps(part).encode()) for part in parts)
        signature = self._key.sign(signed.encode(), padding.PKCS1v15(), SHA256())
        return f"{signed}.{_base64(signature)}"

    def broker_settings(self, listener: str) -> dict[str, object]:
        """Return the settings of a broker's listener that takes this issuer's tokens."""
        own = f"listener.name.{listener}"
        return {
            f"{own}.sasl.enabled.mechanisms": "OAUTHBEARER",
            f"{own}.oauthbearer.sasl.jaas.config": f"{MODULE} required;",
            f"{own}.oauthbearer.sasl.server.callback.handler.class": _VALIDATOR,
            f"{own}.oauthbearer.sasl.oauthbearer.jwks.endpoint.url": self.keys.as_uri(),
            f"{own}.oauthbearer.sasl.oauthbearer.expected.audience": AUDIENCE,
            # A connection ends with its token, unless the client shows a new one (KIP-368).
            f"{own}.oauthbearer.connections.max.reauth.ms": LIFETIME_S * 1000,
        }

    def java_options(self) -> list[str]:
        """Return what lets a broker of Kafka 4 read the file of keys."""
        allowed = "-Dorg.apache.kafka.sasl.oauthbearer.allowed"
        return [f"{allowed}.urls={self.keys.as_uri()}", f"{allowed}.files={self.keys}"]


def oauth_entries(
    url: str, secret: str = SECRET, *, handler: str = HANDLER, options: str = ""
) -> dict[str, Any]:
    """Return an application's entries, as a program on the JVM has them."""
    own = f'clientId="{CLIENT}" clientSecret="{secret}" {options}'
    return {
        "sasl.mechanism": "OAUTHBEARER",
        "sasl.oauthbearer.token.endpoint.url": url,
        "sasl.login.callback.handler.class": handler,
        "sasl.jaas.config": f"{MODULE} required {own};",
    }


@dataclass
class TokenEndpoint:
    """A running endpoint: its address, and what it was asked."""

    issuer: Issuer
    lifetime_s: int
    claims: Mapping[str, Any]
    url: str = ""
    asked: list[tuple[str, str]] = field(default_factory=list)
    """The program and the body of each request that got a token."""
    refused: int = 0


@contextmanager
def token_endpoint(
    issuer: Issuer,
    *,
    certificate: Path | None = None,
    lifetime_s: int = LIFETIME_S,
    **claims: Any,
) -> Iterator[TokenEndpoint]:
    """Start an endpoint that gives tokens to whoever knows the client's secret.

    Args:
        issuer: Signs the tokens.
        certificate: A PEM file of key and certificate, for HTTPS.
        lifetime_s: How long a token is good.
        claims: Claims of the tokens, in the place of the usual ones.
    """
    found = TokenEndpoint(issuer, lifetime_s, claims)
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"at": found}))
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    found.url = f"http{'' if certificate is None else 's'}://127.0.0.1:{server.server_port}/token"
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    at: TokenEndpoint

    def do_POST(self) -> None:
        """Answer with a token, or refuse."""
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        known = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        if self.headers.get("Authorization") != f"Basic {known}":
            self.at.refused += 1
            self._answer(401, {"error": "invalid_client", "error_description": "unknown client"})
            return
        program = str(self.headers.get("User-Agent")).partition("/")[0]
        self.at.asked.append((program, body))
        lifetime_s = self.at.lifetime_s
        token = self.at.issuer.token(lifetime_s, **self.at.claims)
        self._answer(200, {"access_token": token, "token_type": "Bearer", "expires_in": lifetime_s})

    def _answer(self, status: int, body: dict[str, Any]) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _bytes(number: int) -> bytes:
    return number.to_bytes((number.bit_length() + 7) // 8, "big")
