"""Recorded scenarios of the real Kafka Streams, replayed on the test driver."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat_tests import SCENARIOS
from compat_tests.conformance.corpus import judge, read_scenario, scenario_files
from compat_tests.conformance.hosts import HOSTS

FILES = scenario_files(SCENARIOS)


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_a_topology_does_what_kafka_streams_did(file: Path, host: str) -> None:
    verdict = judge(read_scenario(file), host)
    assert not verdict.skipped_for
    assert not verdict.differences, "\n".join(verdict.differences)
