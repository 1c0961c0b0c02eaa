"""Operators of plugins run on Spark's workers, and observers follow the application."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from pyspark.sql import SparkSession

from compat_tests.plugins import sampling
from compat_tests.spark.support import Playground
from millstream import KafkaStreams, StreamsBuilder
from millstream.plugins import Observer, hookimpl
from millstream.plugins.registry import registered

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


class Noting(Observer):
    name = "noting"
    states: list[str] = []
    records: list[float] = []
    closed = 0

    def state_changed(self, new: str, old: str) -> None:
        self.states.append(new)

    def batch_done(self, metrics: Any) -> None:
        values = {name.name(): metric.metricValue() for name, metric in metrics.items()}
        self.records.append(values["records"])

    def close(self) -> None:
        type(self).closed += 1


class NotingPlugin:
    @hookimpl
    def millstream_register_observers(self) -> list[type[Observer]]:
        return [Noting]


def test_an_operator_and_an_observer_of_plugins(spark: SparkSession, play: Playground) -> None:
    source, target = play.topic("in"), play.topic("out")
    play.produce(source, [(b"%d" % (n % 3), b"%d" % n, n) for n in range(30)])
    config = play.config(millstream_observer_names="noting", default_key_serde="string")
    builder = StreamsBuilder()
    with registered(sys.modules[sampling.__name__]), registered(NotingPlugin()):
        stream: Any = builder.stream(source)
        stream.sample(5).to(target)
        with KafkaStreams(builder.build(), config, spark=spark) as streams:
            streams.start()
            found = play.pairs(target, 6, more=1)
    assert sorted(found, key=str) == sorted(
        [(b"%d" % (n % 3), b"%d" % n) for n in (0, 1, 2, 15, 16, 17)], key=str
    )
    assert Noting.states == ["REBALANCING", "RUNNING", "PENDING_SHUTDOWN", "NOT_RUNNING"]
    assert sum(Noting.records) >= 30
    assert Noting.closed == 1
