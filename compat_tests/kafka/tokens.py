"""A token endpoint of OAuth for tests: unsecured tokens for whoever knows the client's secret."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

CLIENT, SECRET = "alice", "unmistakable-cl1ent-secret"
_MODULE = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule"
_HANDLER = "org.apache.kafka.common.security.oauthbearer.secured.OAuthBearerLoginCallbackHandler"
BROKERS_JAAS = f'{_MODULE} required unsecuredLoginStringClaim_sub="broker";'
"""Of a broker that takes unsecured tokens, as Kafka's default validator does."""


def oauth_entries(url: str, secret: str = SECRET) -> dict[str, Any]:
    """Return an application's entries."""
    return {
        "sasl.mechanism": "OAUTHBEARER",
        "sasl.oauthbearer.token.endpoint.url": url,
        "sasl.login.callback.handler.class": _HANDLER,
        "sasl.jaas.config": f'{_MODULE} required clientId="{CLIENT}" clientSecret="{secret}";',
    }


@contextmanager
def token_endpoint() -> Iterator[str]:
    """Start it, and yield its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/token"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        """Answer with a token, or refuse."""
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        known = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        if self.headers.get("Authorization") != f"Basic {known}":
            self._answer(401, {"error": "invalid_client"})
            return
        self._answer(200, {"access_token": _token(), "token_type": "Bearer", "expires_in": 3600})

    def _answer(self, status: int, body: dict[str, Any]) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


def _token() -> str:
    now = int(time.time())
    claims = {"sub": CLIENT, "iat": now, "exp": now + 3600, "scope": "all"}
    parts = ({"alg": "none"}, claims)
    encoded = (base64.urlsafe_b64encode(json.dumps(each).encode()) for each in parts)
    return ".".join(each.decode().rstrip("=") for each in encoded) + "."
