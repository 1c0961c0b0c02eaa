"""Apicurio Registry in one Java process, without installation."""

from __future__ import annotations

import shutil
import signal
import time
import urllib.error
import urllib.request
from pathlib import Path
from tempfile import mkdtemp
from types import TracebackType

from typing_extensions import Self

from millstream.jars import java_command, unpacked
from millstream.testing.broker.ports import free_port, is_free
from millstream.testing.broker.server_process import ServerProcess, log_tail
from millstream.testing.registry.errors import (
    RegistryError,
    RegistryExitedError,
    RegistryPortTakenError,
)

_PATH = "/apis/ccompat/v7"
_LOG = "registry.log"


class EmbeddedRegistry:
    """Apicurio Registry 3.0 on this machine, for tests, demos and trying things out.

    It speaks the interface of Confluent's Schema Registry, keeps everything in memory, and ends
    with the process that started it, also if that process is killed. The first start fetches it
    (109 MB) into the cache of `millstream.jars`; a start takes some ten seconds.

        with EmbeddedRegistry() as registry:
            serde.configure({"schema.registry.url": registry.url}, False)

    Args:
        port: The port on 127.0.0.1; a free one is chosen if it is `None`.
        heap_mb: The JVM's heap.
        ivy_settings: Settings of the jars' repositories, see `millstream.jars.jars`.
    """

    def __init__(
        self,
        *,
        port: int | None = None,
        heap_mb: int = 400,
        ivy_settings: str | Path | None = None,
    ) -> None:
        self.port = free_port() if port is None else port
        self._heap_mb = heap_mb
        self._ivy_settings = ivy_settings
        self._dir: Path | None = None
        self._server: ServerProcess | None = None

    @property
    def url(self) -> str:
        """The value for `schema.registry.url`."""
        return f"http://127.0.0.1:{self.port}{_PATH}"

    @property
    def pid(self) -> int | None:
        """The process id of the registry; `None` while it does not run."""
        return self._server.pid if self._server and self.is_running() else None

    def is_running(self) -> bool:
        """Whether the registry's process is alive."""
        return self._server is not None and self._server.is_running()

    def start(self, timeout_s: float = 120) -> Self:
        """Start the registry, empty, and wait until it answers; do nothing if it runs.

        Raises:
            RegistryPortTakenError: Another process listens on the port.
            RegistryExitedError: It ended at once, or did not answer in time; the error has the
                end of its log.
            JarError: Java or the registry's archive is missing, see `millstream.jars`.
        """
        if self.is_running():
            return self
        if not is_free(self.port):
            raise RegistryPortTakenError(
                f"cannot start the registry: port {self.port} is taken", hint="Name another port."
            )
        home = unpacked("registry", ivy_settings=self._ivy_settings)
        try:
            self._launch(home)
            self._wait_ready(timeout_s)
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        """Shut the registry down; what it knows is gone."""
        self._end(signal.SIGTERM)
        if self._dir is not None:
            shutil.rmtree(self._dir, ignore_errors=True)
            self._dir = None

    def kill(self) -> None:
        """Kill the registry as `kill -9` does."""
        self._end(signal.SIGKILL)

    def pause(self) -> None:
        """Freeze the registry: connections stay open without answers."""
        self._signal(signal.SIGSTOP)

    def unpause(self) -> None:
        """Continue a frozen registry."""
        self._signal(signal.SIGCONT)

    def log_tail(self, lines: int = 20) -> str:
        """Return the last lines of the registry's log."""
        return "" if self._dir is None else log_tail(self._dir / _LOG, lines)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _launch(self, home: Path) -> None:
        if self._dir is None:
            self._dir = Path(mkdtemp(prefix="millstream-registry-"))
        (runner,) = home.glob("*-runner.jar")
        command = [
            *(java_command(), f"-Xmx{self._heap_mb}m", "-XX:+UseSerialGC"),
            *("-XX:TieredStopAtLevel=1", "-Xshare:auto", "-Djava.awt.headless=true"),
            *("-Dquarkus.http.host=127.0.0.1", f"-Dquarkus.http.port={self.port}"),
            *("-jar", str(runner)),
        ]
        self._server = ServerProcess(command, self._dir / _LOG, self._dir)

    def _wait_ready(self, timeout_s: float) -> None:
        deadline = time.monotonic() + timeout_s
        while self.is_running() and time.monotonic() < deadline:
            if _answers(f"{self.url}/subjects"):
                return
            time.sleep(0.1)
        what = "does not answer" if self.is_running() else "ended while it started"
        raise RegistryExitedError(
            f"the registry on port {self.port} {what}",
            detail=f"Its log ends with:\n{self.log_tail()}",
        )

    def _signal(self, number: signal.Signals) -> None:
        if self._server is None or not self.is_running():
            raise RegistryError("the registry is not running")
        self._server.signal(number)

    def _end(self, number: signal.Signals) -> None:
        server, self._server = self._server, None
        if server is not None:
            server.end(number)


def _answers(url: str) -> bool:
    try:
        # Not over a proxy that the environment names: it is this machine.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(url, timeout=2) as answer:
            return bool(answer.status == 200)
    except (OSError, urllib.error.URLError):
        return False
