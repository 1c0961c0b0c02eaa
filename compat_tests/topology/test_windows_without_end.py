"""Windows whose size and grace are together more than 64 bits of milliseconds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from millstream import (
    Duration,
    IllegalArgumentException,
    JoinWindows,
    KGroupedStream,
    Materialized,
    Serdes,
    SessionWindows,
    SlidingWindows,
    StreamsBuilder,
    StringDeserializer,
    StringSerializer,
    TimeWindows,
    TopologyTestDriver,
)

FOREVER, SECOND = Duration.ofMillis(2**63 - 1), Duration.ofSeconds(1)
TEXT = Serdes.String()
CONFIG = {"default.key.serde": TEXT, "default.value.serde": TEXT}


@pytest.mark.parametrize(
    "count",
    [
        lambda of: of.windowedBy(TimeWindows.ofSizeAndGrace(FOREVER, SECOND)).count(),
        lambda of: of.windowedBy(TimeWindows.ofSizeAndGrace(SECOND, FOREVER)).count(),
        lambda of: of.windowedBy(SlidingWindows.ofTimeDifferenceAndGrace(FOREVER, SECOND)).count(),
        lambda of: of.windowedBy(SlidingWindows.ofTimeDifferenceAndGrace(SECOND, FOREVER)).count(),
        lambda of: of.windowedBy(SessionWindows.ofInactivityGapAndGrace(FOREVER, SECOND)).count(),
    ],
)
def test_what_no_number_can_say_is_refused_in_kafkas_words(
    count: Callable[[KGroupedStream[Any, Any]], Any],
) -> None:
    stream = StreamsBuilder().stream("in").groupByKey()
    with pytest.raises(IllegalArgumentException, match="retentionPeriod cannot be neg") as caught:
        count(stream)
    assert "STATE-STORE-0000000001" in caught.value.detail
    assert "a grace of" in caught.value.detail
    assert "shorter grace" in caught.value.hint


def test_a_join_whose_stores_would_have_to_keep_more_is_refused() -> None:
    builder = StreamsBuilder()
    left: Any = builder.stream("left")
    windows = JoinWindows.ofTimeDifferenceAndGrace(SECOND, FOREVER)
    left.join(builder.stream("right"), lambda a, b: f"{a}{b}", windows).to("out")
    topology = builder.build()
    with pytest.raises(IllegalArgumentException, match="retentionPeriod cannot be negative"):
        TopologyTestDriver(topology, CONFIG)


def test_the_longest_retention_is_enough_for_any_grace() -> None:
    """Kafka Streams gives the same four results."""
    builder = StreamsBuilder()
    kept: Any = Materialized.as_("counts").withRetention(FOREVER)
    windows = TimeWindows.ofSizeAndGrace(FOREVER, SECOND)
    counts = builder.stream("in").groupByKey().windowedBy(windows).count(kept)
    counts.toStream(lambda key, _: key.key()).mapValues(str).to("out")
    with TopologyTestDriver(builder.build(), CONFIG) as driver:
        source = driver.createInputTopic("in", StringSerializer(), StringSerializer())
        for time in (5, 7, 100_000, 1):
            source.pipeInput("a", "x", time)
        output = driver.createOutputTopic("out", StringDeserializer(), StringDeserializer())
        assert output.readValuesToList() == ["1", "2", "3", "4"]
