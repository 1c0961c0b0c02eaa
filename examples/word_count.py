"""Word count, complete: the topology, a test of it, and a run on Spark.

python word_count.py                     # tries the topology in this process, no JVM
python word_count.py localhost:9092      # runs it on Spark; reads "lines", writes "counts"
"""

from __future__ import annotations

import re
import sys

from millstream import (
    Consumed,
    Grouped,
    KafkaStreams,
    KStream,
    Materialized,
    Produced,
    Serdes,
    StreamsBuilder,
    Topology,
)
from millstream.testing import TopologyTestDriver


def words(line: str) -> list[str]:
    """Split a line into its words, in lower case."""
    return re.findall(r"[a-z']+", line.lower())


def word_count(source: str = "lines", target: str = "counts") -> Topology:
    """Count each word of `source`; write every new count to `target`."""
    text, number = Serdes.String(), Serdes.Long()
    builder = StreamsBuilder()
    lines: KStream[str, str] = builder.stream(source, Consumed.with_(text, text))
    (
        lines.flatMapValues(words)
        .groupBy(lambda _, word: word, Grouped.with_(text, text))
        .count(Materialized.as_("word-counts"))
        .toStream()
        .to(target, Produced.with_(text, number))
    )
    return builder.build()


def try_out() -> dict[str, int]:
    """Pipe two lines through the topology, and return the counts it writes.

    >>> try_out()
    {'to': 2, 'be': 2, 'or': 1, 'not': 1, 'that': 1, 'is': 1}
    """
    text, number = Serdes.String(), Serdes.Long()
    with TopologyTestDriver(word_count()) as driver:
        lines = driver.createInputTopic("lines", text.serializer(), text.serializer())
        counts = driver.createOutputTopic("counts", text.deserializer(), number.deserializer())
        lines.pipeInput("To be, or not to be:")
        lines.pipeInput("that is")
        return dict(counts.readKeyValuesToMap())


def run(bootstrap_servers: str) -> None:
    """Run the topology on Spark, exactly once, until a signal or a failure ends it."""
    config = {
        "application.id": "word-count",
        "bootstrap.servers": bootstrap_servers,
        "processing.guarantee": "exactly_once_v2",
    }
    KafkaStreams(word_count(), config).run()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        run(sys.argv[1])
    else:
        print(try_out())
