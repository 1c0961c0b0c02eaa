"""Event deduplication: values that come again within the window, at times that the test gives."""

from __future__ import annotations

from examples.ports.event_deduplication import (
    INPUT_TOPIC,
    OUTPUT_TOPIC,
    WINDOW_SIZE,
    DeduplicationProcessor,
    id_of,
    topology,
)
from millstream import (
    Duration,
    MockProcessorContext,
    Record,
    Serdes,
    Stores,
    StringDeserializer,
    StringSerializer,
    TopologyTestDriver,
)


def test_an_event_passes_once_within_the_window() -> None:
    with TopologyTestDriver(topology()) as driver:
        events = driver.createInputTopic(INPUT_TOPIC, StringSerializer(), StringSerializer())
        passed = driver.createOutputTopic(OUTPUT_TOPIC, StringDeserializer(), StringDeserializer())
        minute = Duration.ofMinutes(1).toMillis()
        for event, at in (("a", 0), ("b", 1), ("a", 4), ("a", 8), ("", 9), ("", 9), ("a", 14)):
            events.pipeInput("k", event, at * minute)
        # "a" of minute 8 is a duplicate of that of minute 4, which made it be kept for longer.
        assert passed.readValuesToList() == ["a", "b", "", "", "a"]


def test_the_processor_alone_forwards_what_it_has_not_seen() -> None:
    context: MockProcessorContext[str, str] = MockProcessorContext()
    store = (
        Stores.windowStoreBuilder(
            Stores.inMemoryWindowStore("eventId-store", WINDOW_SIZE, WINDOW_SIZE, False),
            Serdes.String(),
            Serdes.Long(),
        )
        .withLoggingDisabled()
        .build()
    )
    store.init(context.getStateStoreContext(), store)
    context.addStateStore(store)
    processor = DeduplicationProcessor(WINDOW_SIZE, id_of)
    processor.init(context)
    for _ in range(2):
        processor.process(Record("k", "a", 0))
    assert [each.record() for each in context.forwarded()] == [Record("k", "a", 0)]
