"""Heater alerts: nothing comes before a window and its grace are over."""

from __future__ import annotations

from examples.ports.heater_alerts import ALERTS, READINGS, topology
from millstream import (
    DoubleSerializer,
    Duration,
    Instant,
    KeyValue,
    StringDeserializer,
    StringSerializer,
    TopologyTestDriver,
)

MORNING = Instant.parse("2024-05-01T08:00:00Z")


def test_one_alert_after_the_window_has_closed() -> None:
    with TopologyTestDriver(topology()) as driver:
        readings = driver.createInputTopic(READINGS, StringSerializer(), DoubleSerializer())
        alerts = driver.createOutputTopic(ALERTS, StringDeserializer(), StringDeserializer())
        for minute in (0, 20, 40):
            readings.pipeInput("kitchen", 20.5, MORNING.plus(Duration.ofMinutes(minute)))
        readings.pipeInput("cellar", 9.0, MORNING.plus(Duration.ofMinutes(40)))
        # Late, and in the grace period: it counts.
        readings.pipeInput("attic", 15.0, MORNING.plus(Duration.ofMinutes(69)))
        readings.pipeInput("cellar", 9.1, MORNING.plus(Duration.ofMinutes(59)))
        assert alerts.isEmpty()
        readings.pipeInput("kitchen", 20.0, MORNING.plus(Duration.ofMinutes(70)))
        assert alerts.readKeyValuesToList() == [
            KeyValue("cellar", "only 2 readings in the hour from 08:00")
        ]
