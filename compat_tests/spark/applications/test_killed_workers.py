"""A worker process that is killed costs a retry; what runs can be reached and read by nobody."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pyspark import SparkContext
from pyspark.sql import SparkSession

from compat_tests.spark.support import Playground, eventually
from millstream import KafkaStreams, Materialized, Produced, Serdes, StreamsBuilder, Topology

WORDS = [b"a", b"b", b"a", b"fatal", b"c", b"a"]
LISTENS = "0A"
LOOPBACK = {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}


def kills_its_worker_once(marker: Path) -> Callable[[str], str]:
    def checked(word: str) -> str:
        if word == "fatal" and not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return word

    return checked


def counting(source: str, target: str, marker: Path) -> Topology:
    builder = StreamsBuilder()
    counts = Materialized.as_("counts").withValueSerde(Serdes.Long())
    words = builder.stream(source).mapValues(kills_its_worker_once(marker))
    table = words.groupBy(lambda key, word: word).count(counts)
    table.toStream().to(target, Produced.with_(Serdes.String(), Serdes.Long()))
    return builder.build()


def test_a_killed_busy_worker_costs_a_retry(spark: SparkSession, play: Playground) -> None:
    source, target = play.topic("in"), play.topic("out", 1)
    play.directory.chmod(0o755)
    marker = play.directory / "killed"
    config = play.config(
        processing_guarantee="exactly_once_v2", statestore_cache_max_bytes=0, state_dir=""
    )
    config["state.dir"] = str(play.directory / "state")
    play.produce(source, [(b"k", word, n, 0) for n, word in enumerate(WORDS)])
    with KafkaStreams(counting(source, target, marker), config, spark=spark) as streams:
        streams.start()
        found = play.read(target, len(WORDS), more=1)
        assert sorted((m.key(), int.from_bytes(m.value(), "big")) for m in found) == [
            (b"a", 1),
            (b"a", 2),
            (b"a", 3),
            (b"b", 1),
            (b"c", 1),
            (b"fatal", 1),
        ]
        assert marker.exists()
        assert streams.state().name == "RUNNING"
        eventually(lambda: play.committed(play.name, source), {0: len(WORDS)})
        assert list(listening_elsewhere()) == []
        assert list(open_to_others(play.directory / "state")) == []


def open_to_others(root: Path) -> Iterator[tuple[str, str]]:
    """Yield the files and directories that any user may read."""
    for path in (root, *root.rglob("*")):
        mode = path.stat().st_mode if path.exists() else 0
        if mode & 0o007:
            yield str(path.relative_to(root)), oct(mode)


def listening_elsewhere() -> Iterator[str]:
    """Yield what Spark's JVM, its workers and this process listen on, but for the loopback."""
    gateway: Any = SparkContext._gateway
    jvm = gateway.proc.pid
    mine = {inode for pid in (os.getpid(), *descendants(jvm)) for inode in sockets(pid)}
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            address = fields[1].split(":")[0]
            if fields[3] == LISTENS and fields[9] in mine and address not in LOOPBACK:
                yield fields[1]


def descendants(pid: int) -> Iterator[int]:
    yield pid
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in children.read_text().split():
            yield from descendants(int(child))


def sockets(pid: int) -> Iterator[str]:
    for link in Path(f"/proc/{pid}/fd").glob("*"):
        try:
            target = os.readlink(link)
        except OSError:
            continue
        if target.startswith("socket:["):
            yield target[8:-1]
