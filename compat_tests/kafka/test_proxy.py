"""The proxy before a broker passes everything on but what a rule strikes."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from compat_tests.kafka.proxy import (
    Action,
    KafkaProxy,
    cut,
    cut_answer,
    delay,
    swallow_answer,
    swallow_request,
)
from compat_tests.kafka.topics import create_topic
from compat_tests.smoke.rig import proxied_broker

END_TXN, FETCH = 26, 1


class Upstream:
    """A server that answers each request with its correlation id, and remembers them."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self.got: list[int] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._socket.accept()
                threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with suppress(OSError), connection, connection.makefile("rb") as file:
            while head := file.read(4):
                body = file.read(struct.unpack(">i", head)[0])
                correlation = struct.unpack_from(">i", body, 4)[0]
                self.got.append(correlation)
                connection.sendall(struct.pack(">ii", 4, correlation))

    def close(self) -> None:
        self._socket.close()


class Client:
    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), 5)
        self._file = self._socket.makefile("rb")

    def send(self, api: int, correlation: int) -> None:
        self._socket.sendall(struct.pack(">ihhi", 8, api, 0, correlation))

    def answer(self) -> int | None:
        """Return the next answer's correlation id; None if the connection is closed."""
        try:
            blob = self._file.read(8)
        except ConnectionError:
            return None
        return struct.unpack(">ii", blob)[1] if blob else None


@contextmanager
def connected() -> Iterator[tuple[KafkaProxy, Upstream, Client]]:
    upstream = Upstream()
    with KafkaProxy(upstream.port) as proxy:
        yield proxy, upstream, Client(proxy.port)
    upstream.close()


@pytest.mark.parametrize("do", [swallow_answer, swallow_request])
def test_what_is_swallowed_has_no_answer_and_the_connection_goes_on(do: Action) -> None:
    with connected() as (proxy, upstream, client):
        rule = proxy.rule(api="EndTxn", at=2, do=do)
        for correlation in (1, 2, 3):
            client.send(END_TXN, correlation)
        client.send(FETCH, 4)
        assert [client.answer() for _ in range(3)] == [1, 3, 4]
        assert rule.struck.wait(5)
        assert upstream.got == ([1, 2, 3, 4] if do.sends else [1, 3, 4])
        assert proxy.counts == {"EndTxn": 3, "Fetch": 1}


@pytest.mark.parametrize("do", [cut, cut_answer])
def test_a_cut_closes_the_connection_and_the_next_one_works(do: Action) -> None:
    with connected() as (proxy, upstream, client):
        proxy.rule(api="EndTxn", do=do)
        client.send(END_TXN, 1)
        assert client.answer() is None
        assert upstream.got == ([1] if do.sends else [])
        again = Client(proxy.port)
        again.send(END_TXN, 2)
        assert again.answer() == 2


def test_a_delayed_request_arrives_in_its_order() -> None:
    with connected() as (proxy, upstream, client):
        proxy.rule(api="Fetch", do=delay(0.05))
        called: list[str] = []
        proxy.rule(api="EndTxn", do=delay(0), then=lambda: called.append("after the answer"))
        for correlation, api in enumerate((FETCH, END_TXN)):
            client.send(api, correlation)
        assert [client.answer() for _ in range(2)] == [0, 1]
        assert upstream.got == [0, 1]
        assert called == ["after the answer"]


def test_without_a_broker_behind_it_connections_are_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    with KafkaProxy(port) as proxy:
        client = Client(proxy.port)
        client.send(FETCH, 1)
        assert client.answer() is None


def test_a_rule_for_an_unknown_request_is_refused() -> None:
    proxy = KafkaProxy(1)
    with pytest.raises(ValueError, match="no request is called 'EndTransaction'"):
        proxy.rule(api="EndTransaction", do=cut)


@pytest.mark.broker
def test_a_transaction_whose_end_is_not_answered_is_committed_once() -> None:
    with proxied_broker() as (broker, proxy):
        create_topic(broker.bootstrap_servers, "out", partitions=1)
        rule = proxy.rule(api="EndTxn", do=cut_answer)
        settings = {"bootstrap.servers": f"127.0.0.1:{proxy.port}", "transactional.id": "t"}
        producer = Producer(settings)
        producer.init_transactions(30)
        producer.begin_transaction()
        producer.produce("out", b"value")
        producer.commit_transaction(60)
        assert rule.struck.is_set()
        assert proxy.counts["EndTxn"] >= 2
        consumer = Consumer(
            {"bootstrap.servers": broker.bootstrap_servers, "group.id": "reader"}
            | {"isolation.level": "read_committed", "enable.partition.eof": True}
        )
        consumer.assign([TopicPartition("out", 0, 0)])
        messages = consumer.consume(2, 30)
        consumer.close()
    assert [message.value() for message in messages if message.error() is None] == [b"value"]
