"""Records what the page of a rich application shows, for tests that need no Spark.

``python -m compat_tests.page.record`` starts a broker and Spark, and writes ``samples/``.
"""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path
from typing import Any

from compat_tests.page.support import page_of
from compat_tests.spark.support import PATIENCE_S, QUICK_JVM, Playground
from millstream import (
    Grouped,
    JoinWindows,
    KafkaStreams,
    Materialized,
    Produced,
    Serdes,
    SessionWindows,
    Stores,
    StreamsBuilder,
    Suppressed,
    TimeWindows,
    Topology,
)
from millstream.testing.broker import EmbeddedBroker

SAMPLES = Path(__file__).parent / "samples"
_ROUNDS, _RECORDS = 12, 400
_SECOND = 1000


def shop(topics: dict[str, str]) -> Topology:
    """Return a topology with joins, windows, sessions, versions, a suppression and a global."""
    builder = StreamsBuilder()
    text = Serdes.String()
    by_text = Grouped.with_(text, text)
    orders = builder.stream(topics["orders"])
    customers = builder.table(topics["customers"], materialized=Materialized.as_("customers"))
    builder.table(
        topics["prices"],
        materialized=Materialized.as_(Stores.persistentVersionedKeyValueStore("prices", 60_000)),
    )
    regions = builder.globalTable(topics["regions"], materialized=Materialized.as_("regions"))
    named = orders.join(customers, lambda order, customer: f"{order} of {customer}")
    named.leftJoin(regions, lambda key, value: key, lambda v, r: f"{v} in {r}").to(topics["named"])
    payments = builder.stream(topics["payments"])
    orders.join(
        payments,
        lambda order, payment: f"{order} paid {payment}",
        JoinWindows.ofTimeDifferenceWithNoGrace(10 * _SECOND),
    ).to(topics["paid"])
    products = orders.selectKey(lambda key, value: value).groupByKey(by_text)
    windows = TimeWindows.ofSizeWithNoGrace(5 * _SECOND)
    (
        products.windowedBy(windows)
        .count(Materialized.as_("sold"))
        .suppress(Suppressed.untilWindowCloses(Suppressed.BufferConfig.unbounded()))
        .toStream()
        .map(lambda key, count: (key.key(), str(count)))
        .to(topics["sold"], Produced.with_(text, text))
    )
    sessions = SessionWindows.ofInactivityGapWithNoGrace(_SECOND)
    orders.groupByKey(by_text).windowedBy(sessions).count(Materialized.as_("visits"))
    return builder.build()


def records(round_: int, start_ms: int) -> list[tuple[Any, ...]]:
    """Return the orders of a round; some are late, some have no key."""
    return [
        (
            None if n % 97 == 0 else b"c%d" % (n % 20),
            b"p%d" % (n % 7),
            start_ms + round_ * 3 * _SECOND + n * 5 - (60 * _SECOND if n % 41 == 0 else 0),
        )
        for n in range(_RECORDS)
    ]


def main() -> None:
    names = ("orders", "customers", "prices", "regions", "payments", "named", "paid", "sold")
    with EmbeddedBroker() as broker, tempfile.TemporaryDirectory() as folder:
        play = Playground(broker.bootstrap_servers, "shop", Path(folder))
        topics = {name: play.topic(name, 1 if name == "regions" else 2) for name in names}
        start_ms = time.time_ns() // 1_000_000 - 60 * _SECOND
        for topic in ("customers", "prices", "regions"):
            play.produce(topics[topic], [(b"c%d" % n, b"Ada %d" % n, start_ms) for n in range(20)])
        config = play.config(metrics_recording_level="DEBUG") | QUICK_JVM
        streams = KafkaStreams(shop(topics), {**config, "spark.master": "local[2]"})
        page = page_of(streams)
        with streams:
            streams.start()
            page.changed("RUNNING")
            give_up = time.monotonic() + PATIENCE_S * 2
            for number in range(10_000):
                orders = records(number, start_ms)
                play.produce(topics["orders"], orders)
                play.produce(topics["payments"], [(k, b"%d" % (t % 90), t) for k, _, t in orders])
                time.sleep(1)
                found = page.snapshot()
                if len(found["batches"]) >= _ROUNDS or time.monotonic() > give_up:
                    break
            _write("topology", page.topology())
            _write("snapshot", found)
            (SAMPLES / "metrics.txt").write_text(page.metrics(), encoding="utf-8")
            reports = page.view.recent_batches(-1, 3)
            _write("progress", reports)


def _write(name: str, value: Any) -> None:
    text = json.dumps(value, indent=1, ensure_ascii=False)
    (SAMPLES / f"{name}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
