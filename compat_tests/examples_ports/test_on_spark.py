"""Two ports on Spark and a real broker: what they write exactly once, and what they answer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from examples.ports import ledger, music_charts
from examples.ports.ledger import BALANCES, REJECTED, TRANSACTION_SERDE, TRANSACTIONS, Transaction
from examples.ports.music_charts import (
    PLAY_EVENT_SERDE,
    PLAY_EVENTS,
    SONG_FEED,
    SONG_SERDE,
    MusicPlaysRestService,
    PlayEvent,
    Song,
    SongPlayCount,
)
from millstream import KafkaStreams, Serdes, StreamsConfig, TestRecord
from millstream.testing.broker import KafkaCluster, wait_for

if TYPE_CHECKING:
    from compat_tests.kafka.fixture import KafkaServer

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


@pytest.fixture
def cluster(kafka: KafkaServer) -> KafkaCluster:
    return KafkaCluster(kafka.bootstrap_servers)


def settings(cluster: KafkaCluster, directory: Path, name: str) -> dict[str, Any]:
    return {
        StreamsConfig.APPLICATION_ID_CONFIG: name,
        StreamsConfig.BOOTSTRAP_SERVERS_CONFIG: cluster.bootstrap_servers,
        StreamsConfig.STATE_DIR_CONFIG: str(directory),
        StreamsConfig.PROCESSING_GUARANTEE_CONFIG: StreamsConfig.EXACTLY_ONCE_V2,
    }


def test_the_ledger_writes_balances_exactly_once(
    spark: Any, cluster: KafkaCluster, tmp_path: Path
) -> None:
    cluster.create_topics(TRANSACTIONS, BALANCES, REJECTED, ledger.STATEMENTS, partitions=2)
    cents = [("alice", 500), ("bob", 100), ("alice", -600), ("bob", -100), ("alice", -500)]
    sent = [
        TestRecord(name, Transaction(f"t{number}", amount), number)
        for number, (name, amount) in enumerate(cents)
    ]
    config = settings(cluster, tmp_path, "ledger-on-spark")
    # The second run goes on where the first one stopped.
    for part, balances_so_far in ((sent[:2], 2), (sent[2:], 4)):
        cluster.produce(TRANSACTIONS, part, value_serde=TRANSACTION_SERDE)
        with KafkaStreams(ledger.topology(), config, spark=spark):
            cluster.read(BALANCES, balances_so_far, value_serde=Serdes.Long(), timeout=120)
    balances = cluster.read(BALANCES, 4, value_serde=Serdes.Long())
    rejected = cluster.read(REJECTED, 1, value_serde=TRANSACTION_SERDE)
    assert [each.value() for each in balances if each.key() == "alice"] == [500, 0]
    assert [each.value() for each in balances if each.key() == "bob"] == [100, 0]
    assert [each.value().id for each in rejected] == ["t2"]
    assert rejected[0].headers().lastHeader(ledger.REASON).value() == b"insufficient funds"


@pytest.mark.long
def test_the_music_charts_answer(spark: Any, cluster: KafkaCluster, tmp_path: Path) -> None:
    cluster.create_topics(PLAY_EVENTS, SONG_FEED)
    songs = [Song(number, "Fresh Fruit", f"song {number}", "punk") for number in (1, 2, 3)]
    cluster.produce(
        SONG_FEED,
        [TestRecord(song.id, song, 0) for song in songs],
        key_serde=Serdes.Long(),
        value_serde=SONG_SERDE,
    )
    plays = [
        TestRecord("UK", PlayEvent(song.id, 60_000), 5) for song in songs for _ in range(song.id)
    ]
    cluster.produce(PLAY_EVENTS, plays, value_serde=PLAY_EVENT_SERDE)
    config = settings(cluster, tmp_path, "music-charts-on-spark")
    with KafkaStreams(music_charts.topology(), config, spark=spark) as streams:
        service = MusicPlaysRestService(streams)
        chart = wait_for(lambda: service.genre_chart("punk"), 120)
        assert chart == [SongPlayCount(number, number) for number in (3, 2, 1)]
        assert service.song(2) == songs[1]
        assert service.song(4) is None
        assert service.genre_chart("polka") == []
