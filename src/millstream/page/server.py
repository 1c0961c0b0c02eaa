"""Server of the page: a socket, and a thread that runs uvicorn on it."""

from __future__ import annotations

import logging
import socket
import ssl
import threading
from typing import Any

import uvicorn

from millstream.core.config.own_keys import UI_CERTIFICATE, UI_HOST, UI_PORT
from millstream.core.errors import ConfigException
from millstream.page.settings import PageSettings

log = logging.getLogger(__name__)

_CLOSE_S = 5.0


class PageServer:
    """Serves an ASGI application in a thread; its failure is logged once.

    Args:
        app: The ASGI application.
        settings: Address and certificate.
    """

    def __init__(self, app: Any, settings: PageSettings) -> None:
        self._settings = settings
        config = uvicorn.Config(
            app,
            lifespan="off",
            # The application's logging stays as it is.
            log_config=None,
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=1,
            limit_concurrency=200,
            ws="none",
            loop="asyncio",
            http="h11",
            ssl_certfile=settings.certificate or None,
            ssl_keyfile=settings.key or None,
        )
        self._config = config
        self._server: uvicorn.Server | None = None
        self._thread: threading.Thread | None = None

    def open(self) -> int:
        """Listen, start the thread and return the port.

        Raises:
            ConfigException: The port is taken, or the address or the certificate cannot be used.
        """
        try:
            self._config.load()
        except (OSError, ssl.SSLError) as error:
            raise ConfigException(
                f"Invalid value {self._settings.certificate} for configuration "
                f"{UI_CERTIFICATE}: it cannot be used",
                detail=f"{error}.",
            ) from error
        listening = self._bound()
        port: int = listening.getsockname()[1]
        self._server = uvicorn.Server(self._config)
        self._thread = threading.Thread(
            target=self._run, args=(self._server, listening), name="millstream-page", daemon=True
        )
        self._thread.start()
        return port

    def close(self) -> None:
        """Let open answers end, for a moment, and end the thread."""
        if self._server is not None and self._thread is not None:
            self._server.should_exit = True
            self._thread.join(_CLOSE_S)

    def _run(self, server: uvicorn.Server, listening: socket.socket) -> None:
        try:
            server.run(sockets=[listening])
        except BaseException:
            # Of the application nothing depends on its page; SystemExit is uvicorn's.
            log.exception("the live page has ended by a failure; the application goes on")
        finally:
            listening.close()

    def _bound(self) -> socket.socket:
        host, port = self._settings.host, self._settings.port
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            family, kind, protocol, _, place = found[0]
        except OSError as error:
            raise ConfigException(
                f"Invalid value {host} for configuration {UI_HOST}: no such address",
                detail=f"{error}.",
            ) from error
        listening = socket.socket(family, kind, protocol)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(place)
            listening.listen(64)
        except OSError as error:
            listening.close()
            raise ConfigException(
                f"Invalid value {port} for configuration {UI_PORT}: the live page cannot listen "
                f"at port {port} of {host}",
                detail=f"{error.strerror or error}.",
                hint=f"Another program has the port: choose another one, or 0 for any free one, "
                f"as {UI_PORT}; or end the other program.",
            ) from error
        return listening
