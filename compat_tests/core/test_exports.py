"""What ``import millstream`` brings, what only a star import does, and what neither costs."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

import millstream
from millstream.core.replaced_names import INSTEAD

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


def test_importing_kafka_streams_loads_nothing_that_can_wait() -> None:
    later = "{'pandas', 'rich', 'IPython', 'pyspark.testing'}"
    code = f"import sys; from millstream import KafkaStreams; print({later} & sys.modules.keys())"
    assert run(code) == "set()\n"


@pytest.mark.parametrize("name", LATE)
def test_names_that_are_imported_late_are_listed(name: str) -> None:
    assert name in dir(millstream)


@pytest.mark.parametrize(
    ("name", "told"),
    [("Transformer", "Processor"), ("Properties", "a dict"), ("RecordHeaders", "Headers")],
)
def test_an_import_of_a_name_of_java_tells_what_to_write(name: str, told: str) -> None:
    with pytest.raises(ImportError, match=f"millstream has no {name}; write .*{told}"):
        exec(f"from millstream import {name}", {})  # noqa: S102 - this is what is tested
    assert not hasattr(millstream, name)
    with pytest.raises(AttributeError, match=f"has no attribute '{name}'; write .*{told}"):
        getattr(millstream, name)


def test_counterparts_of_names_of_java_are_names_here() -> None:
    for name, told in INSTEAD.items():
        assert name not in dir(millstream)
        for word in re.findall(r"\b[A-Z]\w+", told):
            if word not in ("JVM", "Kafka", "Python"):
                assert word in dir(millstream), told
