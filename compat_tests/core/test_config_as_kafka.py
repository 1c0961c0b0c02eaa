"""``StreamsConfig`` takes, refuses and passes on what Kafka Streams' own class does."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compat_tests.core.config_golden import Case, cases
from millstream import (
    ConfigException,
    IllegalArgumentException,
    NullPointerException,
    StreamsConfig,
)

# Kafka's class takes these and its applications fail later, or it fails by accident.
STRICTER = {"application.id", "num.standby.replicas"}
ERRORS: dict[str, Any] = {
    "ConfigException": ConfigException,
    "IllegalArgumentException": IllegalArgumentException,
    "NumberFormatException": IllegalArgumentException,
    "NullPointerException": (NullPointerException, ConfigException),
}


def java(value: Any) -> str:
    """A value as Java prints it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        items = [java(each) for each in value]
        return f"[{', '.join(items)}]"
    return str(value)


def look(config: StreamsConfig, what: str) -> dict[str, Any]:
    if what == "main":
        return config.getMainConsumerConfigs("g", "c", 1)
    if what in ("restore", "global"):
        return dict(getattr(config, f"get{what.capitalize()}ConsumerConfigs")("c"))
    if what in ("producer", "admin"):
        return dict(getattr(config, f"get{what.capitalize()}Configs")("c"))
    if what == "tags":
        return dict(config.getClientTags())
    return {what: config.values()[what]} if what else {}


def is_stricter(case: Case) -> bool:
    found = case["get"]
    return found in STRICTER and case["props"][found] in (None, -1)


def label(case: Case) -> str:
    shown: Case = {k: v for k, v in case["props"].items() if v not in ("app", "a:1")}
    return f"{json.dumps(shown)[:60]} {case['get']}"


# By defaults the two differ in the names of classes and in directories of the machine.
@pytest.mark.parametrize("case", [each for each in cases() if not is_stricter(each)], ids=label)
def test_the_configuration_answers_as_kafkas(case: Case) -> None:
    expected = case.get("error")
    if expected is not None:
        with pytest.raises(ERRORS[expected]):
            look(StreamsConfig(case["props"]), case["get"])
        return
    found = look(StreamsConfig(case["props"]), case["get"])
    assert {key: java(value) for key, value in found.items()} == case["got"]


@pytest.mark.parametrize("case", [each for each in cases() if is_stricter(each)], ids=label)
def test_values_that_cannot_run_are_refused_where_kafka_takes_them(case: Case) -> None:
    with pytest.raises(ConfigException):
        StreamsConfig(case["props"])


@pytest.mark.parametrize("value", ["", " ", [], ()])
def test_no_servers_are_refused_in_kafkas_words(value: object) -> None:
    with pytest.raises(ConfigException) as caught:
        StreamsConfig({"application.id": "a", "bootstrap.servers": value})
    assert caught.value.getMessage() == (
        "Configuration 'bootstrap.servers' must not be empty. Valid values include: any non-empty "
        "value"
    )


@pytest.mark.parametrize("key", ["bootstrap.servers", "config.providers", "metric.reporters"])
def test_a_list_of_names_that_is_none_is_refused_in_kafkas_words(key: str) -> None:
    with pytest.raises(ConfigException) as caught:
        StreamsConfig({"application.id": "a", "bootstrap.servers": "b:1", key: None})
    assert caught.value.getMessage() == f"Configuration '{key}' values must not be null."
