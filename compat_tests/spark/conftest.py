"""Short ways to use a broker."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from compat_tests.kafka.fixture import KafkaServer
from compat_tests.spark.support import Playground

_NUMBERS = itertools.count()


@pytest.fixture
def play(kafka: KafkaServer, tmp_path: Path, request: pytest.FixtureRequest) -> Playground:
    """Topics and applications of one test, with names of their own."""
    name = f"{request.node.name.split('[')[0][5:45]}-{next(_NUMBERS)}"
    return Playground(kafka.bootstrap_servers, name.replace("_", "-"), tmp_path)
