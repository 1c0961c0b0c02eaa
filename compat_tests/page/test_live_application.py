"""The live page of an application on Spark: its numbers agree with ``KafkaStreams.metrics()``."""

from __future__ import annotations

import json
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from compat_tests.page.support import counted, page_offered, total
from compat_tests.spark.conftest import play as play  # noqa: PLC0414 - a fixture
from compat_tests.spark.support import Playground, eventually
from millstream import KafkaStreams
from millstream.core.errors import ConfigException
from millstream.page.address import noted

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


@pytest.fixture(autouse=True)
def _offered() -> Iterator[None]:
    with page_offered():
        yield


def read(url: str, path: str) -> str:
    with urllib.request.urlopen(url + path, timeout=60) as answer:
        return str(answer.read().decode())


def ask(url: str, path: str) -> Any:
    return json.loads(read(url, path))


def refused(url: str, path: str) -> int:
    with pytest.raises(urllib.error.HTTPError) as caught:
        read(url, path)
    assert set(json.loads(caught.value.read())) == {"error", "hint"}
    return caught.value.code


def answers_queries(url: str) -> None:
    found = ask(url, "query/counts?key=1")
    assert (found["store"], found["key"], found["more"]) == ("counts", "1", False)
    assert found["entries"] == [{"key": "1", "value": 20, "timestamp": 58, "window": None}]
    assert ask(url, "api/query/counts?key=none")["entries"] == []
    some = ask(url, "query/counts?limit=2")
    assert (len(some["entries"]), some["more"]) == (2, True)
    among = ask(url, "query/counts?from=1&to=2")["entries"]
    assert sorted(entry["key"] for entry in among) == ["1", "2"]
    place = ask(url, "api/stores/counts/metadata?key=1")
    assert place.keys() == {"host", "port", "partition"}
    assert place["partition"] in (0, 1)
    assert refused(url, "query/nothing?key=1") == 404
    for wrong in ("key=1&key_serde=long", "key=x&key_serde=long", "key=1&key_serde=no", "limit=0"):
        assert refused(url, f"query/counts?{wrong}") == 400
    assert refused(url, "api/stores/nothing/metadata?key=1") == 404
    assert refused(url, "api/stores/counts/metadata") == 400


def test_the_page_agrees_with_the_metrics(spark: SparkSession, play: Playground) -> None:
    source, target = play.topic("in", 2), play.topic("out", 1)
    play.produce(source, [(b"k", b"%d" % (n % 3), n) for n in range(60)])
    config = play.config(millstream_ui_port=0)
    with KafkaStreams(counted(source, target), config, spark=spark) as streams:
        directory = play.directory / play.name
        address = noted(directory)
        assert address is not None
        url = address.url
        play.read(target, 1)
        # Workers report what they have counted before Spark reports the batch.
        eventually(lambda: total(streams, "records-consumed-total", source), 60.0)
        eventually(lambda: ask(url, "api/snapshot")["totals"]["lag"], 0)

        found = ask(url, "api/snapshot")
        assert found["application"]["state"] == "RUNNING"
        assert found["application"]["id"] == play.name
        assert found["totals"]["records"] == 60
        assert found["totals"]["lag"] == 0
        assert found["topics"][source]["lag"] == 0
        assert sum(task["records"] for task in found["tasks"] if task["stage"] == 0) == 60
        produced = total(streams, "records-produced-total", target)
        sinks = {n["name"] for n in ask(url, "api/topology")["nodes"] if target in n["topics"]}
        assert sum(found["nodes"][name]["records"] for name in sinks) == produced
        for batch in found["batches"]:
            parts = {part["name"]: part["ms"] for part in batch["parts"]}
            assert {"pack", "stage 0", "stage 1", "sink"} <= parts.keys()
            assert abs(sum(parts.values()) - batch["total_ms"]) <= 3
        stages = ask(url, "api/topology")["stages"]
        assert [(s["index"], s["stores"]) for s in stages] == [(0, []), (1, ["counts"])]
        assert ask(url, "health/ready") == {"state": "RUNNING", "reason": "running"}

        answers_queries(url)
        lines = read(url, "metrics").splitlines()
        family = "kafka_streams_stream_topic_metrics_records_consumed_total"
        consumed = [line for line in lines if line.startswith(family) and f'"{source}"' in line]
        assert sum(float(line.split()[-1]) for line in consumed) == 60.0

        with urllib.request.urlopen(url + "api/events", timeout=60) as events:
            assert events.readline() == b"event: snapshot\n"
            assert json.loads(events.readline()[len(b"data: ") :])["totals"]["records"] == 60
            streams.close()
            rest = [line for line in events.read().split(b"\n") if line.startswith(b"data: ")]
            assert json.loads(rest[-1][6:])["application"]["state"] == "NOT_RUNNING"
    assert noted(directory) is None


def test_a_taken_port_refuses_the_start(spark: SparkSession, play: Playground) -> None:
    source, target = play.topic("in", 1), play.topic("out", 1)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        streams = KafkaStreams(
            counted(source, target), play.config(millstream_ui_port=port), spark=spark
        )
        with pytest.raises(ConfigException, match=f"{port} for configuration millstream.ui.port"):
            streams.start()
    assert streams.state() is KafkaStreams.State.CREATED
    assert not Path(play.directory, play.name, "page.json").exists()
