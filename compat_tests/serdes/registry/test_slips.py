"""Serdes with a schema registry that are made or configured wrongly."""

from __future__ import annotations

from typing import Any

import pytest

from millstream import (
    ClassCastException,
    GenericAvroSerde,
    KafkaJsonSchemaSerde,
    NullPointerException,
)


@pytest.mark.parametrize("given", [5, "Point", object()])
def test_what_is_no_class_is_refused_where_the_serde_is_made(given: Any) -> None:
    with pytest.raises(ClassCastException, match="type cannot be"):
        KafkaJsonSchemaSerde(given)


@pytest.mark.parametrize("serde", [KafkaJsonSchemaSerde(), KafkaJsonSchemaSerde(list[int])])
def test_a_class_or_none_is_taken(serde: Any) -> None:
    serde.configure({"schema.registry.url": "mock://classes"}, False)


@pytest.mark.parametrize("serde", [KafkaJsonSchemaSerde(), GenericAvroSerde()])
def test_configs_may_not_be_null(serde: Any) -> None:
    with pytest.raises(NullPointerException, match="configs"):
        serde.configure(None, False)
