"""Short ways to use a broker."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Iterator
from pathlib import Path

import pyspark
import pytest

from compat_tests.kafka.fixture import KafkaServer
from compat_tests.spark.support import Playground

_NUMBERS = itertools.count()


@pytest.fixture
def play(kafka: KafkaServer, tmp_path: Path, request: pytest.FixtureRequest) -> Playground:
    """Topics and applications of one test, with names of their own."""
    name = f"{request.node.name.split('[')[0][5:45]}-{next(_NUMBERS)}"
    return Playground(kafka.bootstrap_servers, name.replace("_", "-"), tmp_path)


@pytest.fixture
def clean_spark_home() -> Iterator[None]:
    """Remove the executors' logs, which this kind of cluster leaves in pyspark's own folder."""
    work = Path(pyspark.__file__).parent / "work"
    before = set(work.glob("*"))
    yield
    for left in set(work.glob("*")) - before:
        shutil.rmtree(left)
