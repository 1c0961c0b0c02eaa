"""The oracle: our Java program on the real Kafka Streams."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compat_tests import SCENARIOS
from compat_tests.oracle.runner import run_oracle
from millstream.jars import JavaNotFoundError


@pytest.mark.broker
def test_kafka_streams_still_does_what_is_recorded(tmp_path: Path) -> None:
    recorded = {}
    for folder in ("stateless", "window-time", "papi"):
        file = min((SCENARIOS / folder).glob("*.json"))
        recorded[file.name] = json.loads(file.read_text(encoding="utf-8"))
        blank = {**recorded[file.name], "expect": None}
        Path(tmp_path, file.name).write_text(json.dumps(blank), encoding="utf-8")
    try:
        assert run_oracle(tmp_path) == 0
    except JavaNotFoundError as missing:
        pytest.skip(str(missing))
    for name, scenario in recorded.items():
        made = json.loads(Path(tmp_path, name).read_text(encoding="utf-8"))
        assert made["expect"] == scenario["expect"]


@pytest.mark.broker
def test_a_scenario_that_makes_no_sense_is_left_as_it_is(tmp_path: Path) -> None:
    bad = Path(tmp_path, "bad.json")
    text = '{"topics": {}, "topology": [{"id": "a", "op": "explode"}], "events": []}'
    bad.write_text(text, encoding="utf-8")
    try:
        assert run_oracle(tmp_path) == 1
    except JavaNotFoundError as missing:
        pytest.skip(str(missing))
    assert bad.read_text(encoding="utf-8") == text
