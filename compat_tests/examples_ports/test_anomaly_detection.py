"""Anomaly detection: counts by window, and the join back to the stream."""

from __future__ import annotations

from examples.ports.anomaly_detection import (
    ANOMALOUS_USERS_TOPIC,
    LOGINS_TOPIC,
    SUSPECT_LOGINS_TOPIC,
    topology,
)
from millstream import (
    Duration,
    Instant,
    LongDeserializer,
    StringDeserializer,
    StringSerializer,
    TopologyTestDriver,
)


def test_the_third_login_in_a_minute_makes_a_user_suspect() -> None:
    with TopologyTestDriver(topology()) as test_driver:
        logins = test_driver.createInputTopic(
            LOGINS_TOPIC,
            StringSerializer(),
            StringSerializer(),
            Instant.ofEpochMilli(0),
            Duration.ofSeconds(10),
        )
        anomalous = test_driver.createOutputTopic(
            ANOMALOUS_USERS_TOPIC, StringDeserializer(), LongDeserializer()
        )
        suspect = test_driver.createOutputTopic(
            SUSPECT_LOGINS_TOPIC, StringDeserializer(), StringDeserializer()
        )
        for user in ("anna", "bert", "anna", "anna", "bert", "anna"):
            logins.pipeInput(user, "10.0.0.1")
        assert anomalous.readKeyValuesToMap() == {"[anna@0/60000]": 4}
        # The third login itself is joined before the table knows of it.
        assert suspect.readValuesToList() == ["10.0.0.1 (3 logins in a minute)"]

        logins.advanceTime(Duration.ofMinutes(1))
        logins.pipeInput("bert", "10.0.0.2")
        assert anomalous.isEmpty()
        assert suspect.isEmpty()
