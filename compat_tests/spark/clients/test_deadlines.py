"""A call of a Kafka client that never returns ends the batch with an error that names the call."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from threading import Event
from typing import Any

import pyarrow as pa
import pytest
from confluent_kafka import KafkaError
from confluent_kafka import KafkaException as ClientException

from millstream import Header, Headers, StreamsException
from millstream.core.errors import TimeoutException
from millstream.topology.spark.arrow_headers import headers_column
from millstream.topology.spark.clients import deadlines
from millstream.topology.spark.clients.deadlines import in_time
from millstream.topology.spark.compile import Layout
from millstream.topology.spark.job import Job
from millstream.topology.spark.wire import binary_column, encode_chunk
from millstream.topology.spark.worker import topics, writers
from millstream.topology.spark.worker.topics import TopicSizes
from millstream.topology.spark.worker.writers import SinkWriter


class Clients:
    """Stands in for librdkafka: every call works, unless it is told to hang or to fail."""

    def __init__(self) -> None:
        self.hanging = ""
        self.failures: dict[str, list[Any]] = {}
        self.calls: list[str] = []
        self.release = Event()

    def client(self, settings: dict[str, Any]) -> Any:
        """Return a client that is a producer and a consumer."""
        self.calls.append("new producer" if "transactional.id" in settings else "new client")
        return _Client(self)

    def call(self, name: str) -> None:
        self.calls.append(name)
        if name == self.hanging:
            self.release.wait()
        if self.failures.get(name):
            failure = self.failures[name].pop(0)
            raise ClientException(failure) if isinstance(failure, KafkaError) else failure


class _Client:
    def __init__(self, clients: Clients) -> None:
        self._clients = clients

    def __len__(self) -> int:
        return 0

    def __getattr__(self, name: str) -> Any:
        def call(*arguments: Any, **named: Any) -> Any:
            self._clients.call(name)
            if name == "committed":
                arguments[0][0].offset = -1001
                return arguments[0]
            return 0 if name == "flush" else None

        return call


@pytest.fixture
def clients(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clients]:
    found = Clients()
    monkeypatch.setattr(writers, "Producer", found.client)
    monkeypatch.setattr(writers, "Consumer", found.client)
    monkeypatch.setattr(writers, "_PAUSE_S", 0)
    monkeypatch.setattr(deadlines, "LIMIT_S", 0.05)
    yield found
    found.release.set()


JOB = Job(
    application_id="app",
    checkpoint_id="c1",
    run_id="r1",
    topology=b"",
    layout=Layout(stages=(), routes={}, keys=(0,)),
    sink_partitions={},
    exactly_once=True,
    state_dir="",
    producer={"bootstrap.servers": "nowhere:1"},
    consumer={"bootstrap.servers": "nowhere:1"},
)


def writer(*, exactly_once: bool = True, patience_s: float = 60) -> SinkWriter:
    return SinkWriter(replace(JOB, exactly_once=exactly_once, patience_s=patience_s), 0)


@pytest.mark.parametrize(
    "call",
    [
        "init_transactions",
        "committed",
        "begin_transaction",
        "send_offsets_to_transaction",
        "commit_transaction",
    ],
)
def test_a_transactional_call_that_never_returns_is_named(call: str, clients: Clients) -> None:
    clients.hanging = call
    with pytest.raises(TimeoutException, match=f"{call} of the Kafka client did not return"):
        writer().write(0, [], [("in", 0, 1)])


def test_an_abort_that_never_returns_is_named(clients: Clients) -> None:
    clients.hanging = "abort_transaction"
    clients.failures["commit_transaction"] = [KafkaError(KafkaError.REQUEST_TIMED_OUT)]
    with pytest.raises(TimeoutException, match="abort_transaction of the Kafka client"):
        writer().write(0, [], [])


@pytest.mark.parametrize("call", ["flush", "commit", "committed"])
def test_without_transactions_a_call_that_never_returns_is_named(
    call: str, clients: Clients
) -> None:
    clients.hanging = call
    with pytest.raises(TimeoutException, match=f"{call} of the Kafka client did not return"):
        writer(exactly_once=False).write(0, [], [("in", 0, 1)])


def test_a_close_that_never_returns_is_named(clients: Clients) -> None:
    clients.hanging = "close"
    with pytest.raises(TimeoutException, match="close of the Kafka client"):
        writer().close()


@pytest.mark.parametrize("failing", ["send_offsets_to_transaction", "commit_transaction"])
def test_after_a_failed_transaction_a_new_producer_writes_the_batch(
    failing: str, clients: Clients
) -> None:
    clients.failures[failing] = [KafkaError(KafkaError._TIMED_OUT, "late", False, True)] * 2
    assert writer().write(0, [], [("in", 0, 1)]) is True
    # The abort went well both times; what the broker still does with the request is not known.
    assert clients.calls.count("abort_transaction") == 2
    assert clients.calls.count("new producer") == 3
    assert clients.calls.count("init_transactions") == 3


def test_trying_again_ends_when_the_time_for_a_task_is_over(clients: Clients) -> None:
    clients.failures["commit_transaction"] = [KafkaError(KafkaError._TIMED_OUT)] * 3
    with pytest.raises(StreamsException, match="sink partition 0"):
        writer(patience_s=0).write(0, [], [])
    assert clients.calls.count("commit_transaction") == 1


def test_what_does_not_pass_is_not_tried_again(clients: Clients) -> None:
    clients.failures["commit_transaction"] = [
        KafkaError(KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)
    ]
    with pytest.raises(StreamsException, match="cannot write its output"):
        writer().write(0, [], [])
    assert clients.calls.count("commit_transaction") == 1


def test_a_producer_that_is_fenced_again_and_again_gives_up(clients: Clients) -> None:
    clients.failures["commit_transaction"] = [KafkaError(KafkaError.PRODUCER_FENCED)] * 100
    with pytest.raises(StreamsException) as failure:
        writer().write(0, [], [])
    assert type(failure.value.__cause__).__name__ == "ProducerFencedException"
    assert clients.calls.count("commit_transaction") == 4


@pytest.mark.parametrize("with_headers", [False, True])
def test_a_record_waits_until_the_queue_has_room_for_it(
    with_headers: bool, clients: Clients
) -> None:
    headers = headers_column([Headers([Header("h", b"1")])] * 3) if with_headers else None
    chunk = {
        "keys": binary_column([b"a", b"b", b"c"]),
        "values": binary_column([b"1", b"2", b"3"]),
        "timestamps": pa.array([1, 2, 3], pa.int64()),
    }
    blob = encode_chunk(**(chunk if headers is None else chunk | {"headers": headers}))
    clients.failures["produce"] = [BufferError("full"), BufferError("still full")]
    assert writer().write(0, [("out", blob)], []) is True
    assert clients.calls.count("produce") == 5
    assert clients.calls.count("poll") >= 2


PROGRAM = """
import sys, threading
from pyspark import TaskContext
from millstream.core.errors import TimeoutException
from millstream.topology.spark.clients import deadlines
deadlines._LAST_WORDS_S = 1
TaskContext._taskContext = TaskContext()
try:
    deadlines.in_time("commit_transaction", threading.Event().wait, 0.01)
except TimeoutException as error:
    print(error, flush=True)
threading.Event().wait()
"""


def test_a_worker_whose_client_hangs_ends_after_it_has_told() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 70
    assert "commit_transaction of the Kafka client did not return within 0.01 s" in done.stdout
    assert "hangs call=commit_transaction" in done.stderr


def test_what_a_call_returns_and_raises_comes_through() -> None:
    assert in_time("sum", lambda: 1 + 1) == 2
    with pytest.raises(ZeroDivisionError):
        in_time("quotient", lambda: 1 // 0)


def test_the_cause_of_a_refused_question_is_typed_where_it_leaves_the_driver(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Away:
        def list_topics(self, topic: str, timeout: float) -> Any:
            raise ClientException(KafkaError(KafkaError._TIMED_OUT, "no answer"))

    monkeypatch.setattr(topics, "Producer", lambda settings: Away())
    sizes = TopicSizes(JOB)
    with pytest.raises(StreamsException) as raised:
        sizes.count("orders")
    assert type(raised.value.__cause__) is TimeoutException
