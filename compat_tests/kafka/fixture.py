"""The Kafka that tests run against: a container where Docker answers, else a process.

`MILLSTREAM_KAFKA` (`docker` or `embedded`) decides instead of the search; `MILLSTREAM_KAFKA_IMAGE`
names the container's image.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, Protocol

from compat_tests.kafka.engine import docker_client, image_is_here, image_name, remove_left_overs
from millstream.testing.broker import EmbeddedBroker

Kind = Literal["docker", "embedded"]


class KafkaServer(Protocol):
    """What a test may do with its Kafka, container or process."""

    @property
    def kind(self) -> Kind: ...
    @property
    def bootstrap_servers(self) -> str: ...
    def kill(self) -> None: ...
    def restart(self) -> object: ...
    def pause(self) -> None: ...
    def unpause(self) -> None: ...


class ProcessKafka(EmbeddedBroker):
    """The embedded broker as a `KafkaServer`."""

    kind: Kind = "embedded"

    def __init__(self) -> None:
        super().__init__(java_options=["-XX:TieredStopAtLevel=1"])


def kafka_kind() -> Kind:
    """Which of the two this test run uses."""
    forced = os.environ.get("MILLSTREAM_KAFKA", "")
    if forced in ("docker", "embedded"):
        return forced  # type: ignore[return-value]  # the comparison is the check
    if forced:
        raise ValueError(f'MILLSTREAM_KAFKA is "{forced}"; it must be "docker" or "embedded"')
    client = docker_client()
    return "docker" if client is not None and image_is_here(client) else "embedded"


@contextmanager
def kafka_server() -> Iterator[KafkaServer]:
    """A started Kafka of the kind that `kafka_kind` names; removed with its data at the end."""
    if kafka_kind() == "embedded":
        with ProcessKafka() as process:
            yield process
        return
    from compat_tests.kafka.container import ApacheKafkaContainer

    remove_left_overs()
    with ApacheKafkaContainer(image_name()) as container:
        yield container
