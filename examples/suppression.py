"""Final results of windows with `suppress`, complete: the topology, a try, and a run on Spark.

python -m examples.suppression                     # tries the topology in this process, no JVM
python -m examples.suppression localhost:9092      # runs it on Spark; reads "readings"

Of the same readings: an alert for each sensor with fewer than three of them in an hour, sent once,
when the hour and ten minutes for late readings are over; and each sensor's last reading, at most
once in thirty seconds, also if no more readings come.
"""

from __future__ import annotations

import sys
from datetime import timedelta

from millstream import (
    BufferConfig,
    Consumed,
    Grouped,
    KafkaStreams,
    KStream,
    Produced,
    Serdes,
    StreamsBuilder,
    Suppressed,
    TimeWindows,
    Topology,
    Windowed,
)
from millstream.testing import TopologyTestDriver

HOUR = TimeWindows.ofSizeAndGrace(timedelta(hours=1), timedelta(minutes=10))
FINAL: Suppressed[Windowed[str]] = Suppressed.untilWindowCloses(
    BufferConfig.maxRecords(10_000).spillToDiskWhenFull()
)
SELDOM: Suppressed[str] = Suppressed.untilTimeLimit(
    timedelta(seconds=30), BufferConfig.maxRecords(1000).emitEarlyWhenFull()
).withWallClock()


def watch(source: str = "readings", alerts: str = "alerts", last: str = "last") -> Topology:
    """Write to `alerts` which sensors were quiet, and to `last` what they said last."""
    text = Serdes.String()
    builder = StreamsBuilder()
    readings: KStream[str, str] = builder.stream(source, Consumed.with_(text, text))
    (
        readings.groupByKey(Grouped.with_(text, text))
        .windowedBy(HOUR)
        .count()
        .suppress(FINAL)
        .toStream()
        .filter(lambda _, count: count < 3)
        .map(lambda hour, count: (hour.key(), f"{count} in hour {start_of(hour)}"))
        .to(alerts, Produced.with_(text, text))
    )
    readings.toTable().suppress(SELDOM).toStream().to(last, Produced.with_(text, text))
    return builder.build()


def start_of(hour: Windowed[str]) -> int:
    """Return which hour it is, counted from the beginning of event time."""
    return hour.window().start() // 3_600_000


def try_out() -> list[str]:
    """Pipe readings, in minutes of event time, through the topology; return what it writes.

    >>> for line in try_out():
    ...     print(line)
    last cellar 20
    last attic 5
    last cellar 21
    alerts attic: 2 in hour 0
    last attic 6
    last cellar 22
    """
    text = Serdes.String()
    written: list[str] = []
    serdes = {"default.key.serde": text, "default.value.serde": text}
    with TopologyTestDriver(watch(), serdes) as driver:
        readings = driver.createInputTopic("readings", text.serializer(), text.serializer())
        topics = {
            name: driver.createOutputTopic(name, text.deserializer(), text.deserializer())
            for name in ("alerts", "last")
        }

        def note() -> None:
            alerts, last = (topics[name].readKeyValuesToList() for name in ("alerts", "last"))
            written.extend(f"alerts {alert.key}: {alert.value}" for alert in alerts)
            written.extend(f"last {reading.key} {reading.value}" for reading in last)

        for sensor, value, minute in (
            ("cellar", "19", 1),
            ("cellar", "20", 1),
            ("attic", "5", 50),
            ("cellar", "21", 55),
            # Late, and within the ten minutes.
            ("attic", "6", 59),
            ("cellar", "22", 70),
        ):
            readings.pipeInput(sensor, value, minute * 60_000)
            note()
        driver.advanceWallClockTime(timedelta(seconds=30))
        note()
    return written


def run(bootstrap_servers: str) -> None:
    """Run the topology on Spark until a signal or a failure ends it."""
    text = Serdes.String()
    config = {
        "application.id": "sensors",
        "bootstrap.servers": bootstrap_servers,
        "default.key.serde": text,
        "default.value.serde": text,
    }
    KafkaStreams(watch(), config).run()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        run(sys.argv[1])
    else:
        print(*try_out(), sep="\n")
