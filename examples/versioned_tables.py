"""Orders at the price of their time, complete: the topology, a try, and a run on Spark.

python -m examples.versioned_tables                     # tries the topology in this process, no JVM
python -m examples.versioned_tables localhost:9092      # runs it on Spark; "prices" and "orders"

The table of prices is versioned: it remembers for a day what a price was when. An order that comes
late gets the price it was made at, and a price that comes late counts for the orders after it.
"""

from __future__ import annotations

import sys
from datetime import timedelta
from typing import Any

from millstream import (
    Consumed,
    Joined,
    KafkaStreams,
    KStream,
    KTable,
    Materialized,
    Produced,
    Serdes,
    Stores,
    StreamsBuilder,
    Topology,
)
from millstream.testing import TopologyTestDriver


def total(pieces: int, price: int | None) -> str:
    """Return what an order comes to, in cents."""
    return "no price yet" if price is None else f"{pieces} x {price} = {pieces * price}"


def priced(orders: str = "orders", prices: str = "prices", target: str = "priced") -> Topology:
    """Write each order with its price to `target`; keys are articles."""
    text, number = Serdes.String(), Serdes.Long()
    history = Stores.persistentVersionedKeyValueStore("prices", timedelta(days=1))
    kept: Materialized[str, int, Any] = Materialized.as_(history)
    builder = StreamsBuilder()
    table: KTable[str, int] = builder.table(prices, Consumed.with_(text, number), kept)
    stream: KStream[str, int] = builder.stream(orders, Consumed.with_(text, number))
    stream.leftJoin(table, total, Joined.with_(text, number, number)).to(
        target, Produced.with_(text, text)
    )
    return builder.build()


def try_out() -> list[str]:
    """Pipe prices and orders, in minutes of event time, through the topology.

    >>> for line in try_out():
    ...     print(line)
    2 x 100 = 200
    1 x 120 = 120
    3 x 100 = 300
    no price yet
    5 x 110 = 550
    """
    text, number = Serdes.String(), Serdes.Long()
    with TopologyTestDriver(priced()) as driver:
        topics = {
            name: driver.createInputTopic(name, text.serializer(), number.serializer())
            for name in ("prices", "orders")
        }
        found = driver.createOutputTopic("priced", text.deserializer(), text.deserializer())
        for topic, value, minute in (
            ("prices", 100, 10),
            ("orders", 2, 15),
            ("prices", 120, 30),
            ("orders", 1, 35),
            # Late orders: one from before the new price, one from before any.
            ("orders", 3, 29),
            ("orders", 4, 9),
            # A late price, for a late order.
            ("prices", 110, 20),
            ("orders", 5, 25),
        ):
            topics[topic].pipeInput("shoes", value, minute * 60_000)
        return [str(line) for line in found.readValuesToList()]


def run(bootstrap_servers: str) -> None:
    """Run the topology on Spark until a signal or a failure ends it."""
    config = {"application.id": "priced-orders", "bootstrap.servers": bootstrap_servers}
    KafkaStreams(priced(), config).run()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        run(sys.argv[1])
    else:
        print(*try_out(), sep="\n")
