"""Local stores that go or break under a running application: results stay exact."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random

import pytest
from pyspark.sql import SparkSession

from compat_tests.spark.support import Playground, eventually
from compat_tests.stores.test_faults import flip
from millstream import KafkaStreams, Materialized, Produced, Serdes, StreamsBuilder, Topology

WORDS = [b"a", b"b", b"a", b"c"]


def counting(source: str, target: str) -> Topology:
    builder = StreamsBuilder()
    counts = Materialized.as_("counts").withValueSerde(Serdes.Long())
    table = builder.stream(source).groupByKey().count(counts)
    table.toStream().to(target, Produced.with_(Serdes.String(), Serdes.Long()))
    return builder.build()


def local_files(directory: Path) -> list[Path]:
    found = [path for path in directory.glob("**/stores/**/*") if path.is_file()]
    return [path for path in found if path.stat().st_size and path.name not in ("LOG", "LOCK")]


@pytest.mark.parametrize("store", ["rocksdb", "lmdb"])
def test_local_stores_may_be_deleted_or_damaged(
    store: str, spark: SparkSession, play: Playground
) -> None:
    source, target = play.topic("in"), play.topic("out")
    config = play.config(default_dsl_store=store, statestore_cache_max_bytes=0)
    random = Random(7)

    def words_are_counted(times: int) -> None:
        play.produce(source, [(word, b"x", times) for word in WORDS])
        eventually(lambda: sum(play.ends(target).values()), times * len(WORDS))

    with KafkaStreams(counting(source, target), config, spark=spark) as streams:
        streams.start()
        words_are_counted(1)
        held = [path.parent for path in local_files(play.directory)]
        assert held
        for directory in set(held):
            shutil.rmtree(directory, ignore_errors=True)
        words_are_counted(2)
    for path in local_files(play.directory):
        flip(path, random)
    with KafkaStreams(counting(source, target), config, spark=spark) as streams:
        streams.start()
        words_are_counted(3)
    found = [(m.key(), int.from_bytes(m.value(), "big")) for m in play.read(target, 12)]
    assert sorted(found) == [
        (word, n) for word, most in ((b"a", 6), (b"b", 3), (b"c", 3)) for n in range(1, most + 1)
    ]
