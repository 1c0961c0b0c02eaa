"""Each payment once, complete: the topology, a test of it, and a run on Spark.

python -m examples.deduplication                     # tries the topology in this process, no JVM
python -m examples.deduplication localhost:9092      # runs it on Spark; reads "payments"

Whoever writes the payments may write one several times, after an error even under another key. A
payment's number is its id: the first record with it is passed on, those of the next hour are not.
"""

from __future__ import annotations

import sys
from datetime import timedelta

from millstream import (
    Consumed,
    Deduplicated,
    KafkaStreams,
    KStream,
    Produced,
    Serdes,
    StreamsBuilder,
    Topology,
)
from millstream.testing import TopologyTestDriver


def payment_number(account: str, payment: str) -> str | None:
    """Return what comes before the colon; None, which is never a duplicate, without one."""
    number, colon, _ = payment.partition(":")
    return number if colon else None


def each_once(source: str = "payments", target: str = "payments-once") -> Topology:
    """Pass on the first record of each payment, with the account as its key, to `target`."""
    text = Serdes.String()
    builder = StreamsBuilder()
    payments: KStream[str, str] = builder.stream(source, Consumed.with_(text, text))
    payments.deduplicate(
        payment_number, timedelta(hours=1), Deduplicated.as_("once").withIdSerde(text)
    ).to(target, Produced.with_(text, text))
    return builder.build()


def try_out() -> list[tuple[str | None, str | None]]:
    """Pipe payments, in milliseconds of event time, through the topology; return what comes out.

    >>> for account, payment in try_out():
    ...     print(account, payment)
    anna 17: 5.00
    bert 18: 7.50
    anna no number
    anna no number
    carl 17: 5.00
    """
    text = Serdes.String()
    hour = 3_600_000
    with TopologyTestDriver(each_once()) as driver:
        payments = driver.createInputTopic("payments", text.serializer(), text.serializer())
        once = driver.createOutputTopic("payments-once", text.deserializer(), text.deserializer())
        payments.pipeInput("anna", "17: 5.00", 0)
        payments.pipeInput("anna", "17: 5.00", 1_000)
        payments.pipeInput("bert", "18: 7.50", 2_000)
        payments.pipeInput("ANNA", "17: 5.00", hour)
        payments.pipeInput("anna", "no number", hour)
        payments.pipeInput("anna", "no number", hour)
        payments.pipeInput("carl", "17: 5.00", hour + 1)
        return [(found.key, found.value) for found in once.readKeyValuesToList()]


def run(bootstrap_servers: str) -> None:
    """Run the topology on Spark, exactly once, until a signal or a failure ends it."""
    config = {
        "application.id": "payments-once",
        "bootstrap.servers": bootstrap_servers,
        "processing.guarantee": "exactly_once_v2",
    }
    KafkaStreams(each_once(), config).run()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        run(sys.argv[1])
    else:
        for payment in try_out():
            print(*payment)
