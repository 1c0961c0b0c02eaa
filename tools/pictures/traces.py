"""Traces: what a topology writes after each record, on the test driver."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from millstream import Serdes, StreamsBuilder
from millstream.testing import TopologyTestDriver

MINUTE = 60_000
OUT = "out"


@dataclass(frozen=True)
class Event:
    """A record of the input, at a minute of event time."""

    minute: float
    value: str | None
    topic: str = "in"
    key: str = "k"


@dataclass(frozen=True)
class Written:
    """A record of the output, at a minute of event time."""

    key: str
    value: str | None
    minute: float


def trace(add: Callable[[StreamsBuilder], None], events: Sequence[Event]) -> list[list[Written]]:
    """Return the records of the topic "out" after each event; keys and values are text.

    Args:
        add: Adds the topology, which writes to "out".
        events: The input, in the order of its arrival.
    """
    text = Serdes.String()
    builder = StreamsBuilder()
    add(builder)
    config = {"default.key.serde": text, "default.value.serde": text}
    found: list[list[Written]] = []
    with TopologyTestDriver(builder.build(), config, initialWallClockTime=0) as driver:
        out: Any = driver.createOutputTopic(OUT, text.deserializer(), text.deserializer())
        inputs = {
            topic: driver.createInputTopic(topic, text.serializer(), text.serializer())
            for topic in {event.topic for event in events}
        }
        for event in events:
            inputs[event.topic].pipeInput(event.key, event.value, int(event.minute * MINUTE))
            found.append(
                [
                    Written(each.key(), each.value(), each.timestamp() / MINUTE)
                    for each in out.readRecordsToList()
                ]
            )
    return found
