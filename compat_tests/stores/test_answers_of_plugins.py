"""A plugin's byte store that answers with no bytes: the fault of the store, not of a record."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from millstream import Materialized, Serdes, StreamsBuilder
from millstream.core.errors import (
    ClassCastException,
    PluginError,
    ProcessorStateException,
    StreamsException,
    TaskCorruptedException,
)
from millstream.core.working_copy import WorkingCopy
from millstream.plugins import ByteStore, StoreTraits, hookimpl
from millstream.plugins.registry import open_store, registered
from millstream.testing import TopologyTestDriver

TEXT = Serdes.String()


class Answering(ByteStore):
    """A dictionary whose answers a test changes."""

    name = "answering"
    traits = StoreTraits()
    change: Callable[[str, Any], Any] = staticmethod(lambda what, answer: answer)

    def __init__(self) -> None:
        self._entries: dict[bytes, bytes] = {}

    @classmethod
    def open(cls, directory: Path, options: Mapping[str, Any]) -> Any:
        """Open an empty store."""
        del directory, options
        return cls.change("open", cls())

    def get(self, key: bytes) -> Any:
        """Return what the test makes of the value."""
        found = self._entries.get(key)
        return None if found is None else self.change("get", found)

    def get_many(self, keys: Any) -> Any:
        """Return what the test makes of the values."""
        return self.change("get_many", [self.get(key) for key in keys])

    # As a plugin may write it that leaves expiry to the runtime.
    def write(  # type: ignore[override]
        self, batch: Mapping[bytes, bytes | None], version: bytes
    ) -> None:
        """Apply one batch."""
        del version
        batch = self.change("write", batch)
        self._entries |= {key: value for key, value in batch.items() if value is not None}

    def scan(self, lower: bytes | None, upper: bytes | None, *, reverse: bool = False) -> Any:
        """Return what the test makes of the entries."""
        found = sorted(self._entries.items(), reverse=reverse)
        bounds = lower or b"", upper or b"\xff" * 9
        return self.change("scan", [each for each in found if bounds[0] <= each[0] < bounds[1]])

    def size_estimate(self) -> Any:
        """Return what the test makes of the number of entries."""
        return self.change("size_estimate", len(self._entries))

    def close(self) -> None:
        """Do nothing, unless the test raises."""
        self.change("close", None)


class Plugin:
    """Offers the store."""

    @hookimpl
    def millstream_register_stores(self) -> Sequence[type[ByteStore]]:
        """Return the class."""
        return [Answering]


@pytest.fixture(autouse=True)
def _plugin() -> Iterator[None]:
    with registered(Plugin()):
        yield


def answers(monkeypatch: pytest.MonkeyPatch, what: str, wrong: Callable[[Any], Any]) -> None:
    monkeypatch.setattr(
        Answering, "change", staticmethod(lambda asked, it: wrong(it) if asked == what else it)
    )


def joined() -> tuple[TopologyTestDriver, Any]:
    """Return a driver that joins the values of a key, and passes over failing records."""
    builder = StreamsBuilder()
    kept = Materialized.as_("joined").withCachingDisabled()
    table = builder.stream("in").groupByKey().aggregate(str, lambda _, v, a: a + v, kept)
    table.toStream().to("out")
    config = {
        "default.key.serde": TEXT,
        "default.value.serde": TEXT,
        "default.dsl.store": "answering",
        "processing.exception.handler": (
            "org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler"
        ),
    }
    driver = TopologyTestDriver(builder.build(), config, real_stores=True)
    return driver, driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())


@pytest.mark.parametrize("wrong", [lambda _: "text", lambda _: 5], ids=["str", "int"])
def test_no_exception_handler_passes_over_a_wrong_answer(
    monkeypatch: pytest.MonkeyPatch, wrong: Callable[[Any], Any]
) -> None:
    driver, topic = joined()
    with driver:
        topic.pipeInput("k", "a")
        answers(monkeypatch, "get", wrong)
        with pytest.raises(StreamsException) as caught:
            topic.pipeInput("k", "b")
    assert isinstance(caught.value, TaskCorruptedException)
    assert 'get() of store "answering" returned a' in str(caught.value.__cause__)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda _: None, "scan() of store"),
        (lambda entries: [key for key, _ in entries], "a bytes as an entry"),
        (lambda entries: [(key, "text") for key, _ in entries], "returned a str"),
    ],
    ids=["None", "keys", "texts"],
)
def test_a_wrong_scan_is_the_stores_fault(
    monkeypatch: pytest.MonkeyPatch, wrong: Callable[[Any], Any], said: str
) -> None:
    answers(monkeypatch, "scan", wrong)
    driver, topic = joined()
    with driver:
        topic.pipeInput("k", "a")
        with pytest.raises(TaskCorruptedException) as caught:
            list(driver.getKeyValueStore("joined").all())
    assert said in str(caught.value.__cause__)


@pytest.mark.parametrize(
    "wrong", [lambda _: None, lambda _: "1", lambda _: -1, lambda count: 1 // (count - 1)]
)
def test_a_wrong_number_of_entries_is_the_stores_fault(
    monkeypatch: pytest.MonkeyPatch, wrong: Callable[[Any], Any]
) -> None:
    answers(monkeypatch, "size_estimate", wrong)
    driver, topic = joined()
    with driver:
        topic.pipeInput("k", "a")
        with pytest.raises(TaskCorruptedException):
            driver.getKeyValueStore("joined").approximateNumEntries()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda entries: entries[::-1], "returned the key b'a' after b'b'"),
        (lambda entries: entries * 2, "returned the key b'a' after b'b'"),
        (lambda entries: [*entries, (b"zz", b"1")], "returned the key b'zz'"),
    ],
    ids=["order", "twice", "bounds"],
)
def test_a_scan_out_of_order_or_bounds_is_the_stores_fault(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, wrong: Callable[[Any], Any], said: str
) -> None:
    answers(monkeypatch, "scan", wrong)
    store = open_store("answering", tmp_path, {})
    store.write({b"a": b"1", b"b": b"2"}, b"1")
    with pytest.raises(ClassCastException, match=said) as caught:
        list(store.scan(b"a", b"c"))
    assert "or say ordered=False in traits" in caught.value.hint


def test_an_error_names_the_store_its_method_and_the_task(monkeypatch: pytest.MonkeyPatch) -> None:
    driver, topic = joined()
    with driver:
        topic.pipeInput("k", "a")
        answers(monkeypatch, "get", lambda _: 1 // 0)
        with pytest.raises(TaskCorruptedException) as caught:
            topic.pipeInput("k", "b")
    assert caught.value.problem == 'store "joined" cannot be trusted any more'
    assert caught.value.detail.startswith("Task 0_0, in-0 at offset 1")
    assert 'operator "KSTREAM-AGGREGATE-' in caught.value.detail
    assert "get() of its byte store raised ZeroDivisionError" in caught.value.detail


def test_an_error_late_in_a_scan_is_the_stores_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def torn(entries: Any) -> Iterator[Any]:
        yield from entries
        raise OSError("a page is torn")

    driver, topic = joined()
    with driver:
        for number in range(40):
            topic.pipeInput(f"k{number}", "a")
        answers(monkeypatch, "scan", torn)
        with pytest.raises(TaskCorruptedException, match='store "joined"'):
            list(driver.getKeyValueStore("joined").all())


def test_as_many_values_come_as_keys_were_asked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    answers(monkeypatch, "get_many", lambda values: values[:1])
    store = open_store("answering", tmp_path, {})
    assert store.get_many([b"a"]) == [None]
    with pytest.raises(Exception, match="1 values for 2 keys"):
        store.get_many([b"a", b"b"])


@pytest.mark.parametrize("kind", [bytearray, memoryview])
def test_what_is_like_bytes_is_taken_as_bytes(
    monkeypatch: pytest.MonkeyPatch, kind: type[bytearray | memoryview], tmp_path: Path
) -> None:
    answers(monkeypatch, "get", kind)
    store = open_store("answering", tmp_path, {})
    store.write({b"k": b"v"}, b"1")
    found = store.get(b"k"), store.get_many([b"k"])
    assert found == (b"v", [b"v"])
    assert type(found[0]) is type(found[1][0]) is bytes


def test_a_store_that_cannot_be_opened_is_named_with_its_task(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(_: Any) -> None:
        raise OSError("the disk is gone")

    answers(monkeypatch, "open", fail)
    with pytest.raises(ProcessorStateException, match='cannot open store "joined"') as caught:
        joined()
    assert "Task 0_0; OSError: the disk is gone" in str(caught.value)
    assert "the open() of the plugin's byte store" in caught.value.hint


def test_what_is_opened_is_a_store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    answers(monkeypatch, "open", lambda _: None)
    with pytest.raises(PluginError, match="which is no store"):
        open_store("answering", tmp_path, {})
    answers(monkeypatch, "open", type)
    with pytest.raises(PluginError, match="returned the class Answering, which is no store"):
        open_store("answering", tmp_path, {})
    monkeypatch.setattr(Answering, "traits", {"durable": True})
    with pytest.raises(PluginError, match="does not say what it promises"):
        open_store("answering", tmp_path, {})


def test_a_store_that_keeps_nothing_is_seen_at_its_first_write(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answers(monkeypatch, "write", lambda _: {})
    driver, topic = joined()
    with driver, pytest.raises(TaskCorruptedException) as caught:
        topic.pipeInput("k", "a")
    assert 'store "answering" has lost what was written to it' in str(caught.value.__cause__)


def test_a_store_is_asked_once_for_all_that_a_batch_has_not_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[int] = []
    copy = WorkingCopy(open_store("answering", Path(), {}))
    copy.put_all({bytes([key]): b"1" for key in b"abcd"})
    copy.apply(b"1")
    copy.put(b"a", b"2")
    copy.put(b"b", None)

    def note(values: list[Any]) -> list[Any]:
        calls.append(len(values))
        return values

    answers(monkeypatch, "get_many", note)
    assert copy.get_many(iter([b"a", b"b", b"c", b"d", b"e"])) == [b"2", None, b"1", b"1", None]
    assert copy.get_many([b"a", b"b"]) == [b"2", None]
    copy.drop_range(b"c", b"d")
    assert copy.get_many([b"c", b"d", b"a", b"d"]) == [None, b"1", b"2", b"1"]
    assert calls == [3, 2]


def test_a_store_that_keeps_nothing_any_more_is_seen_at_that_write(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    driver, topic = joined()
    with driver:
        topic.pipeInput("k", "a")
        answers(monkeypatch, "write", lambda _: {})
        with pytest.raises(TaskCorruptedException) as caught:
            topic.pipeInput("k", "b")
    assert 'store "answering" has lost what was written to it' in str(caught.value.__cause__)


def test_a_store_that_cannot_be_closed_is_named_and_the_others_are_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    closed = []

    def fail(_: Any) -> None:
        closed.append(1)
        raise OSError("the disk is gone")

    answers(monkeypatch, "close", fail)
    builder = StreamsBuilder()
    for name in ("first", "second"):
        builder.stream(name).groupByKey().count(Materialized.as_(name))
    config = {"default.key.serde": TEXT, "default.value.serde": TEXT}
    driver = TopologyTestDriver(builder.build(), config | {"default.dsl.store": "answering"})
    with pytest.raises(ProcessorStateException, match='cannot close store "first"') as caught:
        driver.close()
    assert isinstance(caught.value.__cause__, OSError)
    assert len(closed) == 2
    driver.close()


def test_a_driver_that_cannot_be_made_closes_the_stores_that_it_has_opened(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened: list[Any] = []
    closed: list[Any] = []

    def open_one(store: Any) -> Any:
        if opened:
            raise OSError("the disk is gone")
        opened.append(store)
        return store

    monkeypatch.setattr(
        Answering,
        "change",
        staticmethod(lambda asked, it: {"open": open_one, "close": closed.append}[asked](it)),
    )
    builder = StreamsBuilder()
    for name in ("first", "second"):
        builder.stream(name).groupByKey().count(Materialized.as_(name))
    config = {"default.key.serde": TEXT, "default.value.serde": TEXT}
    with pytest.raises(Exception, match="the disk is gone"):
        TopologyTestDriver(builder.build(), config | {"default.dsl.store": "answering"})
    assert len(closed) == 1
