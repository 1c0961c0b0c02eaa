"""A plugin's buffer that does not recover: what it holds back survives, with a log and without."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from compat_tests.kit.test_buffers import PlainBuffer
from compat_tests.properties.line import LineOfTasks
from compat_tests.properties.test_restarts import run_batches
from compat_tests.properties.world import records
from millstream import BufferConfig, Consumed, Serdes, StreamsBuilder, Suppressed, Topology
from millstream.plugins import SuppressionBuffer, hookimpl
from millstream.plugins.registry import registered
from millstream.testing import TopologyTestDriver

TEXT = Serdes.String()
CONFIG = {"application.id": "app"}


class Plugin:
    """Offers the buffer, as an installed distribution does."""

    @hookimpl
    def millstream_register_buffers(self) -> list[type[SuppressionBuffer]]:
        return [PlainBuffer]


@pytest.fixture(autouse=True)
def plugin() -> Iterator[None]:
    with registered(Plugin()):
        yield


def scenario(logging: bool) -> dict[str, Any]:
    held = {"op": "suppress", "until": "timeLimit", "ms": 10, "name": "held", "buffer": "plain"}
    return {
        "config": {"statestore.cache.max.bytes": 0},
        "topics": {"in": ["string", "string"], "out": ["string", "string"]},
        "stores": {},
        "topology": [
            {"id": "t", "op": "table", "topic": "in", "key": "string", "value": "string"},
            {"id": "s", "from": ["t"], "logging": logging, **held},
            {"id": "o", "op": "toStream", "from": ["s"]},
            {"op": "to", "from": ["o"], "topic": "out", "key": "string", "value": "string"},
        ],
        "events": [
            {"pipe": "in", "key": "abc"[at % 3], "value": f"v{at}", "ts": at * 4}
            for at in range(12)
        ],
    }


@pytest.mark.parametrize("mishap", ["restart", "lose", "move", "fail", "fail at once"])
@pytest.mark.parametrize("logging", [True, False])
def test_what_is_held_back_comes_out_whatever_happens_to_the_worker(
    logging: bool, mishap: str
) -> None:
    def batches(*mishaps: str) -> Any:
        with LineOfTasks(scenario(logging)) as line:
            run_batches(line, records(scenario(logging)), 2, 0, list(mishaps))
            return line.seen.batches

    expected = batches("none")
    assert sum(len(batch.get("out", ())) for batch in expected) > 3
    assert batches(mishap) == expected


def suppressed(logging: bool) -> Topology:
    builder = StreamsBuilder()
    config = BufferConfig.unbounded().withBuffer("plain")
    config = config if logging else config.withLoggingDisabled()
    seldom = Suppressed.untilTimeLimit(timedelta(seconds=1), config).withName("held")
    builder.table("in", Consumed.with_(TEXT, TEXT)).suppress(seldom).toStream().to("out")
    return builder.build()


@pytest.mark.parametrize("logging", [True, False])
def test_a_savepoint_of_the_driver_has_it_and_only_a_log_has_a_topic(
    logging: bool, tmp_path: Path
) -> None:
    config = CONFIG | {"default.key.serde": TEXT, "default.value.serde": TEXT}
    with TopologyTestDriver(suppressed(logging), config) as driver:
        source = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
        source.pipeInput("k", "held", 0)
        assert ("app-held-store-changelog" in driver.producedTopicNames()) is logging
        driver.savepoint(str(tmp_path / "saved"))
    after = TopologyTestDriver.fromSavepoint(suppressed(logging), config, str(tmp_path / "saved"))
    with after as driver:
        source = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
        source.pipeInput("other", "late", 2_000)
        target = driver.createOutputTopic("out", TEXT.deserializer(), TEXT.deserializer())
        assert target.readKeyValuesToMap() == {"k": "held"}
