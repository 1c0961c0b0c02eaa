"""Sum of the odd numbers of a topic, updated with each of them.

Java idioms: ``Integer`` keys and values, ``selectKey`` to bring all records together,
``reduce(Integer::sum)`` (``operator.add``), a ``KTable`` written as a stream.
"""

from __future__ import annotations

import operator
import sys
from typing import Any

from millstream import (
    Consumed,
    Grouped,
    KafkaStreams,
    KStream,
    KTable,
    Materialized,
    Produced,
    Serdes,
    StreamsBuilder,
    StreamsConfig,
    Topology,
)

NUMBERS_TOPIC = "numbers-topic"
SUM_OF_ODD_NUMBERS_TOPIC = "sum-of-odd-numbers-topic"
SUM_STORE = "sum-of-odd-numbers"


def streams_config(bootstrap_servers: str) -> dict[str, Any]:
    return {
        StreamsConfig.APPLICATION_ID_CONFIG: "sum-lambda-example",
        StreamsConfig.BOOTSTRAP_SERVERS_CONFIG: bootstrap_servers,
        StreamsConfig.COMMIT_INTERVAL_MS_CONFIG: 10 * 1000,
    }


def topology() -> Topology:
    integer = Serdes.Integer()
    builder = StreamsBuilder()
    # The keys of the topic are of no interest.
    numbers: KStream[bytes, int] = builder.stream(
        NUMBERS_TOPIC, Consumed.with_(Serdes.ByteArray(), integer)
    )
    sum_of_odd_numbers: KTable[int, int] = (
        numbers.filter(lambda key, number: number % 2 != 0)
        .selectKey(lambda key, number: 1)
        .groupByKey(Grouped.with_(integer, integer))
        .reduce(operator.add, Materialized.as_(SUM_STORE))
    )
    sum_of_odd_numbers.toStream().to(SUM_OF_ODD_NUMBERS_TOPIC, Produced.with_(integer, integer))
    return builder.build()


def main() -> None:
    bootstrap_servers = sys.argv[1] if len(sys.argv) > 1 else "localhost:9092"
    KafkaStreams(topology(), streams_config(bootstrap_servers)).run()


if __name__ == "__main__":
    main()
