"""Music charts: plays of songs, the top five of each genre, and a service that answers questions.

Java idioms: a ``KStream``-``KTable`` join after ``selectKey``, a table regrouped into one row per
genre, interactive queries by ``QueryableStoreTypes`` and by ``KeyQuery``, ``@GET`` methods of a
REST class (plain methods; any web framework can call them), ``Optional`` (None).
"""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from typing import Any

from examples.ports.json_records import json_serde
from millstream import (
    Consumed,
    Duration,
    Grouped,
    Joined,
    JsonSerde,
    KafkaStreams,
    KeyQuery,
    KeyValue,
    KStream,
    KTable,
    Materialized,
    QueryableStoreTypes,
    ReadOnlyKeyValueStore,
    Serde,
    Serdes,
    StateQueryRequest,
    StoreQueryParameters,
    StreamsBuilder,
    StreamsConfig,
    Topology,
)

PLAY_EVENTS = "play-events"
SONG_FEED = "song-feed"
ALL_SONGS = "all-songs"
SONG_PLAY_COUNT_STORE = "song-play-count"
TOP_FIVE_SONGS_BY_GENRE_STORE = "top-five-songs-by-genre"
MIN_CHARTABLE_DURATION = Duration.ofSeconds(30)


@dataclass(frozen=True)
class PlayEvent:
    song_id: int
    duration_ms: int


@dataclass(frozen=True)
class Song:
    id: int
    artist: str
    name: str
    genre: str


@dataclass(frozen=True)
class SongPlayCount:
    song_id: int
    plays: int


class TopFive:
    """The five songs with the most plays; what ``TopFiveSongs`` is in Java, with a ``TreeSet``."""

    def __init__(self, songs: tuple[SongPlayCount, ...] = ()) -> None:
        self.songs = tuple(sorted(songs, key=lambda song: (-song.plays, song.song_id))[:5])

    def add(self, song: SongPlayCount) -> TopFive:
        return TopFive((*self._without(song.song_id), song))

    def remove(self, song: SongPlayCount) -> TopFive:
        return TopFive(self._without(song.song_id))

    def _without(self, song_id: int) -> tuple[SongPlayCount, ...]:
        return tuple(song for song in self.songs if song.song_id != song_id)


def to_json(top: Any) -> Any:
    return [asdict(song) for song in top.songs]


def from_json(songs: list[dict[str, Any]]) -> TopFive:
    return TopFive(tuple(SongPlayCount(**song) for song in songs))


PLAY_EVENT_SERDE = json_serde(PlayEvent)
SONG_SERDE = json_serde(Song)
SONG_PLAY_COUNT_SERDE = json_serde(SongPlayCount)
TOP_FIVE_SERDE: Serde[TopFive] = JsonSerde(to_json, from_json)


def topology() -> Topology:
    builder = StreamsBuilder()
    play_events = builder.stream(PLAY_EVENTS, Consumed.with_(Serdes.String(), PLAY_EVENT_SERDE))
    songs: KTable[int, Song] = builder.table(
        SONG_FEED,
        Consumed.with_(Serdes.Long(), SONG_SERDE),
        Materialized.as_(ALL_SONGS),
    )
    plays: KStream[int, Song] = (
        play_events.filter(
            lambda region, event: event.duration_ms >= MIN_CHARTABLE_DURATION.toMillis()
        )
        .selectKey(lambda region, event: event.song_id)
        .join(
            songs,
            lambda event, song: song,
            Joined.with_(Serdes.Long(), PLAY_EVENT_SERDE, SONG_SERDE),
        )
    )
    song_play_counts: KTable[Song, int] = plays.groupBy(
        lambda song_id, song: song, Grouped.with_(SONG_SERDE, SONG_SERDE)
    ).count(Materialized.as_(SONG_PLAY_COUNT_STORE))
    song_play_counts.groupBy(
        lambda song, count: KeyValue(song.genre, SongPlayCount(song.id, count)),
        Grouped.with_(Serdes.String(), SONG_PLAY_COUNT_SERDE),
    ).aggregate(
        TopFive,
        lambda genre, song, top: top.add(song),
        lambda genre, song, top: top.remove(song),
        Materialized.as_(TOP_FIVE_SONGS_BY_GENRE_STORE).withValueSerde(TOP_FIVE_SERDE),
    )
    return builder.build()


class MusicPlaysRestService:
    """What the service answers."""

    def __init__(self, streams: KafkaStreams) -> None:
        self._streams = streams

    def genre_chart(self, genre: str) -> list[SongPlayCount]:
        """Version 2: one key."""
        query: KeyQuery[str, TopFive] = KeyQuery.withKey(genre)
        request = StateQueryRequest.inStore(TOP_FIVE_SONGS_BY_GENRE_STORE).withQuery(query)
        result = self._streams.query(request).getOnlyPartitionResult()
        return [] if result is None else list(result.getResult().songs)

    def song(self, song_id: int) -> Song | None:
        """Version 1: a view of the store."""
        store: ReadOnlyKeyValueStore[int, Song] = self._streams.store(
            StoreQueryParameters.fromNameAndType(ALL_SONGS, QueryableStoreTypes.keyValueStore())
        )
        return store.get(song_id)


def main() -> None:
    bootstrap_servers = sys.argv[1] if len(sys.argv) > 1 else "localhost:9092"
    props = {
        StreamsConfig.APPLICATION_ID_CONFIG: "kafka-music-charts",
        StreamsConfig.BOOTSTRAP_SERVERS_CONFIG: bootstrap_servers,
    }
    with KafkaStreams(topology(), props) as streams:
        service = MusicPlaysRestService(streams)
        for line in sys.stdin:
            print(service.genre_chart(line.strip()))


if __name__ == "__main__":
    main()
