"""Options of the operators: factories, checks, defaults."""

from __future__ import annotations

import pickle
from datetime import timedelta
from typing import Any, cast

import pytest

from millstream import Stores
from millstream.core.errors import (
    ClassCastException,
    IllegalArgumentException,
    NullPointerException,
    TopologyException,
)
from millstream.core.serdes import Serdes
from millstream.topology.dsl.options import (
    AutoOffsetReset,
    Branched,
    BufferConfig,
    Consumed,
    EagerBufferConfig,
    Grouped,
    Joined,
    Materialized,
    Named,
    Printed,
    Produced,
    Repartitioned,
    StreamJoined,
    StrictBufferConfig,
    Suppressed,
    TableJoined,
)

S, L = Serdes.String(), Serdes.Long()
NAMERS = [
    Named.as_,
    Consumed.as_,
    Produced.as_,
    Grouped.as_,
    Joined.as_,
    StreamJoined.as_,
    TableJoined.as_,
    Materialized.as_,
    Branched.as_,
    Repartitioned.as_,
    Printed.toSysOut().withName,
]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("", "Name is illegal, it can't be empty"),
        (".", 'Name cannot be "." or ".."'),
        ("..", 'Name cannot be "." or ".."'),
        (
            "a b",
            (
                'Name "a b" is illegal, it contains a character other than ASCII alphanumerics, '
                "'.', '_' and '-'"
            ),
        ),
        (
            "é",
            (
                'Name "é" is illegal, it contains a character other than ASCII alphanumerics, '
                "'.', '_' and '-'"
            ),
        ),
        ("a" * 250, "Name is illegal, it can't be longer than 249 characters, name: " + "a" * 250),
    ],
)
@pytest.mark.parametrize("namer", NAMERS)
def test_illegal_names_are_refused_with_kafkas_text(namer: Any, name: Any, text: Any) -> None:
    with pytest.raises(TopologyException) as caught:
        namer(name)
    assert str(caught.value) == f"Invalid topology: {text}"


def test_the_longest_name_is_legal() -> None:
    assert Named.as_("a" * 249).withName("x-._9").name == "x-._9"


@pytest.mark.parametrize("make", [Named.as_, Branched.as_, Materialized.as_])
def test_none_is_no_name(make: Any) -> None:
    with pytest.raises(NullPointerException):
        make(None)


def test_consumed_takes_javas_shapes() -> None:
    def extract(record: Any, partition_time: Any) -> Any:
        return 0

    earliest = AutoOffsetReset.earliest()
    assert Consumed.with_(S, L) == Consumed(key_serde=S, value_serde=L)
    assert Consumed.with_(S, L, extract, earliest) == Consumed(
        key_serde=S, value_serde=L, timestamp_extractor=extract, offset_reset=earliest
    )
    assert Consumed.with_(extract) == Consumed(timestamp_extractor=extract)
    assert Consumed.with_(earliest) == Consumed(offset_reset=earliest)
    assert Consumed.with_(valueSerde=L) == Consumed(value_serde=L)
    assert Consumed.with_(None, None) == Consumed()
    renamed = Consumed.as_("in").withKeySerde(S).withValueSerde(L).withOffsetResetPolicy(earliest)
    assert renamed.withTimestampExtractor(extract).withName("other") == Consumed(
        name="other",
        key_serde=S,
        value_serde=L,
        timestamp_extractor=extract,
        offset_reset=earliest,
    )


def test_produced_and_repartitioned_take_javas_shapes() -> None:
    def choose(topic: Any, key: Any, value: Any, count: Any) -> Any:
        return {0}

    assert Produced.with_(S, L, choose) == Produced(key_serde=S, value_serde=L, partitioner=choose)
    assert Produced.keySerde(S).withValueSerde(L) == Produced.with_(S, L)
    assert Produced.streamPartitioner(choose) == Produced().withStreamPartitioner(choose)
    assert Repartitioned.with_(S, L).withNumberOfPartitions(3).withName("r") == Repartitioned(
        name="r", key_serde=S, value_serde=L, number_of_partitions=3
    )


def test_grouped_takes_javas_shapes() -> None:
    assert Grouped.with_(S, L) == Grouped.keySerde(S).withValueSerde(L)
    assert Grouped.with_("g", S, L) == Grouped.as_("g").withKeySerde(S).withValueSerde(L)
    assert Grouped.with_(keySerde=S, name="g") == Grouped(name="g", key_serde=S)


def test_joins_take_javas_shapes() -> None:
    joined = Joined.with_(S, L, S, "j", timedelta(seconds=1))
    assert joined == Joined(
        name="j", key_serde=S, value_serde=L, other_value_serde=S, grace_ms=1000
    )
    assert Joined.as_("j").withGracePeriod(5).grace_ms == 5
    assert StreamJoined.with_(S, L, S).withStoreName("s").withLoggingDisabled() == StreamJoined(
        store_name="s", key_serde=S, value_serde=L, other_value_serde=S, logging_enabled=False
    )
    one, other = (Stores.inMemoryWindowStore(name, 10, 5, True) for name in "ab")
    assert StreamJoined.with_(one, other) == StreamJoined(
        this_store_supplier=one, other_store_supplier=other
    )
    suppliers = DslSuppliers()
    assert StreamJoined.with_(suppliers).dsl_store_suppliers is suppliers
    assert TableJoined.with_(None, None).withName("t") == TableJoined.as_("t")


