"""Which records a new executor reads ahead."""

from __future__ import annotations

from typing import Any

import pytest

from millstream.topology.spark.placement.sample import Sample, sample_of

OPTIONS = {"kafka.bootstrap.servers": "b:9092"}


def progress(*ends: Any) -> dict[str, Any]:
    return {"sources": [{"endOffset": end} for end in ends]}


def test_the_first_partition_with_records_is_read() -> None:
    found = sample_of(OPTIONS, progress(7, {"orders": {"0": 0, "1": 42}}, {"users": {"0": 3}}))
    assert found == Sample(OPTIONS, "orders", 1, 42)


@pytest.mark.parametrize("ends", [(), (None,), (7,), ({"orders": {"0": 0}},), ({},)])
def test_without_records_nothing_is_read(ends: tuple[Any, ...]) -> None:
    assert sample_of(OPTIONS, progress(*ends)) is None


def test_without_a_kafka_source_nothing_is_read() -> None:
    assert sample_of({}, progress({"orders": {"0": 5}})) is None
    assert sample_of(OPTIONS, {}) is None


def test_the_options_do_not_show() -> None:
    shown = repr(Sample({"kafka.sasl.jaas.config": "secret"}, "orders", 0, 5))
    assert "secret" not in shown
