"""The millstream side of the benchmark; takes the arguments of `java/KafkaStreamsSide.java`.

It ends when its standard input does.
"""

from __future__ import annotations

import sys
from datetime import timedelta
from pathlib import Path

from benchmarks.vs_kafka_streams.workloads import (
    GRACE_MS,
    REPARTITION_NAME,
    SHORT_KEY_LENGTH,
    WINDOW_SIZE_MS,
)
from millstream import (
    Consumed,
    Grouped,
    KafkaStreams,
    KeyValue,
    KStream,
    Materialized,
    Produced,
    Serdes,
    StreamsBuilder,
    TimeWindows,
    Topology,
)


def main() -> None:
    workload, source, output, _warm, _end, config_file = sys.argv[1:]
    with KafkaStreams(build(workload, source, output), properties(Path(config_file))):
        sys.stdin.read()


def build(workload: str, source: str, output: str) -> Topology:
    """Return the topology of one workload."""
    text, number = Serdes.String(), Serdes.Long()
    builder = StreamsBuilder()
    stream: KStream[str, str] = builder.stream(source, Consumed.with_(text, text))
    grouped = Grouped.with_(text, text)
    counts = Materialized.as_("counts").withKeySerde(text).withValueSerde(number)
    if workload == "pass":
        stream.to(output, Produced.with_(text, text))
    elif workload == "count":
        table = stream.groupByKey(grouped).count(counts)
        table.toStream().to(output, Produced.with_(text, number))
    elif workload == "window-count":
        windows = TimeWindows.ofSizeAndGrace(
            timedelta(milliseconds=WINDOW_SIZE_MS), timedelta(milliseconds=GRACE_MS)
        )
        (
            stream.groupByKey(grouped)
            .windowedBy(windows)
            .count(counts)
            .toStream()
            .map(lambda at, n: KeyValue.pair(f"{at.key()}@{at.window().start()}", n))
            .to(output, Produced.with_(text, number))
        )
    else:
        short = stream.selectKey(lambda key, _: key[:SHORT_KEY_LENGTH])
        table = short.groupByKey(grouped.withName(REPARTITION_NAME)).count(counts)
        table.toStream().to(output, Produced.with_(text, number))
    return builder.build()


def properties(file: Path) -> dict[str, str]:
    """Read the lines `key=value` of a file."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines)


if __name__ == "__main__":
    main()
