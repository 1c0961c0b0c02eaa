"""Questions with the wrong kind of object are refused with the name of the right one."""

from __future__ import annotations

from typing import Any

import pytest

from millstream import (
    ClassCastException,
    IllegalArgumentException,
    KafkaStreams,
    KeyQuery,
    NullPointerException,
    QueryableStoreTypes,
    ReadOnlyKeyValueStore,
    Serdes,
    StoreQueryParameters,
    StreamsBuilder,
)
from millstream.core.query.composite import CompositeStore
from millstream.topology.spark.driver.client_metadata import _partition


def application() -> Any:
    builder = StreamsBuilder()
    builder.table("in").toStream().to("out")
    return KafkaStreams(
        builder.build(), {"application.id": "app", "bootstrap.servers": "nowhere:1"}
    )


@pytest.mark.parametrize("wrong", ["counts", 5, KeyQuery.withKey("k")])
def test_a_store_is_asked_for_with_parameters(wrong: Any) -> None:
    with pytest.raises(ClassCastException, match="a query cannot be") as caught:
        application().store(wrong)
    assert caught.value.hint == "Write StoreQueryParameters.fromNameAndType(name, type)."


@pytest.mark.parametrize("wrong", ["counts", 5, KeyQuery.withKey("k")])
def test_a_query_is_wrapped_in_a_request(wrong: Any) -> None:
    with pytest.raises(ClassCastException) as caught:
        application().query(wrong)
    assert caught.value.hint == "Write StateQueryRequest.inStore(name).withQuery(query)."
    with pytest.raises(NullPointerException, match="request cannot be null"):
        application().query(None)


@pytest.mark.parametrize("wrong", ["0", 1.5, True, [0]])
def test_a_partition_is_a_number(wrong: Any) -> None:
    asked: Any = StoreQueryParameters.fromNameAndType("c", QueryableStoreTypes.keyValueStore())
    assert asked.withPartition(0).partition() == 0
    assert asked.withPartition(None).partition() is None
    with pytest.raises(ClassCastException, match="partition cannot be"):
        asked.withPartition(wrong)


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (QueryableStoreTypes.keyValueStore, "with parentheses"),
        (ReadOnlyKeyValueStore, "QueryableStoreTypes.keyValueStore()"),
        ("keyValueStore", "QueryableStoreTypes.keyValueStore()"),
    ],
)
def test_the_type_of_a_store_is_one_of_kafkas(wrong: Any, hint: str) -> None:
    with pytest.raises(ClassCastException, match="queryableStoreType cannot be") as caught:
        StoreQueryParameters.fromNameAndType("counts", wrong)
    assert hint in caught.value.hint


def test_a_serde_is_no_serializer_of_a_key() -> None:
    assert _partition("in", "k", Serdes.String().serializer(), 1) == 0
    with pytest.raises(ClassCastException, match="serializer cannot be a StringSerde"):
        _partition("in", "k", Serdes.String(), 1)


def test_a_store_that_is_queried_says_that_it_cannot_be_written() -> None:
    store = CompositeStore(list)
    with pytest.raises(AttributeError, match="has no put: it can only be read"):
        store.put("k", "v")


@pytest.mark.parametrize("answer", [2, {2}, [2]])
def test_a_partitioner_may_answer_with_one_number_as_at_a_sink(answer: Any) -> None:
    assert _partition("t", "k", lambda topic, key, value, count: answer, 4) == 2


@pytest.mark.parametrize("answer", [None, set(), {1, 2}, "2", 2.0])
def test_a_partitioner_that_tells_no_single_partition_is_refused(answer: Any) -> None:
    with pytest.raises(IllegalArgumentException, match="should be a singleton set") as caught:
        _partition("t", "k", lambda topic, key, value, count: answer, 4)
    assert caught.value.hint == "Return one number from 0 to 3, or a set of one."
