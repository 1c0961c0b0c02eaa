"""Materialized, Produced and Printed are changed by their own methods, as in Kafka Streams."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from millstream import (
    ClassCastException,
    Consumed,
    Grouped,
    KeyValue,
    Materialized,
    Printed,
    Produced,
    Serdes,
    SessionWindows,
    StreamsBuilder,
    Suppressed,
    TimeWindows,
)

TEXT, NUMBER = Serdes.String(), Serdes.Long()
READ = Consumed.with_(TEXT, TEXT)
BUFFER = Suppressed.BufferConfig.unbounded()


def test_each_method_of_a_store_changes_it_and_returns_it() -> None:
    # What a statement of its own set was lost: a store without a changelog had one.
    kept: Materialized[str, int, Any] = Materialized.as_("kept")
    assert kept.withKeySerde(TEXT) is kept
    kept.withValueSerde(NUMBER)
    kept.withRetention(7)
    kept.withCachingDisabled()
    kept.withLoggingEnabled({"cleanup.policy": "delete"})
    assert (kept.key_serde, kept.value_serde, kept.retention_ms) == (TEXT, NUMBER, 7)
    assert (kept.caching_enabled, kept.topic_config) == (False, {"cleanup.policy": "delete"})
    kept.withStoreType(Materialized.StoreType.IN_MEMORY)
    kept.withLoggingDisabled().withCachingEnabled()
    assert (kept.logging_enabled, kept.caching_enabled, kept.topic_config) == (False, True, {})
    assert kept.dsl_store_suppliers is Materialized.StoreType.IN_MEMORY


def test_what_is_refused_changes_nothing() -> None:
    kept: Any = Materialized.with_(TEXT, NUMBER)
    with pytest.raises(ClassCastException, match="keySerde cannot be an int"):
        kept.withKeySerde(5)
    assert kept.key_serde is TEXT


def test_sinks_and_prints_are_changed_as_well() -> None:
    written = Produced.with_(TEXT, TEXT)
    written.withName("sink")
    written.withStreamPartitioner(lambda topic, key, value, count: {0})
    assert (written.name, written.partitioner is None) == ("sink", False)
    printed: Printed[str, str] = Printed.toSysOut()
    printed.withLabel("rows")
    assert printed.label == "rows"


def test_other_options_stay_as_they_are() -> None:
    grouped = Grouped.with_(TEXT, TEXT)
    assert grouped.withName("groups").name == "groups"
    assert grouped.name is None


def joined_by_foreign_key(builder: StreamsBuilder, kept: Any) -> None:
    table = builder.table("in", READ)
    table.join(table, str, lambda one, other: one + other, kept)


def both(_key: Any, one: Any, two: Any) -> Any:
    return one + two


@pytest.mark.parametrize(
    "use",
    [
        lambda builder, kept: builder.table("in", READ, kept),
        lambda builder, kept: builder.table("in", kept),
        lambda builder, kept: builder.stream("in", READ).toTable(kept),
        lambda builder, kept: builder.stream("in", READ).groupByKey().count(kept),
        lambda builder, kept: builder.stream("in", READ).groupByKey().reduce(max, kept),
        lambda builder, kept: builder.stream("in", READ).groupByKey().aggregate(str, both, kept),
        lambda builder, kept: (
            builder.stream("in", READ)
            .groupByKey()
            .windowedBy(TimeWindows.ofSizeWithNoGrace(5))
            .count(kept)
        ),
        lambda builder, kept: (
            builder.stream("in", READ)
            .groupByKey()
            .windowedBy(SessionWindows.ofInactivityGapWithNoGrace(5))
            .count(kept)
        ),
        lambda builder, kept: (
            builder.stream("in", READ).groupByKey().cogroup(both).aggregate(str, kept)
        ),
        lambda builder, kept: builder.table("in", READ).filter(lambda k, v: True, kept),
        lambda builder, kept: builder.table("in", READ).mapValues(str, kept),
        lambda builder, kept: builder.table("in", READ).groupBy(KeyValue).count(kept),
        lambda builder, kept: builder.table("in", READ).suppress(
            Suppressed.untilTimeLimit(5, BUFFER), kept
        ),
        joined_by_foreign_key,
    ],
)
def test_an_operator_keeps_what_it_was_given(use: Callable[[StreamsBuilder, Any], Any]) -> None:
    kept: Any = Materialized.as_("kept")
    builder = StreamsBuilder()
    use(builder, kept)
    kept.withLoggingDisabled()
    parts = builder.build().plan().subtopologies
    stores = {node.name: node.builder for part in parts for node in part.stores}
    assert stores["kept"].loggingEnabled()
