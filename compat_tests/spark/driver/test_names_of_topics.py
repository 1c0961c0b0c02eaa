"""Names that no topic can have: refused with what to change, before the broker is asked."""

from __future__ import annotations

import pytest

from millstream import StreamsConfig, StreamsException
from millstream.topology.spark.driver.brokers import Brokers


def brokers(application_id: str = "app") -> Brokers:
    """Return a client of a broker that is not there."""
    entries = {"application.id": application_id, "bootstrap.servers": "127.0.0.1:9"}
    return Brokers(StreamsConfig(entries))


@pytest.mark.parametrize("topic", ["bad topic", "é", "x" * 250, ".."])
def test_a_sink_that_cannot_exist_is_not_to_be_created_first(topic: str) -> None:
    with pytest.raises(StreamsException, match="no topic can have this name") as caught:
        brokers().sink_sizes([topic], {})
    assert "errors.dead.letter.queue.topic.name" in caught.value.hint


@pytest.mark.parametrize("application_id", ["a b", "é", "x" * 240])
def test_internal_topics_show_what_is_wrong_with_the_application_id(application_id: str) -> None:
    with pytest.raises(StreamsException, match="cannot create internal topic") as caught:
        brokers(application_id).create_progress_topics(1, {})
    assert "application.id" in caught.value.hint
