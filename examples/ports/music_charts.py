"""Music charts: plays of songs, the top five of each genre, and a service that answers questions.

Java idioms: a ``KStream``-``KTable`` join after ``selectKey``, a table regrouped into one row per
genre, interactive queries by ``QueryableStoreTypes`` and by ``KeyQuery``, ``@GET`` methods of a
REST class (plain methods; any web framework can call them), ``Optional`` (None).
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

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


@dataclass(frozen=True)
class TopFive:
    """The five songs with the most plays; a ``TreeSet`` with a comparator in Java."""

    songs: tuple[SongPlayCount, ...] = ()

    def add(self, song: SongPlayCount) -> TopFive:
        songs = sorted((*self._without(song), song), key=lambda each: (-each.plays, each.song_id))
        return TopFive(tuple(songs[:5]))

    def remove(self, song: SongPlayCount) -> TopFive:
        return TopFive(self._without(song))

    def _without(self, song: SongPlayCount) -> tuple[SongPlayCount, ...]:
        return tuple(each for each in self.songs if each.song_id != song.song_id)


PLAY_EVENT_SERDE = JsonSerde.of(PlayEvent)
SONG_SERDE = JsonSerde.of(Song)
SONG_PLAY_COUNT_SERDE = JsonSerde.of(SongPlayCount)
TOP_FIVE_SERDE = JsonSerde.of(TopFive)


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
        streams.start()
        service = MusicPlaysRestService(streams)
        for line in sys.stdin:
            print(service.genre_chart(line.strip()))


if __name__ == "__main__":
    main()
