"""Album purchases: both sides trigger results, and deletions travel."""

from __future__ import annotations

from examples.ports.album_purchases import (
    ALBUM_SERDE,
    ALBUMS,
    MUSIC_INTEREST,
    MUSIC_INTEREST_SERDE,
    TRACK_PURCHASE_SERDE,
    TRACK_PURCHASES,
    Album,
    MusicInterest,
    TrackPurchase,
    topology,
)
from millstream import KeyValue, LongDeserializer, LongSerializer, TopologyTestDriver


def test_purchases_find_their_album() -> None:
    with TopologyTestDriver(topology()) as driver:
        albums = driver.createInputTopic(ALBUMS, LongSerializer(), ALBUM_SERDE.serializer())
        purchases = driver.createInputTopic(
            TRACK_PURCHASES, LongSerializer(), TRACK_PURCHASE_SERDE.serializer()
        )
        interest = driver.createOutputTopic(
            MUSIC_INTEREST, LongDeserializer(), MUSIC_INTEREST_SERDE.deserializer()
        )
        purchases.pipeInput(100, TrackPurchase("Houses of the Holy", 5, 0.99))
        assert interest.isEmpty()
        albums.pipeInput(5, Album("Physical Graffiti", "Rock", "Led Zeppelin"))
        albums.pipeInput(6, Album("Highway to Hell", "Rock", "AC/DC"))
        purchases.pipeInput(200, TrackPurchase("Touch Too Much", 6, 0.99))
        assert interest.readKeyValuesToList() == [
            KeyValue(100, MusicInterest("Rock", "Led Zeppelin", "Houses of the Holy")),
            KeyValue(200, MusicInterest("Rock", "AC/DC", "Touch Too Much")),
        ]
        purchases.pipeInput(100, None)
        assert interest.readKeyValuesToList() == [KeyValue(100, None)]
