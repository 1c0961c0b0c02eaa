"""Records that kill their worker process go to the dead letter queue, if that is asked for."""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from compat_tests.spark.support import Playground, eventually
from millstream import (
    KafkaStreams,
    Materialized,
    Produced,
    Repartitioned,
    Serdes,
    StreamsBuilder,
    Topology,
)
from millstream.core.errors import ConfigException, WorkerDiedException


def dies(value: str) -> str:
    if value.startswith("fatal"):
        os.kill(os.getpid(), signal.SIGKILL)
    return value


def crashes(value: str) -> str:
    if value.startswith("fatal"):
        ctypes.string_at(0)
    return value


def counting(source: str, target: str, check: Callable[[str], str] = dies) -> Topology:
    builder = StreamsBuilder()
    counts = Materialized.as_("counts").withValueSerde(Serdes.Long())
    table = builder.stream(source).mapValues(check).groupByKey().count(counts)
    table.toStream().to(target, Produced.with_(Serdes.String(), Serdes.Long()))
    return builder.build()


def isolating(play: Playground, dead: str, **entries: Any) -> dict[str, Any]:
    config = play.config(
        processing_guarantee="exactly_once_v2",
        millstream_isolate_poison=True,
        **entries,
    )
    return config | {"errors.dead.letter.queue.topic.name": dead}


def header(message: Any, name: str) -> bytes | None:
    headers: dict[str, bytes | None] = dict(message.headers())
    return headers[f"__streams.errors.{name}"]


def metric(streams: KafkaStreams, name: str) -> float:
    return sum(float(m.metricValue()) for n, m in streams.metrics().items() if n.name() == name)


def test_a_record_that_kills_its_worker_is_a_dead_letter_and_the_others_count_once(
    spark: SparkSession, play: Playground
) -> None:
    source, target, dead = play.topic("in", 1), play.topic("out", 1), play.topic("dead", 1)
    values = [b"v", b"v", b"v", b"fatal", b"v", b"v", b"v", b"fatal2", b"v", b"v"]
    play.produce(
        source, [(b"k", value, 100 + n, 0, [("h", b"1")]) for n, value in enumerate(values)]
    )
    config = isolating(play, dead, statestore_cache_max_bytes=0)
    with KafkaStreams(counting(source, target), config, spark=spark) as streams:
        streams.start()
        found = [int.from_bytes(m.value(), "big") for m in play.read(target, 8, more=0)]
        assert found == list(range(1, 9))
        letters = play.read(dead, 2)
        assert [(m.key(), m.value(), m.timestamp()[1]) for m in letters] == [
            (b"k", b"fatal", 103),
            (b"k", b"fatal2", 107),
        ]
        assert [header(m, "offset") for m in letters] == [b"3", b"7"]
        assert header(letters[0], "topic") == source.encode()
        assert header(letters[0], "partition") == b"0"
        assert header(letters[0], "exception") == b"millstream.core.errors.WorkerDiedException"
        assert dict(letters[0].headers())["h"] == b"1"
        eventually(lambda: metric(streams, "poisoned-records-total"), 2.0)
        assert metric(streams, "dropped-records-total") == 2.0
        play.produce(source, [(b"k", b"v", 200)])
        assert int.from_bytes(play.read(target, 9, more=1)[-1].value(), "big") == 9
        assert streams.state().name == "RUNNING"
        eventually(lambda: play.committed(play.name, source), {0: 11})
    assert len(play.read(dead, 2, more=1)) == 2


@pytest.mark.long
def test_a_record_behind_a_repartition_is_found_there(
    spark: SparkSession, play: Playground
) -> None:
    source, target, dead = play.topic("in", 1), play.topic("out", 1), play.topic("dead", 1)
    builder = StreamsBuilder()
    again = builder.stream(source).repartition(Repartitioned.as_("again"))
    again.mapValues(crashes).to(target)
    values = [b"v0", b"v1", b"fatal", b"v3"]
    play.produce(source, [(b"k", value, 100 + n, 0) for n, value in enumerate(values)])
    with KafkaStreams(builder.build(), isolating(play, dead), spark=spark) as streams:
        streams.start()
        assert [value for _, value in play.pairs(target, 3, more=1)] == [b"v0", b"v1", b"v3"]
        (letter,) = play.read(dead, 1)
        assert (letter.key(), letter.value()) == (b"k", b"fatal")
        assert header(letter, "topic") == f"{play.name}-again-repartition".encode()
        assert header(letter, "offset") == b"2"


@pytest.mark.long
def test_a_dead_worker_is_told_with_its_task_and_records(
    spark: SparkSession, play: Playground
) -> None:
    source, target = play.topic("in", 2), play.topic("out", 1)
    play.produce(source, [(b"k", b"v", 1, 1), (b"k", b"fatal", 2, 1), (b"k", b"v", 3, 0)])
    topology = counting(source, target, crashes)
    with KafkaStreams(topology, play.config(), spark=spark) as streams:
        streams.start()
        with pytest.raises(WorkerDiedException) as caught:
            streams.wait()
    text = str(caught.value)
    assert str(caught.value.taskId()) == "0_1"
    assert f"Task 0_1: {source}-1 from the first offset up to 2." in text
    assert "millstream.isolate.poison=true" in text


def test_isolation_without_a_dead_letter_queue_is_refused(tmp_path: Path) -> None:
    config = {
        "application.id": "a",
        "bootstrap.servers": "localhost:1",
        "state.dir": str(tmp_path),
        "millstream.isolate.poison": "true",
    }
    with pytest.raises(ConfigException, match="needs a dead letter queue"):
        KafkaStreams(counting("in", "out"), config)
