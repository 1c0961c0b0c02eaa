"""Avro in Java, with the jar that pyspark has: it reads our bytes, and resolves schemas alike."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pyspark
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from compat_tests.serdes.avro_schemas import schemas, values
from compat_tests.serdes.test_avro_evolution import PAIRS, REFUSED
from millstream.core.errors import SerializationException
from millstream.serdes.avro import AvroSerde

PROGRAM = Path(__file__).parent / "java" / "AvroReference.java"
JARS = Path(pyspark.__path__[0]) / "jars"
CASES = 300

pytestmark = pytest.mark.spark


def test_java_reads_our_bytes_and_resolves_schemas_alike() -> None:
    cases = [*pairs(), *drawn()]
    lines = [f"{json.dumps(old)}\t{json.dumps(new)}\t{data.hex()}" for old, new, data, _ in cases]
    ended = subprocess.run(
        ["java", "-XX:TieredStopAtLevel=1", "-cp", f"{JARS}/*", str(PROGRAM)],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=True,
    )
    answers = ended.stdout.splitlines()
    assert len(answers) == len(cases)
    for (old, new, _, ours), theirs in zip(cases, answers, strict=True):
        refused = theirs.startswith("refused")
        assert ("refused" if refused else theirs) == ours, (old, new, theirs)


def pairs() -> list[tuple[Any, Any, bytes, str]]:
    """Return old and new schema, bytes, and the same in the new schema."""
    changes = [each[1:4] for each in PAIRS] + [each[:3] for each in REFUSED]
    found = [(old, new, written(old, value)) for old, new, value in changes]
    return [(*case, ours(*case)) for case in found]


def drawn() -> list[tuple[Any, Any, bytes, str]]:
    found: list[tuple[Any, Any, bytes, str]] = []

    @settings(max_examples=CASES, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(schemas().flatmap(lambda schema: st.tuples(st.just(schema), values(schema))))
    def collect(case: tuple[Any, Any]) -> None:
        schema, value = case
        # Java writes maps in the order of a hash table.
        if value is not None and '"map"' not in json.dumps(schema):
            data = written(schema, value)
            found.append((schema, schema, data, data.hex()))

    collect()
    return found


def written(schema: Any, value: Any) -> bytes:
    data = AvroSerde(schema).serializer().serialize("t", value)
    return b"\0" if data is None else data


def ours(old: Any, new: Any, data: bytes) -> str:
    try:
        found = AvroSerde(old, reader_schema=new).deserializer().deserialize("t", data)
    except SerializationException:
        return "refused"
    return written(new, found).hex()
