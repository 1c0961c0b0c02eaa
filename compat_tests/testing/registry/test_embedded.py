"""The embedded registry starts, answers as Confluent's does, and ends with its owner."""

from __future__ import annotations

import signal
import socket
import subprocess
from collections.abc import Iterator

import pytest
from confluent_kafka.schema_registry import Schema, SchemaRegistryClient

from compat_tests.kafka.test_broker import millstream
from millstream.testing.broker.ports import free_port, is_free
from millstream.testing.registry import (
    EmbeddedRegistry,
    RegistryError,
    RegistryExitedError,
    RegistryPortTakenError,
)


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(1)
        yield server.getsockname()[1]


def test_it_answers_as_a_registry_of_confluent(registry: EmbeddedRegistry) -> None:
    client = SchemaRegistryClient({"url": registry.url})
    schema = Schema('{"type":"record","name":"Answered","fields":[]}', "AVRO")
    schema_id = client.register_schema("answers-value", schema)
    assert "Answered" in str(client.get_schema(schema_id).schema_str)
    assert "answers-value" in client.get_subjects()
    assert registry.is_running()
    assert registry.pid is not None


def test_a_taken_port_is_named(taken_port: int) -> None:
    with pytest.raises(RegistryPortTakenError, match=f"port {taken_port} is taken"):
        EmbeddedRegistry(port=taken_port).start()


def test_only_a_running_registry_can_be_paused() -> None:
    with pytest.raises(RegistryError, match="the registry is not running"):
        EmbeddedRegistry().pause()


@pytest.mark.broker
def test_a_registry_that_ends_at_once_shows_its_log() -> None:
    registry = EmbeddedRegistry(heap_mb=1)
    with pytest.raises(RegistryExitedError, match="ended while it started") as caught:
        registry.start()
    assert "heap" in str(caught.value)
    assert is_free(registry.port)


@pytest.mark.broker
def test_the_command_runs_a_registry_beside_the_broker() -> None:
    port, other = free_port(), free_port()
    arguments = millstream(
        *("broker", "--port", str(port), "--registry", "--registry-port", str(other))
    )
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as command:
        assert command.stdout is not None
        lines = [command.stdout.readline() for _ in range(3)]
        command.send_signal(signal.SIGINT)
        rest = command.stdout.read()
    url = f"http://127.0.0.1:{other}/apis/ccompat/v7"
    assert lines[1:] == [
        f"The schema registry listens on {url}; it keeps nothing.\n",
        "Ctrl-C stops it.\n",
    ]
    assert rest == "Stopped.\n"
    assert command.returncode == 0
    assert is_free(other)
