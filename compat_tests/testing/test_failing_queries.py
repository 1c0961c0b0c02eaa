"""Queries of a user's own bytes that raise, and of values that cannot be read."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.testing.test_own_key_value_methods import Of
from compat_tests.testing.test_ported_key_value_store import Plain
from millstream import (
    FailureReason,
    KeyQuery,
    PositionBound,
    Processor,
    Query,
    QueryConfig,
    QueryResult,
    RangeQuery,
    Record,
    Serdes,
    SerializationException,
    Stores,
    Topology,
)
from millstream.testing import TopologyTestDriver


class Broken(Plain):
    """A store whose disk is gone."""

    def get(self, key: bytes) -> bytes | None:
        raise OSError(f"no disk for {key!r}")


class Holder(Plain):
    """A store with three bytes under each key, which are no whole number."""

    def get(self, key: bytes) -> bytes | None:
        return b"abc"


class Nothing(Processor[Any, Any, None, None]):
    def process(self, record: Record[Any, Any]) -> None: ...


def answer_of(kind: Any, query: Query[Any]) -> QueryResult[Any]:
    topology = Topology()
    reads = Serdes.Bytes().deserializer()
    topology.addSource("source", reads, reads, "in").addProcessor("none", Nothing, "source")
    builder = Stores.keyValueStoreBuilder(Of(kind), Serdes.String(), Serdes.Integer())
    topology.addStateStore(builder, "none")
    with TopologyTestDriver(topology) as driver:
        store: Any = driver.getAllStateStores()[Of(kind).name()]
        found: QueryResult[Any] = store.query(query, PositionBound.unbounded(), QueryConfig(False))
        return found


def test_what_the_bytes_of_a_store_raise_becomes_a_failure_with_the_trace() -> None:
    result = answer_of(Broken, KeyQuery.withKey("a"))
    assert result.getFailureReason() is FailureReason.STORE_EXCEPTION
    assert "OSError: no disk for b'a'" in result.getFailureMessage()


def test_a_value_that_cannot_be_read_is_an_error_and_no_result() -> None:
    with pytest.raises(SerializationException):
        answer_of(Holder, KeyQuery.withKey("a"))
    assert answer_of(Holder, RangeQuery.withNoBounds()).isSuccess()
