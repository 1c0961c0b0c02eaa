"""Ledger: exactly-once transfers between accounts, rejected ones on a topic of their own.

Java idioms: a ``Topology`` built by hand (``addSource``, ``addProcessor``, ``addStateStore``,
``addSink``), a processor that forwards to named children, headers, a punctuation with its
``Cancellable``, ``try``/``finally`` around an iterator, ``exactly_once_v2``.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from decimal import Decimal

from millstream import (
    Cancellable,
    Duration,
    JsonSerde,
    KafkaStreams,
    KeyValueStore,
    Processor,
    ProcessorContext,
    PunctuationType,
    Record,
    Serdes,
    Stores,
    StreamsConfig,
    Topology,
)

TRANSACTIONS = "transactions"
BALANCES = "balances"
REJECTED = "rejected-transactions"
STATEMENTS = "statements"
BALANCE_STORE = "balance-store"
REASON = "reason"
STATEMENT_INTERVAL = Duration.ofHours(1)


@dataclass(frozen=True)
class Transaction:
    """What is added to an account, in cents; negative for a withdrawal."""

    id: str
    cents: int


TRANSACTION_SERDE = JsonSerde.of(Transaction)


class LedgerProcessor(Processor[str, Transaction, str, object]):
    """Keeps the balance of each account, which is never below zero."""

    def __init__(self, statement_interval: Duration) -> None:
        self._statement_interval = statement_interval

    def init(self, context: ProcessorContext[str, object]) -> None:
        self._context = context
        self._balances: KeyValueStore[str, int] = context.getStateStore(BALANCE_STORE)
        self._statements: Cancellable = context.schedule(
            self._statement_interval, PunctuationType.WALL_CLOCK_TIME, self._write_statements
        )

    def process(self, record: Record[str, Transaction]) -> None:
        balance = (self._balances.get(record.key()) or 0) + record.value().cents
        if balance < 0:
            record.headers().add(REASON, b"insufficient funds")
            self._context.forward(record, REJECTED)
            return
        self._balances.put(record.key(), balance)
        self._context.forward(record.withValue(balance), BALANCES)

    def _write_statements(self, timestamp: int) -> None:
        with self._balances.all() as accounts:
            for account in accounts:
                text = f"{account.key}: {Decimal(account.value) / 100:.2f}"
                self._context.forward(Record(account.key, text, timestamp), STATEMENTS)

    def close(self) -> None:
        self._statements.cancel()


def topology(statement_interval: Duration = STATEMENT_INTERVAL) -> Topology:
    string_serde, long_serde = Serdes.String(), Serdes.Long()
    builder = Topology()
    builder.addSource(
        "transactions-source",
        string_serde.deserializer(),
        TRANSACTION_SERDE.deserializer(),
        TRANSACTIONS,
    )
    builder.addProcessor(
        "ledger", lambda: LedgerProcessor(statement_interval), "transactions-source"
    )
    builder.addStateStore(
        Stores.keyValueStoreBuilder(
            Stores.persistentKeyValueStore(BALANCE_STORE), string_serde, long_serde
        ).withCachingDisabled(),
        "ledger",
    )
    key = string_serde.serializer()
    builder.addSink(BALANCES, BALANCES, key, long_serde.serializer(), "ledger")
    builder.addSink(REJECTED, REJECTED, key, TRANSACTION_SERDE.serializer(), "ledger")
    builder.addSink(STATEMENTS, STATEMENTS, key, string_serde.serializer(), "ledger")
    return builder


def main() -> None:
    bootstrap_servers = sys.argv[1] if len(sys.argv) > 1 else "localhost:9092"
    props = {
        StreamsConfig.APPLICATION_ID_CONFIG: "ledger",
        StreamsConfig.BOOTSTRAP_SERVERS_CONFIG: bootstrap_servers,
        StreamsConfig.PROCESSING_GUARANTEE_CONFIG: StreamsConfig.EXACTLY_ONCE_V2,
    }
    KafkaStreams(topology(), props).run()


if __name__ == "__main__":
    main()
