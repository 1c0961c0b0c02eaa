"""A user's own key-value store gets the calls that a program makes, as in Kafka."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from compat_tests.testing.test_ported_key_value_store import Plain, Supplier
from millstream import (
    KeyValue,
    KeyValueStore,
    Processor,
    ProcessorSupplier,
    Serdes,
    Stores,
    Topology,
)
from millstream.testing import TopologyTestDriver

TEXT = Serdes.String()
CALLS: list[tuple[Any, ...]] = []
"""What the store was asked for by the program."""


class Whole(Plain):
    """A store with every method of Java's interface."""

    def putIfAbsent(self, key: bytes, value: bytes | None) -> bytes | None:
        CALLS.append(("putIfAbsent", key, value))
        before = self._rows.get(key)
        if before is None and value is not None:
            self._rows[key] = value
        return before

    def putAll(self, entries: Iterable[KeyValue[bytes, bytes | None]]) -> None:
        CALLS.append(("putAll", [(entry.key, entry.value) for entry in entries]))
        for key, value in entries:
            super().put(key, value)

    def delete(self, key: bytes) -> bytes | None:
        CALLS.append(("delete", key))
        return self._rows.pop(key, None)

    def put(self, key: bytes, value: bytes | None) -> None:
        CALLS.append(("put", key, value))
        super().put(key, value)


class Short:
    """A store of no base class, with what millstream needs."""

    def __init__(self) -> None:
        self._rows: dict[bytes, bytes] = {}

    name, init, close, persistent = Plain.name, Plain.init, Plain.close, Plain.persistent
    isOpen, get, put, all = Plain.isOpen, Plain.get, Plain.put, Plain.all

    def flush(self) -> None: ...


class Of(Supplier):
    def __init__(self, kind: Any) -> None:
        self._kind = kind

    def get(self) -> KeyValueStore[bytes, bytes]:
        made: KeyValueStore[bytes, bytes] = self._kind()
        return made


class Asks(Processor[str, str, str, str]):
    def init(self, context: Any) -> None:
        self._context = context
        self._store = context.getStateStore("plain")

    def process(self, record: Any) -> None:
        store = self._store
        store.put("a", "1")
        answers = [store.putIfAbsent("a", "2"), store.putIfAbsent("b", "3")]
        store.putAll([KeyValue("c", "4"), KeyValue("c", "5"), KeyValue("a", None)])
        answers += [store.delete("c"), store.delete("none")]
        self._context.forward(record.withValue(repr(answers)))


class AsksSupplier(ProcessorSupplier[str, str, str, str]):
    def get(self) -> Asks:
        return Asks()


def run(kind: Any, *, cached: bool) -> tuple[str, list[Any], list[Any]]:
    builder = Stores.keyValueStoreBuilder(Of(kind), TEXT, TEXT)
    topology = Topology()
    topology.addSource("in", TEXT.deserializer(), TEXT.deserializer(), "in")
    topology.addProcessor("asks", AsksSupplier(), "in")
    topology.addStateStore(builder.withCachingEnabled() if cached else builder, "asks")
    topology.addSink("out", "out", TEXT.serializer(), TEXT.serializer(), "asks")
    CALLS.clear()
    with TopologyTestDriver(topology, {"application.id": "own"}) as driver:
        driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer()).pipeInput("k", "v")
        out = driver.createOutputTopic("out", TEXT.deserializer(), TEXT.deserializer())
        changes = driver.createOutputTopic(
            "own-plain-changelog", TEXT.deserializer(), TEXT.deserializer()
        )
        with driver.getKeyValueStore("plain").all() as entries:
            rows = [(entry.key, entry.value) for entry in entries]
        logged = [(entry.key, entry.value) for entry in changes.readKeyValuesToList()]
        return out.readValue(), rows, logged


ANSWERS = repr(["1", None, "5", None])
CHANGES = [("a", "1"), ("b", "3"), ("c", "4"), ("c", "5"), ("a", None), ("c", None), ("none", None)]


@pytest.mark.parametrize("kind", [Whole, Short])
def test_own_stores_answer_and_log_as_others(kind: type[Any]) -> None:
    assert run(kind, cached=False) == (ANSWERS, [("b", "3")], CHANGES)


def test_each_method_that_a_program_calls_is_called_in_the_users_store() -> None:
    run(Whole, cached=False)
    assert CALLS == [
        ("put", b"a", b"1"),
        ("putIfAbsent", b"a", b"2"),
        ("putIfAbsent", b"b", b"3"),
        ("putAll", [(b"c", b"4"), (b"c", b"5"), (b"a", None)]),
        ("delete", b"c"),
        ("delete", b"none"),
    ]


def test_a_record_cache_writes_by_put_alone() -> None:
    answer, rows, _ = run(Whole, cached=True)
    assert (answer, rows) == (ANSWERS, [("b", "3")])
    assert {call[0] for call in CALLS} == {"put"}
