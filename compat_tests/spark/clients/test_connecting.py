"""What is said of a server that is no broker, and of settings that a broker refuses."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest
from confluent_kafka import KafkaError
from confluent_kafka import KafkaException as ClientException

from millstream.core.errors import BrokerNotFoundException
from millstream.topology.spark.clients.connecting import all_topics
from millstream.topology.spark.clients.settings import kafka_error

ANSWER = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"


@pytest.fixture
def web_server() -> Iterator[str]:
    """Return the place of a server that answers everything as a web server does."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    client, _ = server.accept()
                except OSError:
                    return
                with client:
                    client.recv(1000)
                    client.sendall(ANSWER)

        threading.Thread(target=serve, daemon=True).start()
        yield f"127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)


def test_a_web_server_is_said_to_be_no_broker(web_server: str) -> None:
    settings = {"bootstrap.servers": web_server, "log_level": 2}
    with pytest.raises(BrokerNotFoundException, match=f'no broker answers at "{web_server}"') as no:
        all_topics(settings, 2)
    assert "Invalid response size" in no.value.detail
    assert "receive.message.max.bytes" not in no.value.detail
    assert "may be a web server" in no.value.hint


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (KafkaError.INVALID_TRANSACTION_TIMEOUT, "producer.transaction.timeout.ms"),
        (KafkaError.INVALID_REPLICATION_FACTOR, "replication.factor"),
        (KafkaError._UNKNOWN_PARTITION, "Start the application again"),
    ],
)
def test_what_to_do_about_a_refusal_is_told(code: int, words: str) -> None:
    said = kafka_error("cannot write", ClientException(KafkaError(code)), hint="Check the broker.")
    assert words in said.hint
    other = ClientException(KafkaError(KafkaError.INVALID_MSG))
    assert kafka_error("cannot write", other, hint="Check it.").hint == "Check it."
