"""The millstream side of the benchmark; takes the arguments of `java/KafkaStreamsSide.java`.

It ends when its standard input does.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from benchmarks.vs_kafka_streams.workloads import (
    DEDUPLICATION_MS,
    FOREIGN_NAME,
    GRACE_MS,
    JOIN_DIFFERENCE_MS,
    REPARTITION_NAME,
    SESSION_GAP_MS,
    SHORT_KEY_LENGTH,
    WINDOW_SIZE_MS,
)
from millstream import (
    Consumed,
    Grouped,
    JoinWindows,
    KafkaStreams,
    KeyValue,
    KStream,
    KTable,
    Materialized,
    Produced,
    Serdes,
    SessionWindows,
    StreamJoined,
    StreamsBuilder,
    Suppressed,
    TableJoined,
    TimeWindows,
    Topology,
    Windowed,
)

_TEXT, _NUMBER = Serdes.String(), Serdes.Long()
_READ = Consumed.with_(_TEXT, _TEXT)
_GROUPED = Grouped.with_(_TEXT, _TEXT)
_TEXTS, _NUMBERS = Produced.with_(_TEXT, _TEXT), Produced.with_(_TEXT, _NUMBER)

Texts = KStream[str, str]


def main() -> None:
    workload, sources, output, _warm, _end, config_file = sys.argv[1:]
    topology = build(workload, sources.split(","), output)
    streams = KafkaStreams(topology, properties(Path(config_file)))
    streams.setStateListener(_end_on_error)
    with streams:
        streams.start()
        sys.stdin.read()


def _end_on_error(new: object, _old: object) -> None:
    if new is KafkaStreams.State.ERROR:
        # Whoever waits for standard input cannot be told otherwise; what happened is in the log.
        os._exit(1)


def build(workload: str, sources: list[str], output: str) -> Topology:
    """Return the topology of one workload."""
    builder = StreamsBuilder()
    if len(sources) > 1:
        _join(workload, builder, sources, output)
    else:
        _one_topic(workload, builder.stream(sources[0], _READ), output)
    return builder.build()


def _one_topic(workload: str, stream: Texts, output: str) -> None:
    counts = Materialized.as_("counts").withKeySerde(_TEXT).withValueSerde(_NUMBER)
    if workload == "pass":
        stream.to(output, _TEXTS)
    elif workload == "count":
        stream.groupByKey(_GROUPED).count(counts).toStream().to(output, _NUMBERS)
    elif workload == "repartition-count":
        short = stream.selectKey(lambda key, _: key[:SHORT_KEY_LENGTH])
        table = short.groupByKey(_GROUPED.withName(REPARTITION_NAME)).count(counts)
        table.toStream().to(output, _NUMBERS)
    elif workload == "dedup":
        stream.deduplicateByKey(DEDUPLICATION_MS).to(output, _TEXTS)
    elif workload == "session-count":
        windows = SessionWindows.ofInactivityGapAndGrace(SESSION_GAP_MS, GRACE_MS)
        (
            stream.groupByKey(_GROUPED)
            .windowedBy(windows)
            .count(counts)
            .toStream()
            .map(lambda at, n: KeyValue.pair(_session_name(at), n))
            .to(output, _NUMBERS)
        )
    else:
        windowed = _windowed(stream, counts)
        if workload == "suppress-final":
            final = Suppressed.untilWindowCloses(Suppressed.BufferConfig.unbounded())
            windowed = windowed.suppress(final)
        (
            windowed.toStream()
            .map(lambda at, n: KeyValue.pair(f"{at.key()}@{at.window().start()}", n))
            .to(output, _NUMBERS)
        )


def _join(workload: str, builder: StreamsBuilder, sources: list[str], output: str) -> None:
    if workload == "stream-join":
        left, right = (builder.stream(source, _READ) for source in sources)
        windows = JoinWindows.ofTimeDifferenceAndGrace(JOIN_DIFFERENCE_MS, GRACE_MS)
        joined = left.join(right, _both, windows, StreamJoined.with_(_TEXT, _TEXT, _TEXT))
        joined.to(output, _TEXTS)
        return
    rows, others = (builder.table(source, _READ) for source in sources)
    if workload == "table-join":
        rows.join(others, _both).toStream().to(output, _TEXTS)
    else:
        named = TableJoined.as_(FOREIGN_NAME)
        table = rows.join(others, lambda row: row[: row.index("|")], _both, named)
        table.toStream().to(output, _TEXTS)


def _windowed(stream: Texts, counts: Materialized[str, int, object]) -> KTable[Windowed[str], int]:
    windows = TimeWindows.ofSizeAndGrace(WINDOW_SIZE_MS, GRACE_MS)
    return stream.groupByKey(_GROUPED).windowedBy(windows).count(counts)


def _session_name(at: Windowed[str]) -> str:
    window = at.window()
    return f"{at.key()}@{window.start()}-{window.end()}"


def _both(left: str, right: str) -> str:
    return left + right


def properties(file: Path) -> dict[str, str]:
    """Read the lines `key=value` of a file."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines)


if __name__ == "__main__":
    main()
