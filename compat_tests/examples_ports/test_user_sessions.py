"""User sessions: sessions that grow and merge, read record by record with their times."""

from __future__ import annotations

from examples.ports.user_sessions import (
    INACTIVITY_GAP,
    PLAY_EVENT_SERDE,
    PLAY_EVENTS,
    PLAY_EVENTS_PER_SESSION,
    PLAY_EVENTS_PER_SESSION_STORE,
    PlayEvent,
    topology,
)
from millstream import Duration, KeyValue, Serdes, TopologyTestDriver

MINUTE = Duration.ofMinutes(1).toMillis()
GAP = INACTIVITY_GAP.toMillis()


def test_an_event_between_two_sessions_makes_one_of_them() -> None:
    with TopologyTestDriver(topology()) as test_driver:
        events = test_driver.createInputTopic(
            PLAY_EVENTS, Serdes.String().serializer(), PLAY_EVENT_SERDE.serializer()
        )
        counts = test_driver.createOutputTopic(
            PLAY_EVENTS_PER_SESSION, Serdes.String().deserializer(), Serdes.Long().deserializer()
        )

        def play(minute: int) -> None:
            # The extractor takes the event's own time; the record's is another one.
            events.pipeInput("jo", PlayEvent("jo", 1, minute * MINUTE), 0)

        for minute in (0, 10, 41):
            play(minute)
        assert counts.readKeyValuesToList() == [
            KeyValue("jo@0->0", 1),
            KeyValue("jo@0->0", None),
            KeyValue(f"jo@0->{10 * MINUTE}", 2),
            KeyValue(f"jo@{41 * MINUTE}->{41 * MINUTE}", 1),
        ]

        # Late, but within gap and grace of both.
        play(30)
        assert counts.readKeyValuesToMap() == {
            f"jo@0->{10 * MINUTE}": None,
            f"jo@{41 * MINUTE}->{41 * MINUTE}": None,
            f"jo@0->{41 * MINUTE}": 4,
        }
        with test_driver.getSessionStore(PLAY_EVENTS_PER_SESSION_STORE).fetch("jo") as sessions:
            assert [(each.key.window().end(), each.value) for each in sessions] == [
                (41 * MINUTE, 4)
            ]

        events.pipeInput("jo", PlayEvent("jo", 1, 41 * MINUTE + GAP + 1), 0)
        assert counts.readValue() == 1
