"""Word count: each line is split into words, and each new count of a word is written.

Java idioms: ``Properties`` with the constants of ``StreamsConfig`` (a dict), default serdes given
as classes, a compiled ``Pattern`` in a lambda, ``Arrays.asList`` (any iterable), a shutdown hook
(``run()`` ends by a signal).
"""

from __future__ import annotations

import re
import sys
from typing import Any

from millstream import (
    ConsumerConfig,
    KafkaStreams,
    KStream,
    KTable,
    Produced,
    Serdes,
    StreamsBuilder,
    StreamsConfig,
    Topology,
)

INPUT_TOPIC = "streams-plaintext-input"
OUTPUT_TOPIC = "streams-wordcount-output"

PATTERN = re.compile(r"\W+")


def streams_config(bootstrap_servers: str) -> dict[str, Any]:
    return {
        StreamsConfig.APPLICATION_ID_CONFIG: "wordcount-lambda-example",
        StreamsConfig.CLIENT_ID_CONFIG: "wordcount-lambda-example-client",
        StreamsConfig.BOOTSTRAP_SERVERS_CONFIG: bootstrap_servers,
        StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG: type(Serdes.String()),
        StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG: type(Serdes.String()),
        ConsumerConfig.AUTO_OFFSET_RESET_CONFIG: "earliest",
    }


def topology() -> Topology:
    builder = StreamsBuilder()
    text_lines: KStream[str, str] = builder.stream(INPUT_TOPIC)
    word_counts: KTable[str, int] = (
        text_lines.flatMapValues(lambda value: PATTERN.split(value.lower()))
        # As in Java a line that begins or ends with punctuation gives an empty word.
        .filter(lambda key, word: word != "")
        .groupBy(lambda key, word: word)
        .count()
    )
    word_counts.toStream().to(OUTPUT_TOPIC, Produced.with_(Serdes.String(), Serdes.Long()))
    return builder.build()


def main() -> None:
    bootstrap_servers = sys.argv[1] if len(sys.argv) > 1 else "localhost:9092"
    streams = KafkaStreams(topology(), streams_config(bootstrap_servers))
    streams.run()


if __name__ == "__main__":
    main()
