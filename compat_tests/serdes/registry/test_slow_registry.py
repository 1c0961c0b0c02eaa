"""A registry that takes long to answer is told while it is waited for."""

from __future__ import annotations

import logging
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from compat_tests.serdes.registry.support import URL
from millstream import PrimitiveAvroSerde
from millstream.serdes.registry import connections

PATIENCE_S = 60


def test_a_registry_that_does_not_answer_is_named_in_a_warning(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(connections, "_SLOW_S", 0.01)
    told = threading.Event()

    class Told(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            told.set()

    class AnswersOnceTold(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            assert told.wait(PATIENCE_S)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"id": 1}')

        def log_message(self, *arguments: Any) -> None:
            del arguments

    http = ThreadingHTTPServer(("127.0.0.1", 0), AnswersOnceTold)
    threading.Thread(target=http.serve_forever, daemon=True).start()
    handler = Told()
    connections.log.addHandler(handler)
    try:
        serde: Any = PrimitiveAvroSerde(str)
        serde.configure({URL: f"http://127.0.0.1:{http.server_port}", "max.retries": 0}, False)
        assert serde.serializer().serialize("orders", "x")
    finally:
        connections.log.removeHandler(handler)
        http.shutdown()
        http.server_close()
    (warning,) = [each.getMessage() for each in caplog.records]
    assert f"registry=http://127.0.0.1:{http.server_port}" in warning
    assert "orders" in warning
