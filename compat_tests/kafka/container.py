"""Apache's Kafka image under testcontainers, whose own class runs another vendor's image only."""

from __future__ import annotations

import os
import time

os.environ.setdefault("TESTCONTAINERS_RYUK_DISABLED", "true")

from testcontainers.core.container import DockerContainer
from typing_extensions import Self

from compat_tests.kafka.engine import OWNER
from compat_tests.kafka.fixture import Kind
from millstream.testing.broker.ports import free_port
from millstream.testing.broker.settings import CLUSTER_ID, ONE_NODE

_DATA = "/var/lib/kafka/data"


class ApacheKafkaContainer(DockerContainer):
    """One Kafka node in a container, on a loopback port that stays the same over restarts."""

    kind: Kind = "docker"

    def __init__(self, image: str) -> None:
        super().__init__(image, labels={OWNER: str(os.getpid())})
        # Chosen before the start: the advertised listener has to name it, and a port that Docker
        # chooses changes with every start.
        self.port = free_port()
        # The engine also takes an address with the port, which the type of `ports` does not say.
        self.ports["9092/tcp"] = ("127.0.0.1", self.port)  # type: ignore[assignment]
        for name, value in self._settings().items():
            self.with_env("KAFKA_" + name.upper().replace(".", "_"), str(value))
        self.with_env("CLUSTER_ID", CLUSTER_ID)
        self.with_env("KAFKA_HEAP_OPTS", "-Xms256m -Xmx512m")

    @property
    def bootstrap_servers(self) -> str:
        return f"127.0.0.1:{self.port}"

    def start(self) -> Self:
        super().start()
        try:
            self._wait_ready()
        except BaseException:
            self.stop()
            raise
        return self

    def kill(self) -> None:
        self.get_wrapped_container().kill("SIGKILL")
        self.get_wrapped_container().wait()

    def restart(self) -> Self:
        self.get_wrapped_container().start()
        self._wait_ready()
        return self

    def pause(self) -> None:
        self.get_wrapped_container().pause()

    def unpause(self) -> None:
        self.get_wrapped_container().unpause()

    def _settings(self) -> dict[str, object]:
        protocols = ("PLAINTEXT", "BROKER", "CONTROLLER")
        return {
            **ONE_NODE,
            "listeners": "PLAINTEXT://:9092,BROKER://:9094,CONTROLLER://:9093",
            "advertised.listeners": f"PLAINTEXT://127.0.0.1:{self.port},BROKER://localhost:9094",
            "listener.security.protocol.map": ",".join(f"{name}:PLAINTEXT" for name in protocols),
            "inter.broker.listener.name": "BROKER",
            "controller.quorum.voters": "1@localhost:9093",
            "log.dirs": _DATA,
        }

    def _wait_ready(self, timeout_s: float = 90) -> None:
        """Wait for an answer to a metadata request, which says more than any line of the log."""
        from millstream.testing.broker.ready import answers

        deadline = time.monotonic() + timeout_s
        container = self.get_wrapped_container()
        while time.monotonic() < deadline:
            container.reload()
            if container.status == "exited":
                break
            if answers(self.bootstrap_servers, timeout_s=0.5):
                return
        log = container.logs(tail=30).decode(errors="replace")
        raise RuntimeError(f"the Kafka container did not start; its log ends with:\n{log}")
