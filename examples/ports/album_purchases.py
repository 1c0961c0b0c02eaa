"""Album purchases: a table of purchases joined with a table of albums by foreign key.

Java idioms: ``KTable.join`` with a foreign-key extractor as a method reference
(``TrackPurchase::albumId``), ``TableJoined``, a nested builder, deletions that travel through.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from operator import attrgetter

from millstream import (
    Consumed,
    JsonSerde,
    KafkaStreams,
    KTable,
    Materialized,
    Produced,
    Serdes,
    StreamsBuilder,
    StreamsConfig,
    TableJoined,
    Topology,
)

ALBUMS = "albums"
TRACK_PURCHASES = "track-purchases"
MUSIC_INTEREST = "music-interest"


@dataclass(frozen=True)
class Album:
    title: str
    genre: str
    artist: str


@dataclass(frozen=True)
class TrackPurchase:
    song_title: str
    album_id: int
    price: float


@dataclass(frozen=True)
class MusicInterest:
    genre: str
    artist: str
    song_title: str


ALBUM_SERDE = JsonSerde.of(Album)
TRACK_PURCHASE_SERDE = JsonSerde.of(TrackPurchase)
MUSIC_INTEREST_SERDE = JsonSerde.of(MusicInterest)


class MusicInterestJoiner:
    """A ``ValueJoiner``: any object with its method will do."""

    def apply(self, purchase: TrackPurchase, album: Album, /) -> MusicInterest:
        return MusicInterest(album.genre, album.artist, purchase.song_title)


def topology() -> Topology:
    builder = StreamsBuilder()
    albums: KTable[int, Album] = builder.table(ALBUMS, Consumed.with_(Serdes.Long(), ALBUM_SERDE))
    purchases: KTable[int, TrackPurchase] = builder.table(
        TRACK_PURCHASES, Consumed.with_(Serdes.Long(), TRACK_PURCHASE_SERDE)
    )
    music_interest: KTable[int, MusicInterest] = purchases.join(
        albums,
        attrgetter("album_id"),
        MusicInterestJoiner(),
        TableJoined.as_("purchases-albums"),
        Materialized.with_(Serdes.Long(), MUSIC_INTEREST_SERDE),
    )
    music_interest.toStream().to(
        MUSIC_INTEREST, Produced.with_(Serdes.Long(), MUSIC_INTEREST_SERDE)
    )
    return builder.build()


def main() -> None:
    bootstrap_servers = sys.argv[1] if len(sys.argv) > 1 else "localhost:9092"
    props = {
        StreamsConfig.APPLICATION_ID_CONFIG: "fk-join",
        StreamsConfig.BOOTSTRAP_SERVERS_CONFIG: bootstrap_servers,
    }
    KafkaStreams(topology(), props).run()


if __name__ == "__main__":
    main()
