"""Heater alerts: one final alert for each device that sends too few readings in a window.

Java idioms: ``suppress(untilWindowCloses(unbounded()))``, ``windowedSerdeFrom``, a counter as an
aggregate, ``filter`` on final results, ``Instant`` in texts.
"""

from __future__ import annotations

import sys

from millstream import (
    Consumed,
    Duration,
    Grouped,
    KafkaStreams,
    KStream,
    KTable,
    Materialized,
    Produced,
    Serdes,
    StreamsBuilder,
    StreamsConfig,
    Suppressed,
    TimeWindows,
    Topology,
    Windowed,
)

READINGS = "heater-readings"
ALERTS = "heater-alerts"
MIN_READINGS = 3
WINDOW_SIZE = Duration.ofHours(1)
GRACE = Duration.ofMinutes(10)


def alert(window: Windowed[str], count: int) -> str:
    """Say since when."""
    since = window.window().startTime()
    return f"only {count} readings in the hour from {since:%H:%M}"


def topology() -> Topology:
    string_serde, double_serde = Serdes.String(), Serdes.Double()
    builder = StreamsBuilder()
    readings: KStream[str, float] = builder.stream(
        READINGS, Consumed.with_(string_serde, double_serde)
    )
    counts: KTable[Windowed[str], int] = (
        readings.groupByKey(Grouped.with_(string_serde, double_serde))
        .windowedBy(TimeWindows.ofSizeAndGrace(WINDOW_SIZE, GRACE))
        .count(Materialized.as_("readings-per-hour"))
        .suppress(Suppressed.untilWindowCloses(Suppressed.BufferConfig.unbounded()))
    )
    (
        counts.filter(lambda window, count: count < MIN_READINGS)
        .toStream()
        # The filter of a table forwards deletions of rows that never passed it.
        .filter(lambda window, count: count is not None)
        .mapValues(alert)
        .selectKey(lambda window, text: window.key())
        .to(ALERTS, Produced.with_(string_serde, string_serde))
    )
    return builder.build()


def main() -> None:
    bootstrap_servers = sys.argv[1] if len(sys.argv) > 1 else "localhost:9092"
    props = {
        StreamsConfig.APPLICATION_ID_CONFIG: "heater-alerts",
        StreamsConfig.BOOTSTRAP_SERVERS_CONFIG: bootstrap_servers,
    }
    KafkaStreams(topology(), props).run()


if __name__ == "__main__":
    main()
