"""A start that waits for another instance: its state, its end by close, signals and time limits."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from compat_tests.spark.support import eventually
from millstream import KafkaStreams, LockException, StreamsConfig, TimeoutException, Topology
from millstream.topology.spark.admission.takeover import Takeover
from millstream.topology.spark.checkpoint.files import LocalFiles
from millstream.topology.spark.state.slots import DirectoryLock

ENTRIES = {
    "application.id": "app",
    "bootstrap.servers": "127.0.0.1:9",
    "millstream.takeover.lease.ms": 1000,
    "millstream.log": "quiet",
}


@pytest.fixture
def first(tmp_path: Path) -> Iterator[Takeover]:
    """The lock and the lease of another instance, which runs."""
    directory = tmp_path / "app"
    held = Takeover(StreamsConfig(ENTRIES), "one", directory, DirectoryLock(directory), "c")
    held.lock()
    held.hold(LocalFiles(directory / "checkpoint"), lambda: None)
    yield held
    held.release()


@pytest.fixture
def application(tmp_path: Path) -> Callable[..., KafkaStreams]:
    """Make an application that never comes as far as its query."""

    def make(**entries: str) -> KafkaStreams:
        own = {f"millstream.{key}": value for key, value in entries.items()}
        topology = Topology().addSource("source", "in").addSink("sink", "out", "source")
        session: Any = object()
        config = ENTRIES | {"state.dir": str(tmp_path)} | own
        return KafkaStreams(topology, config, spark=session)

    return make


def waiting(spare: KafkaStreams, call: Callable[[], object]) -> threading.Thread:
    """Call something in a thread, and return when the application waits."""
    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    eventually(spare.isHotSpare, expected=True)
    assert spare.state().name == "REBALANCING"
    return thread


def test_close_ends_the_waiting(first: Takeover, application: Callable[..., KafkaStreams]) -> None:
    spare = application(takeover="wait")
    starter = waiting(spare, spare.start)
    assert spare.close() is True
    starter.join(30)
    assert not starter.is_alive()
    assert spare.state().name == "NOT_RUNNING"
    assert not spare.isHotSpare()
    assert first.lost() is None


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_waiting(
    first: Takeover, application: Callable[..., KafkaStreams], number: signal.Signals
) -> None:
    spare = application(takeover="wait")

    def when_it_waits() -> None:
        eventually(spare.isHotSpare, expected=True)
        os.kill(os.getpid(), number)

    threading.Thread(target=when_it_waits, daemon=True).start()
    spare.run()
    assert spare.state().name == "NOT_RUNNING"
    assert first.lost() is None


def test_the_time_limit_of_a_run_to_the_end_counts_while_it_waits(
    first: Takeover, application: Callable[..., KafkaStreams]
) -> None:
    spare = application(takeover="wait")
    with pytest.raises(TimeoutException):
        spare.runToEnd(timeout=700)
    assert spare.state().name == "NOT_RUNNING"
    assert first.lost() is None


def test_without_waiting_the_start_is_refused(
    first: Takeover, application: Callable[..., KafkaStreams]
) -> None:
    second = application()
    with pytest.raises(LockException, match="another instance") as caught:
        second.start()
    assert second.state().name == "ERROR"
    assert "millstream.takeover=wait" in caught.value.hint
    assert first.lost() is None


def test_a_start_that_fails_gives_the_lease_back(
    application: Callable[..., KafkaStreams], tmp_path: Path
) -> None:
    for _ in range(2):
        with pytest.raises(Exception, match=r"(?i)broker"):
            application().start()
    directory = tmp_path / "app"
    third = Takeover(StreamsConfig(ENTRIES), "three", directory, DirectoryLock(directory), "c")
    third.lock()
    third.hold(LocalFiles(directory / "checkpoint"), pytest.fail)
    third.release()
