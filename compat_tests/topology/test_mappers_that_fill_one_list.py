"""A mapper may fill one list again for each record: Kafka Streams is done with it by then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from compat_tests.core.engine.test_join_merger import Row
from compat_tests.topology.test_joiners_that_return_one_object import TEXT, sent_by
from millstream import Consumed, KeyValue, KStream, Produced, StreamsBuilder

Texts = KStream[str, str]


def values(stream: Texts) -> Any:
    shared: list[str] = []

    def mapper(value: str) -> list[str]:
        shared[:] = [value, value + "!"]
        return shared

    return stream.flatMapValues(mapper)


def pairs(stream: Texts) -> Any:
    shared: list[KeyValue[str, str]] = []

    def mapper(key: str, value: str) -> list[KeyValue[str, str]]:
        shared.clear()
        shared.extend(KeyValue(key, value + mark) for mark in "?!")
        return shared

    return stream.flatMap(mapper)


def one_pair(stream: Texts) -> Any:
    shared = ["", ""]

    def mapper(key: str, value: str) -> Any:
        shared[:] = [key + "+", value]
        return shared

    return stream.map(mapper)


def one_key_value(stream: Texts) -> Any:
    shared = KeyValue("", "")

    def mapper(key: str, value: str) -> KeyValue[str, str]:
        shared.key, shared.value = key + "+", value
        return shared

    return stream.map(mapper)


def now_and_then_none(stream: Texts) -> Any:
    shared: list[str] = []

    def mapper(value: str) -> list[str]:
        shared[:] = [value] if int(value) % 3 == 0 else []
        return shared

    return stream.flatMapValues(mapper)


@pytest.mark.parametrize("make", [values, pairs, one_pair, one_key_value, now_and_then_none])
def test_each_record_has_the_results_that_were_in_the_list_then(
    make: Callable[[Texts], Any],
) -> None:
    def found(*, by_chunks: bool) -> list[Any]:
        builder = StreamsBuilder()
        stream = builder.stream("left", Consumed.with_(TEXT, TEXT))
        make(stream).to("out", Produced.with_(TEXT, TEXT))
        rows: list[Row] = [("left", b"k%d" % (n % 3), b"%d" % n, n) for n in range(400)]
        return sent_by(builder.build(), [rows[:200], rows[200:]], by_chunks=by_chunks)

    results = found(by_chunks=True)

    assert results == found(by_chunks=False)
    assert len(set(results)) == len(results) > 100
