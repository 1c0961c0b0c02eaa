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
from compat_tests.testing.savepoints.made import saved
from compat_tests.topology.savepoints.test_rescale_counts import rescaling
from millstream import (
    BufferConfig,
    Consumed,
    Grouped,
    Materialized,
    Serdes,
    StreamsBuilder,
    Suppressed,
    TimeWindows,
    Topology,
)
from millstream.core.errors import StreamsException
from millstream.core.partitioning import default_partition
from millstream.plugins import BufferTraits, SuppressionBuffer, hookimpl
from millstream.plugins.registry import registered
from millstream.testing import TopologyTestDriver
from millstream.topology.savepoints.placing import combiner
from millstream.topology.savepoints.reader import Savepoint
from millstream.topology.savepoints.records import StoreRecords
from millstream.topology.savepoints.rescale import rescale

TEXT = Serdes.String()
CONFIG = {"application.id": "app"}


class RecoveringBuffer(PlainBuffer):
    """Says that its entries are in working copies, in rows of its own."""

    name = "recovering"
    traits = BufferTraits(recovers=True)


class Plugin:
    """Offers the buffers, as an installed distribution does."""

    @hookimpl
    def millstream_register_buffers(self) -> list[type[SuppressionBuffer]]:
        return [PlainBuffer, RecoveringBuffer]


@pytest.fixture(autouse=True)
def plugin() -> Iterator[None]:
    with registered(Plugin()):
        yield


def scenario(logging: bool, buffer: str | None = "plain") -> dict[str, Any]:
    held = {"op": "suppress", "until": "timeLimit", "ms": 10, "name": "held", "buffer": buffer}
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


def suppressed(logging: bool, buffer: str = "plain") -> Topology:
    builder = StreamsBuilder()
    config = BufferConfig.unbounded().withBuffer(buffer)
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


@pytest.mark.parametrize("ours", ["memory", "spill"])
def test_another_buffer_is_refused_its_rows_by_names_that_a_user_knows(
    ours: str, tmp_path: Path
) -> None:
    with TopologyTestDriver(suppressed(True), CONFIG) as driver:
        driver.savepoint(str(tmp_path / "saved"))
    with pytest.raises(StreamsException) as caught:
        TopologyTestDriver.fromSavepoint(suppressed(True, ours), CONFIG, str(tmp_path / "saved"))
    assert "its buffer was plain and is memory or spill" in str(caught.value)


def test_its_changelog_topic_has_the_records_of_our_own_buffer() -> None:
    def logged(buffer: str | None) -> list[Any]:
        with LineOfTasks(scenario(True, buffer), changelogs=True) as line:
            run_batches(line, records(scenario(True, buffer)), 2, 0, ["none"])
            return [batch.get("app-held-store-changelog") for batch in line.seen.batches]

    found = logged("plain")
    assert any(found)
    assert [_sorted(each) for each in found] == [_sorted(each) for each in logged(None)]


def test_one_that_knows_its_rows_alone_is_refused_a_changelog_topic() -> None:
    with pytest.raises(StreamsException) as caught:
        LineOfTasks(scenario(True, "recovering"), changelogs=True)
    assert 'suppression buffer "recovering" recovers by itself' in str(caught.value)
    assert "withLoggingDisabled()" in str(caught.value)


def _sorted(lines: list[Any] | None) -> list[Any]:
    # Within a batch our buffers log by time; keys are apart all the same.
    return sorted(lines or ())


def final() -> Topology:
    builder = StreamsBuilder()
    held = Suppressed.untilWindowCloses(BufferConfig.unbounded().withBuffer("plain"))
    hours = TimeWindows.ofSizeWithNoGrace(timedelta(hours=1))
    grouped = builder.stream("in", Consumed.with_(TEXT, TEXT)).groupByKey(Grouped.with_(TEXT, TEXT))
    counts = grouped.windowedBy(hours).count(Materialized.as_("counts"))
    counts.suppress(held.withName("held")).toStream(lambda hour, _: hour.key()).to("out")
    return builder.build()


def test_its_rows_can_be_read_and_move_with_the_keys_of_their_windows(tmp_path: Path) -> None:
    keys = [f"k{number}" for number in range(12)]
    topology = final()
    point = Savepoint(saved(topology, tmp_path, [("in", key, "v", 5) for key in keys]))

    rescale(
        point, tmp_path / "new", rescaling(topology, point, **{"in": 3}), combiner(topology.plan())
    )

    found = list(StoreRecords(Savepoint(tmp_path / "new"), "held-store").all())
    # The start of the window is the end of the key.
    assert sorted(row.key[:-8].decode() for row in found) == sorted(keys)
    assert {row.value for row in found} == {(1).to_bytes(8, "big")}
    assert all(row.partition == default_partition(row.key[:-8], 3) for row in found)
    assert len({row.partition for row in found}) == 3
