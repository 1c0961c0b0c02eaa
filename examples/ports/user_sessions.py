"""User sessions: how many pages a user opened before half an hour of quiet.

Java idioms: a ``TimestampExtractor`` of one's own, ``SessionWindows``, a merged session that comes
back with new bounds (and the deletion of the old one), the window's bounds in the output's key.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

from millstream import (
    Consumed,
    ConsumerRecord,
    Duration,
    Grouped,
    JsonSerde,
    KafkaStreams,
    KeyValue,
    KTable,
    Materialized,
    Produced,
    Serdes,
    SessionWindows,
    StreamsBuilder,
    StreamsConfig,
    TimestampExtractor,
    Topology,
    Windowed,
)

PLAY_EVENTS = "play-events"
PLAY_EVENTS_PER_SESSION = "play-events-per-session"
PLAY_EVENTS_PER_SESSION_STORE = "play-events-per-session-store"

INACTIVITY_GAP = Duration.ofMinutes(30)
GRACE = Duration.ofMinutes(5)


@dataclass(frozen=True)
class PlayEvent:
    user: str
    song_id: int
    opened_at: int
    """Epoch milliseconds, by the user's clock."""


PLAY_EVENT_SERDE = JsonSerde.of(PlayEvent)


class OpenedAtExtractor(TimestampExtractor):
    def extract(self, record: ConsumerRecord[Any, Any], partitionTime: int) -> int:
        event = record.value()
        return event.opened_at if isinstance(event, PlayEvent) else partitionTime


def topology() -> Topology:
    builder = StreamsBuilder()
    play_events = builder.stream(
        PLAY_EVENTS,
        Consumed.with_(Serdes.String(), PLAY_EVENT_SERDE).withTimestampExtractor(
            OpenedAtExtractor()
        ),
    )
    plays_per_session: KTable[Windowed[str], int] = (
        play_events.groupByKey(Grouped.with_(Serdes.String(), PLAY_EVENT_SERDE))
        .windowedBy(SessionWindows.ofInactivityGapAndGrace(INACTIVITY_GAP, GRACE))
        .count(Materialized.as_(PLAY_EVENTS_PER_SESSION_STORE))
    )
    (
        plays_per_session.toStream()
        .map(lambda session, count: KeyValue(session_name(session), count))
        .to(PLAY_EVENTS_PER_SESSION, Produced.with_(Serdes.String(), Serdes.Long()))
    )
    return builder.build()


def session_name(session: Windowed[str]) -> str:
    return f"{session.key()}@{session.window().start()}->{session.window().end()}"


def main() -> None:
    bootstrap_servers = sys.argv[1] if len(sys.argv) > 1 else "localhost:9092"
    props = {
        StreamsConfig.APPLICATION_ID_CONFIG: "session-windows-example",
        StreamsConfig.BOOTSTRAP_SERVERS_CONFIG: bootstrap_servers,
        # A merge is seen at once, not only the last update between two commits.
        StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG: 0,
    }
    KafkaStreams(topology(), props).run()


if __name__ == "__main__":
    main()
