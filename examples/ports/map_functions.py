"""Map functions: lines in upper case, by ``mapValues`` and by ``map``.

Java idioms: a method reference (``String::toUpperCase`` is ``str.upper``), ``new KeyValue<>(..)``
and ``KeyValue.pair(..)``, one stream read twice, serdes for each topic.
"""

from __future__ import annotations

import sys

from millstream import (
    Consumed,
    KafkaStreams,
    KeyValue,
    KStream,
    Produced,
    Serdes,
    StreamsBuilder,
    StreamsConfig,
    Topology,
)

INPUT_TOPIC = "TextLinesTopic"
UPPERCASED_TOPIC = "UppercasedTextLinesTopic"
UPPERCASED_BY_MAP_TOPIC = "UppercasedByMapTextLinesTopic"
ORIGINAL_AND_UPPERCASED_TOPIC = "OriginalAndUppercasedTopic"


def topology() -> Topology:
    string_serde = Serdes.String()
    byte_array_serde = Serdes.ByteArray()
    builder = StreamsBuilder()

    text_lines = builder.stream(INPUT_TOPIC, Consumed.with_(byte_array_serde, string_serde))

    # Variant 1: mapValues, with a method reference.
    uppercased = text_lines.mapValues(str.upper)
    uppercased.to(UPPERCASED_TOPIC, Produced.with_(byte_array_serde, string_serde))

    # Variant 2: map, which may change the key as well.
    uppercased_by_map = text_lines.map(lambda key, value: KeyValue(key, value.upper()))
    uppercased_by_map.to(UPPERCASED_BY_MAP_TOPIC, Produced.with_(byte_array_serde, string_serde))

    # Variant 3: the key becomes the original line.
    swapped: KStream[str, str] = text_lines.map(
        lambda key, value: KeyValue.pair(value, value.upper())
    )
    swapped.to(ORIGINAL_AND_UPPERCASED_TOPIC, Produced.with_(string_serde, string_serde))
    return builder.build()


def main() -> None:
    bootstrap_servers = sys.argv[1] if len(sys.argv) > 1 else "localhost:9092"
    props = {
        StreamsConfig.APPLICATION_ID_CONFIG: "map-function-lambda-example",
        StreamsConfig.BOOTSTRAP_SERVERS_CONFIG: bootstrap_servers,
    }
    KafkaStreams(topology(), props).run()


if __name__ == "__main__":
    main()
