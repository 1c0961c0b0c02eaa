"""A global store of a class of the program: what it does not log is read from its topic again."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from compat_tests.spark.applications.test_interactive_queries import TallyBuilder
from compat_tests.spark.worker.attempts import Segments
from compat_tests.spark.worker.one_task import one_task, row_of
from millstream import Consumed, Processor, Serdes, StreamsBuilder, StreamsException
from millstream.topology.spark.state.manifest import Manifest
from millstream.topology.spark.worker import refilling
from millstream.topology.spark.worker.global_tables import pack, unlogged_of, unpack
from millstream.topology.spark.worker.worker_task import Arrived, WorkerTask

TEXT = Serdes.String()


class GlobalTally(TallyBuilder):
    """The builder of a global store, whose topic is its changelog."""

    def loggingEnabled(self) -> bool:
        return False


class Logs(Processor[Any, Any, Any, Any]):
    """Fills the store."""

    def init(self, context: Any) -> None:
        self.store = context.getStateStore("tally")

    def process(self, record: Any) -> None:
        self.store.add(record.key(), record.timestamp())


class Keeps(Logs):
    """Fills the store without a word to the context."""

    def process(self, record: Any) -> None:
        counts = self.store.counts
        counts[record.key()] = counts.get(record.key(), 0) + 1


class Reads(Processor[Any, Any, Any, Any]):
    """May read the store, and does so at once."""

    found: ClassVar[list[dict[str, int]]] = []

    def init(self, context: Any) -> None:
        self.found.append(dict(context.getStateStore("tally").counts))

    def process(self, record: Any) -> None:
        pass


def arrived(keys: str, first: int = 0) -> Arrived:
    return Arrived([], [], [row_of("facts", keys, first)] if keys else [], 1000)


def reading(tmp_path: Path, fills: type[Logs], **client: str) -> WorkerTask:
    builder = StreamsBuilder()
    builder.addGlobalStore(GlobalTally(), "facts", Consumed.with_(TEXT, TEXT), fills)
    builder.stream("in", Consumed.with_(TEXT, TEXT)).process(Reads)
    return one_task(builder.build(), tmp_path, **client)


def after(task: WorkerTask, segments: Segments, *batches: str) -> bytes:
    """Return the manifest after batches, whose records have these keys."""
    manifest, first = None, 0
    for keys in batches:
        manifest, _ = task.run(arrived(keys, first), manifest, segments)
        first += len(keys)
    assert manifest is not None
    return manifest


def store_of(task: WorkerTask) -> Any:
    return task._host.global_store("tally")


def test_a_processor_finds_in_its_init_what_its_first_batch_brings(tmp_path: Path) -> None:
    segments = Segments()
    manifest = after(reading(tmp_path / "1", Logs), segments, "aab", "b")
    assert Reads.found[-1] == {"a": 2, "b": 1}
    anew = reading(tmp_path / "2", Logs)
    anew.run(arrived("c", 4), manifest, segments)
    assert Reads.found[-1] == {"a": 2, "b": 2, "c": 1}


@pytest.mark.parametrize(("fills", "told"), [(Logs, 0), (Keeps, 1)])
def test_a_store_that_nothing_would_fill_again_is_told_once(
    fills: type[Logs], told: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        after(reading(tmp_path, fills), Segments(), "", "ab", "c")
    assert caplog.text.count('global store "tally" is of a class of the program') == told


class Message:
    """A record as the client gives it."""

    def __init__(self, offset: int, key: bytes | None) -> None:
        self._offset, self._key = offset, key

    def offset(self) -> int:
        return self._offset

    def timestamp(self) -> tuple[int, int]:
        return 1, 100

    def key(self) -> bytes | None:
        return self._key

    def value(self) -> bytes:
        return b"x"

    def headers(self) -> list[Any]:
        return [("h", b"1")]


class Broker:
    """The topic's records, of which one has no key."""

    keys: Sequence[bytes | None] = (b"a", None, b"b", b"a", b"c")
    asked: ClassVar[list[Any]] = []

    def __init__(self, settings: Any, patience_s: float) -> None:
        assert settings["isolation.level"] == "read_uncommitted"

    def messages(self, place: tuple[str, int], start: int, stop: int) -> Iterator[list[Any]]:
        self.asked.append((place, start, stop))
        yield [Message(n, key) for n, key in enumerate(self.keys)][start:stop]

    def close(self) -> None:
        pass


@pytest.fixture
def broker(monkeypatch: pytest.MonkeyPatch) -> type[Broker]:
    monkeypatch.setattr(refilling, "MessageClient", Broker)
    monkeypatch.setattr(Broker, "asked", [])
    return Broker


def test_a_new_task_takes_again_what_the_store_has_taken(
    broker: type[Broker], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    segments, at = Segments(), {"bootstrap.servers": "localhost:1"}
    manifest = after(reading(tmp_path / "1", Keeps, **at), segments, "a", "xba")
    assert broker.asked == []
    assert unlogged_of(Manifest.decode(manifest).snapshot, 1) == {"tally"}

    anew = reading(tmp_path / "2", Keeps, **at)
    manifest, _ = anew.run(arrived(""), manifest, segments)
    assert store_of(anew).counts == {"a": 2, "b": 1}
    assert Reads.found[-1] == {"a": 2, "b": 1}

    manifest, _ = anew.run(arrived("c", 4), manifest, segments)
    third = reading(tmp_path / "3", Keeps, **at)
    third.run(arrived("d", 5), manifest, segments)
    assert store_of(third).counts == {"a": 2, "b": 1, "c": 1, "d": 1}
    assert broker.asked == [(("facts", 0), 0, 4), (("facts", 0), 0, 5)]
    assert "WARNING" not in caplog.text


def test_a_store_that_logs_its_changes_is_not_read_from_its_topic(
    broker: type[Broker], tmp_path: Path
) -> None:
    segments, at = Segments(), {"bootstrap.servers": "localhost:1"}
    manifest = after(reading(tmp_path / "1", Logs, **at), segments, "a", "ba")
    assert unlogged_of(Manifest.decode(manifest).snapshot, 1) == set()
    anew = reading(tmp_path / "2", Logs, **at)
    anew.run(arrived(""), manifest, segments)
    assert store_of(anew).counts == {"a": 2, "b": 1}
    assert broker.asked == []


def test_a_checkpoint_that_does_not_tell_how_far_the_topic_was_read_is_told(
    broker: type[Broker], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    segments, at = Segments(), {"bootstrap.servers": "localhost:1"}
    manifest = Manifest.decode(after(reading(tmp_path / "1", Keeps, **at), segments, "a"))
    earlier = replace(manifest, snapshot=pack(unpack(manifest.snapshot)[:2])).encode()
    reading(tmp_path / "2", Keeps, **at).run(arrived(""), earlier, segments)
    assert "of an earlier millstream" in caplog.text
    assert broker.asked == []


class Fails(Logs):
    def process(self, record: Any) -> None:
        raise ValueError("no such fact")


def test_the_error_of_a_store_that_cannot_be_filled_says_how_to_skip_the_record(
    tmp_path: Path,
) -> None:
    with pytest.raises(StreamsException, match="cannot process a record") as caught:
        after(reading(tmp_path, Fails), Segments(), "a")
    assert "set processing.exception.handler.global.enabled to true" in str(caught.value)
