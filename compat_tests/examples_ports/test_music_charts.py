"""Music charts: what the stores have, read from the driver; the service is tried on Spark."""

from __future__ import annotations

from examples.ports.music_charts import (
    PLAY_EVENT_SERDE,
    PLAY_EVENTS,
    SONG_FEED,
    SONG_SERDE,
    TOP_FIVE_SONGS_BY_GENRE_STORE,
    PlayEvent,
    Song,
    SongPlayCount,
    topology,
)
from millstream import LongSerializer, StringSerializer, TopologyTestDriver

SONGS = [Song(number, "Fresh Fruit", f"song {number}", "punk") for number in range(1, 8)]


def test_the_five_songs_played_most_are_in_the_chart() -> None:
    with TopologyTestDriver(topology()) as driver:
        feed = driver.createInputTopic(SONG_FEED, LongSerializer(), SONG_SERDE.serializer())
        plays = driver.createInputTopic(
            PLAY_EVENTS, StringSerializer(), PLAY_EVENT_SERDE.serializer()
        )
        for song in SONGS:
            feed.pipeInput(song.id, song)
        for song in SONGS:
            for _ in range(song.id):
                plays.pipeInput("UK", PlayEvent(song.id, 60_000))
        # Too short to count.
        plays.pipeInput("UK", PlayEvent(1, 1_000))

        chart = driver.getKeyValueStore(TOP_FIVE_SONGS_BY_GENRE_STORE).get("punk")
        assert chart.songs == tuple(SongPlayCount(number, number) for number in (7, 6, 5, 4, 3))