class DslSuppliers:
    def keyValueStore(self, params: Any) -> Any: ...
    def windowStore(self, params: Any) -> Any: ...
    def sessionStore(self, params: Any) -> Any: ...


class Supplier:
    def get(self) -> Any: ...
    def name(self) -> Any:
        return "s"


def test_materialized_tells_names_suppliers_and_kinds_apart() -> None:
    supplier, suppliers = Supplier(), DslSuppliers()
    assert Materialized.as_("s").store_name == "s"
    assert Materialized.as_(supplier).store_supplier is supplier
    assert Materialized.as_(suppliers).dsl_store_suppliers is suppliers
    in_memory = Materialized.StoreType.IN_MEMORY
    assert Materialized.as_(in_memory).dsl_store_suppliers is in_memory
    assert Materialized.with_(S, L).withStoreType(in_memory).dsl_store_suppliers is in_memory
    with pytest.raises(ClassCastException):
        Materialized.as_(cast(Any, 5))
    with pytest.raises(IllegalArgumentException, match="Cannot set store type"):
        Materialized.as_(supplier).withStoreType(in_memory)


def test_materialized_defaults_and_changes() -> None:
    plain = Materialized.with_(S, L)
    assert (plain.logging_enabled, plain.caching_enabled, plain.retention_ms) == (True, True, None)
    changed = plain.withLoggingEnabled({"retention.ms": "5"}).withCachingDisabled()
    assert (changed.topic_config, changed.caching_enabled) == ({"retention.ms": "5"}, False)
    assert changed.withLoggingDisabled().topic_config == {}
    assert plain.withRetention(timedelta(days=1)).retention_ms == 86_400_000
    with pytest.raises(IllegalArgumentException, match="Retention must not be negative"):
        plain.withRetention(-1)


def test_a_serde_without_its_parentheses_is_found_out() -> None:
    with pytest.raises(ClassCastException) as caught:
        Consumed.with_(cast(Any, Serdes.String), L)
    assert str(caught.value) == (
        "keySerde cannot be the class StringSerde\n  hint: Write StringSerde(), with parentheses."
    )
    with pytest.raises(ClassCastException, match="valueSerde cannot be an int"):
        Grouped.with_(S, cast(Any, 5))


def test_suppressed_limits() -> None:
    assert BufferConfig.unbounded() == StrictBufferConfig()
    limited = BufferConfig.maxRecords(3).withMaxBytes(4)
    assert limited == EagerBufferConfig(max_records=3, max_bytes=4)
    assert limited.shutDownWhenFull() == StrictBufferConfig(max_records=3, max_bytes=4)
    assert limited.shutDownWhenFull().emitEarlyWhenFull() == limited
    assert limited.withNoBound() == BufferConfig.unbounded()
    assert type(limited.withLoggingDisabled()) is EagerBufferConfig
    assert Suppressed.BufferConfig.maxBytes(5).when_full.name == "EMIT_EARLY"


def test_suppressed_rules() -> None:
    final = Suppressed.untilWindowCloses(BufferConfig.unbounded()).withName("final")
    assert (final.name, final.wait_ms) == ("final", None)
    assert (
        Suppressed.untilTimeLimit(timedelta(seconds=1), BufferConfig.maxRecords(1)).wait_ms == 1000
    )
    assert Suppressed.untilTimeLimit(None, BufferConfig.unbounded()).wait_ms == 2**63 - 1
    with pytest.raises(ClassCastException, match="emits early"):
        Suppressed.untilWindowCloses(cast(Any, BufferConfig.maxRecords(1)))


def test_branched() -> None:
    seen: list[Any] = []
    assert Branched.withConsumer(seen.append, "b").chain_consumer == seen.append
    assert Branched.withFunction(lambda stream: stream).name is None
    with pytest.raises(NullPointerException, match="chain function cannot be null"):
        Branched.withFunction(None)  # type: ignore[arg-type]


def test_printed(tmp_path: Any) -> None:
    file = tmp_path / "lines"
    file.write_text("old")
    printed = Printed.toFile(file).withLabel("l").withKeyValueMapper(lambda k, v: f"{k}{v}")
    assert (printed.file_path, printed.label, file.read_text()) == (file, "l", "")
    with pytest.raises(TopologyException, match="can't be an empty string"):
        Printed.toFile("")
    with pytest.raises(TopologyException, match="Unable to write stream to file"):
        Printed.toFile(tmp_path / "missing" / "lines")


def test_auto_offset_reset() -> None:
    assert AutoOffsetReset.byDuration(timedelta(seconds=1)) == AutoOffsetReset(
        strategy="by_duration", duration_ms=1000
    )
    with pytest.raises(IllegalArgumentException, match="Duration cannot be negative"):
        AutoOffsetReset.byDuration(-1)


def test_options_pickle_and_are_frozen() -> None:
    grouped = Grouped.as_("g")
    assert pickle.loads(pickle.dumps(grouped)) == grouped
    with pytest.raises(AttributeError):
        grouped.name = "h"  # type: ignore[misc]
