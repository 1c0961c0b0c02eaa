"""Ledger: named children, headers, and a punctuation on the driver's clock."""

from __future__ import annotations

from examples.ports.ledger import (
    BALANCE_STORE,
    BALANCES,
    REASON,
    REJECTED,
    STATEMENTS,
    TRANSACTION_SERDE,
    TRANSACTIONS,
    Transaction,
    topology,
)
from millstream import (
    Duration,
    Instant,
    KeyValue,
    LongDeserializer,
    StringDeserializer,
    StringSerializer,
    TopologyTestDriver,
)


def test_transfers_change_balances_and_are_rejected_below_zero() -> None:
    with TopologyTestDriver(topology(Duration.ofHours(1)), {}, Instant.EPOCH) as driver:
        transactions = driver.createInputTopic(
            TRANSACTIONS, StringSerializer(), TRANSACTION_SERDE.serializer()
        )
        balances = driver.createOutputTopic(BALANCES, StringDeserializer(), LongDeserializer())
        rejected = driver.createOutputTopic(
            REJECTED, StringDeserializer(), TRANSACTION_SERDE.deserializer()
        )
        statements = driver.createOutputTopic(
            STATEMENTS, StringDeserializer(), StringDeserializer()
        )
        transactions.pipeInput("alice", Transaction("t1", 5_000), 10)
        transactions.pipeInput("alice", Transaction("t2", -6_000), 20)
        transactions.pipeInput("alice", Transaction("t3", -1_250), 30)
        transactions.pipeInput("bob", Transaction("t4", 1), 40)

        assert balances.readKeyValuesToList() == [
            KeyValue("alice", 5_000),
            KeyValue("alice", 3_750),
            KeyValue("bob", 1),
        ]
        record = rejected.readRecord()
        assert record.value() == Transaction("t2", -6_000)
        assert record.headers().lastHeader(REASON).value() == b"insufficient funds"
        assert driver.getKeyValueStore(BALANCE_STORE).get("alice") == 3_750

        driver.advanceWallClockTime(Duration.ofMinutes(59))
        assert statements.isEmpty()
        driver.advanceWallClockTime(Duration.ofMinutes(1))
        assert statements.readKeyValuesToMap() == {"alice": "alice: 37.50", "bob": "bob: 0.01"}
