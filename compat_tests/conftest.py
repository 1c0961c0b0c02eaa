"""Fixtures of every test, and what lets test functions reach Spark's workers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from pyspark import cloudpickle

import compat_tests

if TYPE_CHECKING:
    from compat_tests.kafka.fixture import KafkaServer

# Workers cannot import the tests: what test modules define travels to them by value.
cloudpickle.register_pickle_by_value(compat_tests)  # type: ignore[no-untyped-call]


@pytest.fixture(scope="session")
def kafka() -> Iterator[KafkaServer]:
    """A real Kafka for the whole test run: a container where Docker is, else a process."""
    # Most tests need no Kafka, and so neither Docker's client nor the broker.
    from compat_tests.kafka.fixture import kafka_server

    with kafka_server() as server:
        yield server
