"""Keys of millstream's own: checked as Kafka's are, and refused where they are unknown."""

from __future__ import annotations

from typing import Any

import pytest

from millstream import ConfigException, StreamsConfig
from millstream.core.config.own_keys import OWN_KEYS, OwnKey

REQUIRED = {"application.id": "app", "bootstrap.servers": "broker:9092"}


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("millstream.checkpoint.locaton", "millstream.checkpoint.location"),
        ("millstream.max.records", "millstream.max.records.per.batch"),
        ("millstream.steer.task", "millstream.steer.tasks"),
        ("millstream.checkpoint", "millstream.checkpoint.location"),
        ("millstream.retry.max", "millstream.retry.max.restarts"),
    ],
)
def test_an_unknown_key_is_refused_with_the_one_that_was_meant(name: str, meant: str) -> None:
    with pytest.raises(ConfigException, match=f"Unknown configuration '{name}'") as caught:
        StreamsConfig(REQUIRED | {name: "1"})
    assert caught.value.hint == f'Did you mean "{meant}"?'


def test_a_key_like_no_other_is_refused_with_the_list() -> None:
    with pytest.raises(ConfigException) as caught:
        StreamsConfig(REQUIRED | {"millstream.": "1"})
    assert all(name in caught.value.detail for name in OWN_KEYS)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("millstream.max.records.per.batch", 0),
        ("millstream.max.records.per.batch", "many"),
        ("millstream.max.records.per.batch", True),
        ("millstream.steer.tasks", "yes"),
        ("millstream.rocksdb.memory.bytes", 1.5),
        ("millstream.rocksdb.memory.bytes", -1),
        ("millstream.rocksdb.memory.bytes", 10**15),
        ("millstream.checkpoint.location", 7),
    ],
)
def test_a_value_of_another_type_or_out_of_bounds_is_refused(name: str, value: Any) -> None:
    with pytest.raises(ConfigException, match=f"for configuration {name}"):
        StreamsConfig(REQUIRED | {name: value})


def test_values_are_parsed_and_defaults_known() -> None:
    config = StreamsConfig(REQUIRED | {"millstream.max.records.per.batch": " 20 "})
    assert config.getInt("millstream.max.records.per.batch") == 20
    assert config.getBoolean("millstream.steer.tasks") is True
    assert set(OWN_KEYS) <= config.merged().keys()
    assert not set(OWN_KEYS) & StreamsConfig.configDef().keys()


class Seen:
    """An observer that a program gives in the place of its name."""


@pytest.mark.parametrize("name", [key.name for key in OWN_KEYS.values() if key.default == ()])
def test_a_list_of_names_has_no_objects(name: str) -> None:
    with pytest.raises(ConfigException, match=f"for configuration {name}: .*Seen.* is not a text"):
        StreamsConfig(REQUIRED | {name: [Seen]})


@pytest.mark.parametrize("empty", ["", "  "])
@pytest.mark.parametrize(
    "name",
    [
        "millstream.checkpoint.location",
        "millstream.savepoint",
        "millstream.log.file",
        "millstream.ui.host",
        "millstream.ui.token",
        "millstream.ui.ssl.certificate.location",
        "millstream.ui.ssl.key.location",
    ],
)
def test_a_place_or_a_secret_that_is_empty_is_refused(name: str, empty: str) -> None:
    with pytest.raises(ConfigException, match=f"for configuration {name}: It must not be empty"):
        StreamsConfig(REQUIRED | {name: empty})


def test_an_address_without_an_address_between_its_brackets_is_refused() -> None:
    # It would mean every address of the machine.
    with pytest.raises(ConfigException, match="It must not be empty"):
        StreamsConfig(REQUIRED | {"millstream.ui.host": "[]"})


@pytest.mark.parametrize("key", OWN_KEYS.values(), ids=lambda key: key.name)
def test_none_is_a_key_that_is_not_given_or_it_is_refused(key: OwnKey) -> None:
    # None for millstream.steer.tasks read as false, though the default is true.
    if key.default is None:
        assert StreamsConfig(REQUIRED | {key.name: None}).get(key.name) is None
    else:
        with pytest.raises(ConfigException, match=f"{key.name}: Value must be non-null"):
            StreamsConfig(REQUIRED | {key.name: None})
