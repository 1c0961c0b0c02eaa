"""What is given for clients is checked when the application is made, as Kafka's clients do.

The answers are those of ``new KafkaStreams`` of Kafka 4.3.1.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

from compat_tests.spark.applications.test_checks_before_start import pass_through
from millstream import ConfigException, KafkaStreams

ENTRIES = {"application.id": "app", "bootstrap.servers": "127.0.0.1:9092"}
NO_POLICY = "must be either 'earliest', 'latest', 'none' or of the format 'by_duration"


def made(entries: dict[str, Any]) -> KafkaStreams:
    return KafkaStreams(pass_through("in", "out"), ENTRIES | entries)


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        ("consumer.auto.offset.reset", "banana", NO_POLICY),
        ("auto.offset.reset", "EARLIEST", NO_POLICY),
        ("main.consumer.auto.offset.reset", "by_duration:x", NO_POLICY),
        ("producer.acks", "banana", "String must be one of: all, -1, 0, 1"),
        ("acks", "2", "String must be one of: all, -1, 0, 1"),
        ("consumer.fetch.min.bytes", "abc", "Not a number of type INT"),
        ("consumer.fetch.min.bytes", -1, "Value must be at least 0"),
        ("consumer.max.poll.records", 0, "Value must be at least 1"),
        ("consumer.session.timeout.ms", "abc", "Not a number of type INT"),
        ("producer.linger.ms", "abc", "Not a number of type LONG"),
        ("producer.linger.ms", -5, "Value must be at least 0"),
        ("producer.compression.type", "brotli", "must be one of: none, gzip, snappy, lz4, zstd"),
        ("producer.retries", -1, "Value must be at least 0"),
        ("producer.max.in.flight.requests.per.connection", 0, "Value must be at least 1"),
        ("producer.transaction.timeout.ms", "x", "Not a number of type INT"),
        ("admin.request.timeout.ms", "abc", "Not a number of type INT"),
        ("producer.security.protocol", "x", "String must be one of (case insensitive)"),
        ("consumer.isolation.level", "x", "must be one of: read_committed, read_uncommitted"),
        ("client.dns.lookup", "x", "String must be one of: use_all_dns_ips"),
        ("consumer.enable.auto.commit", "maybe", "either true or false"),
    ],
)
def test_a_wrong_entry_is_refused(key: str, value: Any, problem: str) -> None:
    with pytest.raises(ConfigException) as raised:
        made({key: value})
    message = raised.value.getMessage()
    assert message is not None
    assert message.startswith(f"Invalid value {value} for configuration {key}: ")
    assert problem in message


def test_settings_of_a_producer_have_to_fit_together() -> None:
    with pytest.raises(ConfigException, match="must be set to at most 5. Current value is 6"):
        made({"producer.max.in.flight.requests.per.connection": "6"})
    with pytest.raises(ConfigException, match="equal to or larger than linger.ms"):
        made({"producer.delivery.timeout.ms": 30_099})


@pytest.mark.parametrize(
    "entries",
    [
        {"global.consumer.auto.offset.reset": "banana"},
        {"producer.delivery.timeout.ms": 30_100},
        {"producer.acks": "-1", "consumer.auto.offset.reset": "by_duration:PT1H"},
        {"max.in.flight.requests.per.connection": 6, "producer.enable.idempotence": "false"},
        {"producer.delivery.timeout.ms": 10_000, "request.timeout.ms": 9_900},
        {"producer.compression.type": "zstd", "consumer.security.protocol": "ssl"},
        {"application.server": "host:1"},
        {"application.server": ""},
    ],
    ids=str,
)
def test_what_kafka_takes_is_taken(entries: dict[str, Any]) -> None:
    assert made(entries).state().name == "CREATED"


@pytest.mark.parametrize("server", ["host", "host:port"])
def test_a_server_without_a_port_is_refused(server: str) -> None:
    with pytest.raises(ConfigException, match=f"Error parsing host address {server}"):
        made({"application.server": server})


@pytest.mark.parametrize(
    "key", ["default.key.serde", "default.value.serde", "default.list.key.serde.inner"]
)
def test_a_serde_that_nobody_offers_is_refused(key: str) -> None:
    problem = f"Invalid value nope for configuration {key}: Class nope could not be found."
    with pytest.raises(ConfigException, match=re.escape(problem)):
        made({key: "nope"})
    assert made({key: "string"}).state().name == "CREATED"


@pytest.mark.parametrize("key", ["millstream.state.rename", "millstream.state.convert"])
def test_a_word_about_stores_that_is_not_of_its_form_is_refused(key: str) -> None:
    with pytest.raises(ConfigException, match=f"Invalid value x for configuration {key}: "):
        made({key: "x"})
