"""Processors of the workloads, as a user would write them."""

from __future__ import annotations

from benchmarks.vs_kafka_streams.topologies.serdes import NUMBER, TEXT
from benchmarks.vs_kafka_streams.workloads import EXPIRY_MS, SWEEP_MS
from millstream import (
    ContextualFixedKeyProcessor,
    FixedKeyRecord,
    Processor,
    ProcessorContext,
    PunctuationType,
    Record,
    StoreBuilder,
    Stores,
    TimestampedKeyValueStore,
    ValueAndTimestamp,
)


class CountLately(Processor[str, str, str, int]):
    """Counts each key's records; a key that has not come for 20 s begins anew.

    A punctuation deletes such keys every 10 s of stream time. When it does makes no difference to
    the counts.
    """

    STORE = "lately"

    @classmethod
    def store(cls) -> StoreBuilder[TimestampedKeyValueStore[str, int]]:
        supplier = Stores.persistentTimestampedKeyValueStore(cls.STORE)
        return Stores.timestampedKeyValueStoreBuilder(supplier, TEXT, NUMBER)

    def init(self, context: ProcessorContext[str, int]) -> None:
        self._context = context
        self._lately: TimestampedKeyValueStore[str, int] = context.getStateStore(self.STORE)
        context.schedule(SWEEP_MS, PunctuationType.STREAM_TIME, self._sweep)

    def process(self, record: Record[str, str]) -> None:
        key, now = record.key(), record.timestamp()
        found = self._lately.get(key)
        count = 1 if found is None or now - found.timestamp() > EXPIRY_MS else found.value() + 1
        self._lately.put(key, ValueAndTimestamp.make(count, now))
        self._context.forward(record.withValue(count))

    def _sweep(self, now: int) -> None:
        with self._lately.all() as entries:
            over = [entry.key for entry in entries if now - entry.value.timestamp() > EXPIRY_MS]
        for key in over:
            self._lately.delete(key)


class Stamp(ContextualFixedKeyProcessor[str, str, str]):
    """Reads one header and adds another."""

    def process(self, record: FixedKeyRecord[str, str]) -> None:
        headers = record.headers()
        headers.add("seen", headers.lastHeader("header-3").value())
        self.context().forward(record)
