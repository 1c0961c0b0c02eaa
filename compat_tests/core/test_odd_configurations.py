"""What configurations are made of and asked for: each slip is named."""

from __future__ import annotations

from typing import Any

import pytest

from millstream import (
    ClassCastException,
    ConfigException,
    NullPointerException,
    StreamsBuilder,
    StreamsConfig,
    TopologyConfig,
)
from millstream.core.engine.settings import TaskSettings

NEEDED = {"application.id": "a", "bootstrap.servers": "none:9092"}
CONFIG = StreamsConfig(NEEDED)


@pytest.mark.parametrize("given", [5, "x", []])
def test_a_configuration_is_a_mapping(given: Any) -> None:
    with pytest.raises(ClassCastException, match="originals cannot be"):
        StreamsConfig(given)
    with pytest.raises(ClassCastException, match="topologyOverrides cannot be"):
        TopologyConfig("name", CONFIG, given)
    with pytest.raises(ClassCastException, match="props cannot be") as caught:
        StreamsBuilder().build(given)
    assert "or nothing" in caught.value.hint


def test_unused_entries_are_those_that_nobody_has_read() -> None:
    config = StreamsConfig({**NEEDED, "my.own": "x", "num.stream.threads": 2})
    assert config.unused() == {*NEEDED, "my.own", "num.stream.threads"}
    assert config.getInt("num.stream.threads") == 2
    config.ignore("my.own")
    assert config.unused() == set(NEEDED)


def test_configurations_with_equal_entries_are_equal() -> None:
    same, other = StreamsConfig(NEEDED), StreamsConfig({**NEEDED, "num.stream.threads": 2})
    assert same == CONFIG != other
    assert hash(same) == hash(CONFIG)
    assert CONFIG != NEEDED


@pytest.mark.parametrize(
    ("getter", "key"),
    [
        ("getInt", "application.id"),
        ("getString", "num.stream.threads"),
        ("getBoolean", "num.stream.threads"),
        ("getInt", "enable.metrics.push"),
        ("getList", "application.id"),
    ],
)
def test_a_value_of_another_type_is_not_returned(getter: str, key: str) -> None:
    with pytest.raises(ClassCastException, match=key):
        getattr(CONFIG, getter)(key)


def test_a_configuration_is_not_none_as_in_kafka() -> None:
    nothing: Any = None
    with pytest.raises(NullPointerException):
        StreamsConfig(nothing)
    assert StreamsBuilder().build(None) is not None


@pytest.mark.parametrize(
    ("wrong", "error"), [(None, NullPointerException), (5, ClassCastException)]
)
def test_keys_and_their_beginnings_are_texts(wrong: Any, error: type[Exception]) -> None:
    for ask in (CONFIG.originalsWithPrefix, CONFIG.get, CONFIG.getString):
        with pytest.raises(error, match="(prefix|key) can(not be|'t be null)"):
            ask(wrong)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((NEEDED,), "globalAppConfigs cannot be a dict"),
        ((5,), "globalAppConfigs cannot be an int"),
        (("name", NEEDED), "globalAppConfigs cannot be a dict"),
        ((5, CONFIG), "topologyName cannot be an int"),
    ],
)
def test_a_topology_config_names_what_it_cannot_use(arguments: Any, problem: str) -> None:
    with pytest.raises(ClassCastException, match=problem) as caught:
        TopologyConfig(*arguments)
    assert caught.value.hint


KEYS = (
    "default.timestamp.extractor",
    "deserialization.exception.handler",
    "processing.exception.handler",
    "production.exception.handler",
)


@pytest.mark.parametrize("key", KEYS)
def test_none_is_not_the_default(key: str) -> None:
    """It was an ``AttributeError`` of None, at the first record that needs it."""
    with pytest.raises(ConfigException, match=f"Invalid value null for configuration {key}") as it:
        TaskSettings.of(StreamsConfig({**NEEDED, key: None}))
    assert "Leave the entry out" in it.value.hint


class Unconfigurable:
    """Does the work of all four, and cannot be configured."""

    def configure(self, configs: Any) -> None:
        raise OSError("no such file")

    def handleError(self, *_: Any) -> Any:
        return None

    extract = handleError


class NeverRuns:
    """What nobody awaits."""

    async def setConfig(self, storeName: str, options: Any, configs: Any) -> None:
        raise OSError("not reached")

    async def configure(self, configs: Any) -> None:
        raise OSError("not reached")

    handleError = extract = lambda *_: None


@pytest.mark.parametrize(
    ("key", "method"),
    [("rocksdb.config.setter", "setConfig"), *((key, "configure") for key in KEYS)],
)
def test_a_method_that_nobody_awaits_is_refused(key: str, method: str) -> None:
    """It had no effect, and nothing said so."""
    with pytest.raises(ClassCastException, match=rf"{method}\(\) of NeverRuns, for {key}, cannot"):
        StreamsConfig({**NEEDED, key: NeverRuns}).getConfiguredInstance(key)


@pytest.mark.parametrize("key", KEYS)
def test_the_entry_whose_class_cannot_be_configured_is_named(key: str) -> None:
    with pytest.raises(ConfigException, match=f"Unconfigurable for configuration {key}") as it:
        TaskSettings.of(StreamsConfig({**NEEDED, key: Unconfigurable}))
    assert "its configure() failed" in str(it.value)
    assert isinstance(it.value.__cause__, OSError)
