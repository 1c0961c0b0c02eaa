"""Names that no topic can have: refused with what to change, before the broker is asked."""

from __future__ import annotations

import pytest

from millstream import StreamsBuilder, StreamsConfig, StreamsException
from millstream.topology.spark.driver.brokers import Brokers, written_topics


def config(application_id: str = "app", **more: str) -> StreamsConfig:
    entries = {"application.id": application_id, "bootstrap.servers": "127.0.0.1:9", **more}
    return StreamsConfig(entries)


def brokers(application_id: str = "app") -> Brokers:
    """Return a client of a broker that is not there."""
    return Brokers(config(application_id))


@pytest.mark.parametrize("topic", ["bad topic", "é", "x" * 250, ".."])
def test_a_sink_that_cannot_exist_is_not_to_be_created_first(topic: str) -> None:
    with pytest.raises(StreamsException, match="no topic can have this name") as caught:
        brokers().sink_sizes([topic], {})
    assert "errors.dead.letter.queue.topic.name" in caught.value.hint


def test_a_dead_letter_queue_without_a_name_is_refused_before_the_first_record_for_it() -> None:
    builder = StreamsBuilder()
    builder.stream("in").to("out")
    plan, key = builder.build().plan(), "errors.dead.letter.queue.topic.name"
    assert written_topics(plan, config()) == ["out"]
    with pytest.raises(StreamsException, match='topic "": no topic can have this name') as caught:
        brokers().sink_sizes(written_topics(plan, config(**{key: ""})), {"out": 1})
    assert key in caught.value.hint


@pytest.mark.parametrize("application_id", ["a b", "é", "x" * 240])
def test_internal_topics_show_what_is_wrong_with_the_application_id(application_id: str) -> None:
    with pytest.raises(StreamsException, match="cannot create internal topic") as caught:
        brokers(application_id).create_progress_topics(1, {})
    assert "application.id" in caught.value.hint
