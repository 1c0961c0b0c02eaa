"""Workloads whose records are treated one by one, among them a user's own processors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchmarks.vs_kafka_streams.records import AVRO_SCHEMA
from benchmarks.vs_kafka_streams.topologies.processors import CountLately, Stamp
from benchmarks.vs_kafka_streams.topologies.serdes import NUMBERS, READ, TEXT, TEXTS
from benchmarks.vs_kafka_streams.workloads import COPIES, DEDUPLICATION_MS
from millstream import (
    AvroSerde,
    Consumed,
    KeyValue,
    Materialized,
    Produced,
    StreamsBuilder,
)


def _pass(builder: StreamsBuilder, sources: Sequence[str], output: str) -> None:
    builder.stream(sources[0], READ).to(output, TEXTS)


def _dedup(builder: StreamsBuilder, sources: Sequence[str], output: str) -> None:
    builder.stream(sources[0], READ).deduplicateByKey(DEDUPLICATION_MS).to(output, TEXTS)


def _processor(builder: StreamsBuilder, sources: Sequence[str], output: str) -> None:
    builder.addStateStore(CountLately.store())
    stream = builder.stream(sources[0], READ)
    stream.process(CountLately, CountLately.STORE).to(output, NUMBERS)


def _headers(builder: StreamsBuilder, sources: Sequence[str], output: str) -> None:
    builder.stream(sources[0], READ).processValues(Stamp).to(output, TEXTS)


def _flat_map(builder: StreamsBuilder, sources: Sequence[str], output: str) -> None:
    builder.stream(sources[0], READ).flatMap(_copies).to(output, TEXTS)


def _large_values(builder: StreamsBuilder, sources: Sequence[str], output: str) -> None:
    kept: Materialized[str, str, Any] = Materialized.as_("latest")
    latest = builder.stream(sources[0], READ).toTable(kept.withKeySerde(TEXT).withValueSerde(TEXT))
    latest.toStream().to(output, TEXTS)


def _avro(builder: StreamsBuilder, sources: Sequence[str], output: str) -> None:
    purchases: AvroSerde[dict[str, Any]] = AvroSerde(AVRO_SCHEMA)
    stream = builder.stream(sources[0], Consumed.with_(TEXT, purchases))
    stream.mapValues(_doubled).to(output, Produced.with_(TEXT, purchases))


def _copies(key: str, value: str) -> list[KeyValue[str, str]]:
    return [KeyValue.pair(f"{key}/{copy}", value) for copy in range(COPIES)]


def _doubled(purchase: dict[str, Any]) -> dict[str, Any]:
    return {**purchase, "amount": 2 * purchase["amount"]}


BUILDERS: Mapping[str, Callable[[StreamsBuilder, Sequence[str], str], None]] = {
    "pass": _pass,
    "dedup": _dedup,
    "processor": _processor,
    "headers": _headers,
    "flat-map": _flat_map,
    "large-values": _large_values,
    "avro": _avro,
}
