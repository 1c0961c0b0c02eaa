"""One Spark session for all tests of this folder, and short ways to use a broker."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from compat_tests.kafka.fixture import KafkaServer
from compat_tests.spark.support import Playground

_NUMBERS = itertools.count()


@pytest.fixture(scope="session")
def spark() -> Iterator[object]:
    """A session as ``KafkaStreams`` makes it, on two cores."""
    from millstream.topology.spark.session import new_session

    session = new_session({"spark.master": "local[2]", "spark.log.level": "ERROR"}, "tests")
    yield session
    session.stop()


@pytest.fixture
def play(kafka: KafkaServer, tmp_path, request) -> Playground:
    """Topics and applications of one test, with names of their own."""
    name = f"{request.node.name.split('[')[0][5:45]}-{next(_NUMBERS)}"
    return Playground(kafka.bootstrap_servers, name.replace("_", "-"), tmp_path)
