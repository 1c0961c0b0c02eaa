"""What ``import millstream`` brings, what only a star import does, and what neither costs."""

from __future__ import annotations

import subprocess
import sys

import pytest

import millstream

LATE = ("KafkaStreams", "TopologyTestDriver", "TestRecord", "RocksDBConfigSetter", "TaskAssignor")


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_star_import_brings_every_public_name() -> None:
    names: dict[str, object] = {}
    exec("from millstream import *", names)  # noqa: S102 - this is what is tested
    for name in (*LATE, "StreamsBuilder", "Serdes", "KStream", "StreamsConfig"):
        assert names[name] is getattr(millstream, name)
    assert not {"import_module", "TYPE_CHECKING", "Any", "core"} & names.keys()


def test_importing_the_package_loads_neither_spark_nor_the_test_driver() -> None:
    heavy = "('pyspark', 'pandas', 'pyarrow', 'rocksdict', 'confluent_kafka', 'millstream.testing')"
    code = f"import sys, millstream; print([each for each in {heavy} if each in sys.modules])"
    assert run(code) == "[]\n"


@pytest.mark.parametrize("name", LATE)
def test_names_that_are_imported_late_are_listed(name: str) -> None:
    assert name in dir(millstream)
