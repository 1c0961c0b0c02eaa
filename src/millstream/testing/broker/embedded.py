"""Apache Kafka broker in one Java process, without installation."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import mkdtemp
from types import TracebackType
from typing import Any

from typing_extensions import Self

from millstream.jars import jars, java_command
from millstream.testing.broker.cluster import KafkaCluster
from millstream.testing.broker.errors import BrokerError, BrokerExitedError, PortTakenError
from millstream.testing.broker.ports import free_port, is_free
from millstream.testing.broker.ready import answers
from millstream.testing.broker.server_process import ServerProcess, log_tail
from millstream.testing.broker.settings import CLUSTER_ID, server_properties
from millstream.testing.broker.waiting import Deadline, Timeout


class EmbeddedBroker(KafkaCluster):
    """Apache Kafka 4.3 (KRaft, one node) on this machine, for tests, demos and trying things out.

    It ends with the process that started it, also if that process is killed. With a `data_dir` the
    topics are still there at the next start; without one the data are deleted when it stops.
    Records of any age stay (`log.retention.ms=-1`), unless `config` or a topic sets another
    retention; what is too old is looked for once a day (`log.retention.check.interval.ms`).

        with EmbeddedBroker() as broker:
            broker.create_topics("lines", "counts")
            broker.produce("lines", [KeyValue("book", "to be or not to be")])

    Args:
        port: The port on 127.0.0.1; a free one is chosen if it is `None`.
        data_dir: Directory of the topics; a temporary one if it is `None`.
        config: Broker settings by Kafka's names, in addition to those of one node.
        heap_mb: The JVM's heap.
        java_options: More options of the JVM; `-XX:TieredStopAtLevel=1` starts a third faster, but
            is slower under load.
        ivy_settings: Settings of the jars' repositories, see `millstream.jars.jars`.
        libraries: More jars for the broker's class path: an authorizer, a callback handler, or
            jose4j, without which a broker cannot validate signed tokens of SASL OAUTHBEARER.
    """

    def __init__(
        self,
        *,
        port: int | None = None,
        data_dir: str | Path | None = None,
        config: Mapping[str, object] | None = None,
        heap_mb: int = 512,
        java_options: Sequence[str] = (),
        ivy_settings: str | Path | None = None,
        libraries: Sequence[str | Path] = (),
    ) -> None:
        self.port = free_port() if port is None else port
        super().__init__(f"127.0.0.1:{self.port}")
        self._given_dir = None if data_dir is None else Path(data_dir).expanduser().absolute()
        self._config = dict(config or {})
        self._java_options = (f"-Xms{min(256, heap_mb)}m", f"-Xmx{heap_mb}m", *java_options)
        self._ivy_settings = ivy_settings
        self._libraries = tuple(libraries)
        self._dir: Path | None = None
        self._server: ServerProcess | None = None
        self._classpath = ""

    @property
    def data_dir(self) -> Path:
        """The folder of the topics and `broker.log`; created by `start`."""
        if self._dir is None:
            raise BrokerError("the broker has no data folder yet", hint="Start it first.")
        return self._dir

    @property
    def pid(self) -> int | None:
        """The process id of the broker; `None` while it does not run."""
        return self._server.pid if self._server and self.is_running() else None

    def is_running(self) -> bool:
        """Whether the broker's process is alive."""
        return self._server is not None and self._server.is_running()

    def start(self, timeout_s: Timeout = 60) -> Self:
        """Start the broker and wait until it answers; do nothing if it runs.

        Args:
            timeout_s: Seconds, or a `timedelta`.

        Raises:
            PortTakenError: Another process listens on the port.
            BrokerExitedError: The broker ended at once, or did not answer in time; the error has
                the end of its log.
            JarError: Java or the broker's jars are missing, see `millstream.jars`.
        """
        if self.is_running():
            return self
        if not is_free(self.port):
            raise PortTakenError(
                f"cannot start the broker: port {self.port} is taken", hint="Name another port."
            )
        if not self._classpath:
            found = jars("kafka", ivy_settings=self._ivy_settings)
            self._classpath = os.pathsep.join(map(str, [*found, *self._libraries]))
        try:
            self._launch(self._prepare())
            self._wait_ready(Deadline(timeout_s))
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        """Shut the broker down, and delete its temporary data."""
        self._end(signal.SIGTERM)
        if self._given_dir is None and self._dir is not None:
            shutil.rmtree(self._dir, ignore_errors=True)
            self._dir = None

    close = stop

    def kill(self) -> None:
        """Kill the broker as `kill -9` does; `restart` continues with its data."""
        self._end(signal.SIGKILL)

    def restart(self, timeout_s: Timeout = 60) -> Self:
        """Start again on the same port and data, after `kill` or while it runs."""
        self._end(signal.SIGTERM)
        return self.start(timeout_s)

    def pause(self) -> None:
        """Freeze the broker: connections stay open without answers."""
        self._signal(signal.SIGSTOP)

    def unpause(self) -> None:
        """Continue a frozen broker."""
        self._signal(signal.SIGCONT)

    def log_tail(self, lines: int = 20) -> str:
        """Return the last lines of the broker's log."""
        return "" if self._dir is None else log_tail(self._dir / "broker.log", lines)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _settings(self) -> Mapping[str, Any]:
        if not self.is_running():
            raise BrokerError("the broker is not running", hint="Start it first.")
        return super()._settings()

    def _prepare(self) -> Path:
        if self._dir is None:
            self._dir = self._given_dir or Path(mkdtemp(prefix="millstream-broker-"))
        logs = self._dir / "data"
        try:
            self._dir.mkdir(parents=True, exist_ok=True)
            properties = self._dir / "server.properties"
            text = server_properties(
                port=self.port, controller_port=free_port(), logs=logs, extra=self._config
            )
            properties.write_text(text, encoding="utf-8")
        except OSError as error:
            raise BrokerError(
                f"cannot use {self._dir} as the broker's data folder", detail=f"{error.strerror}."
            ) from error
        if not (logs / "meta.properties").exists():
            self._format(properties)
        return properties

    def _format(self, properties: Path) -> None:
        arguments = ("format", "-t", CLUSTER_ID, "-c", str(properties))
        command = self._java(["-XX:TieredStopAtLevel=1"], ["kafka.tools.StorageTool", *arguments])
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise BrokerExitedError(
                f"cannot format {self._dir} for the broker",
                detail=(done.stderr or done.stdout).strip(),
            )

    def _java(self, options: Sequence[str], program: Sequence[str]) -> list[str]:
        return [
            *(java_command(), "-XX:+UseSerialGC", "-Xshare:auto", "-Djava.awt.headless=true"),
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
            "-Dorg.slf4j.simpleLogger.showDateTime=true",
            *options,
            *("-cp", self._classpath),
            *program,
        ]

    def _launch(self, properties: Path) -> None:
        command = self._java(self._java_options, ["kafka.Kafka", str(properties)])
        own = self._dir if self._given_dir is None else None
        self._server = ServerProcess(command, self.data_dir / "broker.log", own)

    def _wait_ready(self, limit: Deadline) -> None:
        while self.is_running() and not limit.is_over():
            if answers(self.bootstrap_servers, timeout_s=0.5):
                return
        runs, tail = self.is_running(), self.log_tail()
        what = f"does not answer after {limit.text}" if runs else "ended while it started"
        raise BrokerExitedError(
            f"the broker on port {self.port} {what}",
            detail=f"Its log ends with:\n{tail}" if tail else "Its log is empty.",
            hint="On a busy machine it takes longer: start(timeout_s=300)." if runs else "",
        )

    def _signal(self, number: signal.Signals) -> None:
        if self._server is None or not self.is_running():
            raise BrokerError("the broker is not running")
        self._server.signal(number)

    def _end(self, number: signal.Signals) -> None:
        server, self._server = self._server, None
        if server is not None:
            server.end(number)
