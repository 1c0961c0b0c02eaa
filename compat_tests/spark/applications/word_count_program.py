"""An application in a process of its own, so that a test can kill it.

``python -m compat_tests.spark.applications.word_count_program CONFIG SOURCE TARGET``: CONFIG is
JSON. Runs until its standard input ends, then closes; ends with status 1 if the application fails.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from pyspark.sql import SparkSession

from millstream import KafkaStreams, KStream, Produced, Serdes, StreamsBuilder, Topology


def word_count(source: str, target: str) -> Topology:
    """Return the topology that counts words, by way of a repartition."""
    builder = StreamsBuilder()
    count(builder.stream(source).flatMapValues(lambda line: line.split()), target)
    return builder.build()


def count(words: KStream[Any, str], target: str) -> None:
    """Count words, and send each new count to a topic."""
    counts = words.groupBy(lambda _, word: word).count()
    counts.toStream().to(target, Produced.with_(Serdes.String(), Serdes.Long()))


def main() -> None:
    """Run until standard input ends."""
    config = json.loads(sys.argv[1])
    config["default.key.serde"] = config["default.value.serde"] = Serdes.String()
    streams = KafkaStreams(word_count(*sys.argv[2:4]), config)
    streams.setStateListener(lambda new, old: os._exit(1) if new.name == "ERROR" else None)
    with streams:
        streams.start()
        sys.stdin.read()
    SparkSession.builder.getOrCreate().stop()


if __name__ == "__main__":
    main()
