"""The sink's writer on a real broker: a batch is written once, whoever tries again."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest
from confluent_kafka import KafkaError, Message, Producer, ThrottleEvent
from confluent_kafka import KafkaException as ClientException

from compat_tests.kafka.topics import create_topic
from compat_tests.spark.support import Playground
from millstream import Header, Headers, StreamsConfig, StreamsException
from millstream.core.errors import (
    InvalidTopicException,
    RecordTooLargeException,
    TaskMigratedException,
)
from millstream.topology.spark.admission.group import Group
from millstream.topology.spark.arrow_headers import headers_column
from millstream.topology.spark.clients.connecting import ConnectionErrors
from millstream.topology.spark.clients.deadlines import in_time
from millstream.topology.spark.job import Job
from millstream.topology.spark.ownership import Claim, Mark
from millstream.topology.spark.wire import binary_column, encode_chunk
from millstream.topology.spark.worker.refused_records import (
    Deliveries,
    Unsent,
    not_written,
    refused_record,
)
from millstream.topology.spark.worker.sink_rules import ConsumedRange
from millstream.topology.spark.worker.writers import SinkWriter


def chunk(*values: bytes, time: int = 1) -> bytes:
    return encode_chunk(
        keys=binary_column([b"k"] * len(values)),
        values=binary_column(values),
        timestamps=pa.array([time] * len(values), pa.int64()),
    )


def values(play: Playground, topic: str, count: int, **more: float) -> list[bytes | None]:
    return [value for _, value in play.pairs(topic, count, **more)]


def test_a_batch_is_written_once_whichever_worker_repeats_it(job: Job, play: Playground) -> None:
    source, target = play.topic("in", 1), play.topic("out", 1)
    one, other = SinkWriter(job, 0), SinkWriter(job, 0)

    assert one.write(0, [(target, chunk(b"a", b"b"))], [(source, 0, 2)]) is True
    assert one.write(0, [(target, chunk(b"a", b"b"))], [(source, 0, 2)]) is False
    assert other.write(0, [(target, chunk(b"a", b"b"))], [(source, 0, 2)]) is False
    assert other.write(1, [(target, chunk(b"c"))], [(source, 0, 3)]) is True
    assert one.write(2, [(target, chunk(b"d"))], [(source, 0, 4)]) is True
    assert other.write(2, [(target, chunk(b"d"))], [(source, 0, 4)]) is False

    assert values(play, target, 4, more=0.5) == [b"a", b"b", b"c", b"d"]
    assert play.committed(play.name, source) == {0: 4}
    assert play.committed(play.name, job.progress_topic) == {0: 3}
    one.close()
    other.close()


def test_what_another_checkpoint_has_written_does_not_count(job: Job, play: Playground) -> None:
    target = play.topic("out", 1)
    before, after = SinkWriter(job, 1), SinkWriter(replace(job, checkpoint_id="c2"), 1)

    assert before.write(7, [(target, chunk(b"a"))], []) is True
    assert after.write(0, [(target, chunk(b"b"))], []) is True

    assert values(play, target, 2) == [b"a", b"b"]
    before.close()
    after.close()


def test_a_writer_stops_when_another_instance_has_claimed_the_application(
    job: Job, play: Playground
) -> None:
    source, target = play.topic("in", 1), play.topic("out", 1)
    create_topic(play.servers, job.owner_topic)
    guarantee = "exactly_once_v2" if job.exactly_once else "at_least_once"
    group = Group(StreamsConfig(play.config(processing_guarantee=guarantee)))
    own = Claim(number=1, checkpoint="c1", instance="i1", host="h", machine="m", location="/c")
    group.commit(own)
    writer = SinkWriter(replace(job, instance="i1"), 0)
    assert writer.write(0, [(target, chunk(b"a"))], [(source, 0, 1)]) is True

    group.commit(replace(own, number=2, checkpoint="c2", instance="i2", location="/d"))
    if job.exactly_once:
        group.fence(2)
    for _ in range(2):
        with pytest.raises(TaskMigratedException, match="another instance") as caught:
            writer.write(1, [(target, chunk(b"b"))], [(source, 0, 2)])
        assert '"/d" on machine "h"' in caught.value.detail

    successor = SinkWriter(replace(job, checkpoint_id="c2", instance="i2"), 0)
    group.commit(own, {(source, 0): 1}, {}, Mark("c2", "driver").text())
    with pytest.raises(TaskMigratedException):
        successor.write(0, [(target, chunk(b"b"))], [(source, 0, 2)])
    group.commit(replace(own, number=2, checkpoint="c2", instance="i2"))
    assert successor.write(0, [(target, chunk(b"b"))], [(source, 0, 2)]) is True
    assert values(play, target, 2, more=0.5) == [b"a", b"b"]
    writer.close()
    successor.close()


def test_a_batch_that_an_older_checkpoint_plans_anew_is_refused(job: Job, play: Playground) -> None:
    source, target = play.topic("in", 1), play.topic("out", 1)
    writer = SinkWriter(job, 0)
    for number in range(3):
        place = ConsumedRange(source, 0, number + 1, number)
        assert writer.write(number, [(target, chunk(b"%d" % number))], [place]) is True

    restored = SinkWriter(job, 0)
    for batch, first, following in ((1, 1, 3), (2, 2, 9), (3, 2, 4)):
        with pytest.raises(StreamsException, match="is older than what has been written"):
            restored.write(
                batch, [(target, chunk(b"x"))], [ConsumedRange(source, 0, following, first)]
            )
    assert restored.write(2, [(target, chunk(b"2"))], [ConsumedRange(source, 0, 3, 2)]) is False
    assert values(play, target, 3, more=0.5) == [b"0", b"1", b"2"]
    writer.close()
    restored.close()


def test_a_partition_that_does_not_exist_is_a_typed_error(job: Job, play: Playground) -> None:
    target = play.topic("out", 1)
    blob = encode_chunk(
        keys=binary_column([b"k"]),
        values=binary_column([b"v"]),
        timestamps=pa.array([1], pa.int64()),
        partitions=pa.array([5], pa.int32()),
    )
    writer = SinkWriter(job, 0)
    with pytest.raises(StreamsException, match="sink partition 0"):
        writer.write(0, [(target, blob)], [])
    assert writer.write(0, [(target, chunk(b"good"))], []) is True

    assert values(play, target, 1, more=0.5) == [b"good"]
    writer.close()


def test_an_event_time_of_zero_stays_what_it_is(job: Job, play: Playground) -> None:
    source, target = play.topic("in", 1), play.topic("out", 3)
    one, other = SinkWriter(job, 0), SinkWriter(job, 0)
    batches = [[("a", 5)], [("b", 0), ("c", 7)], [("d", 9)], [("e", 0)]]

    for number, batch in enumerate(batches):
        output = [(target, chunk(value.encode(), time=time)) for value, time in batch]
        offset = [(source, 0, number + 1)]
        assert one.write(number, output, offset) is True
        assert one.write(number, output, offset) is False
        assert other.write(number, output, offset) is False

    found = play.read(target, 5, more=0.5)
    assert [(m.value().decode(), m.timestamp()[1]) for m in found] == sum(batches, [])
    # Both clients put a key on the same partition.
    assert len({m.partition() for m in found}) == 1
    assert play.committed(play.name, source) == {0: 4}
    assert play.committed(play.name, job.progress_topic) == {0: 4}
    one.close()
    other.close()


def test_an_event_time_of_zero_stays_without_key_and_value(job: Job, play: Playground) -> None:
    target = play.topic("out", 1)
    blob = encode_chunk(
        keys=binary_column([None, None]),
        values=binary_column([None, b""]),
        timestamps=pa.array([0, 0], pa.int64()),
        headers=headers_column([Headers([Header("h", b"")]), None]),
    )
    writer = SinkWriter(job, 0)
    assert writer.write(0, [(target, blob)], []) is True

    first, second = play.read(target, 2)
    assert (first.key(), first.value(), first.timestamp()[1]) == (None, None, 0)
    assert first.headers() == [("h", b"")]
    assert (second.key(), second.value(), second.timestamp()[1]) == (None, b"", 0)
    writer.close()


def test_null_headers_come_through_at_the_cost_of_time_zero(job: Job, play: Playground) -> None:
    target = play.topic("out", 1)
    blob = encode_chunk(
        keys=binary_column([b"a", b"b"]),
        values=binary_column([b"1", b"2"]),
        timestamps=pa.array([0, 7], pa.int64()),
        headers=headers_column([Headers([Header("h", None)]), None]),
    )
    writer = SinkWriter(job, 0)
    assert writer.write(0, [(target, blob)], []) is True

    first, second = play.read(target, 2)
    assert first.headers() == [("h", None)]
    assert second.timestamp()[1] == 7
    writer.close()


@pytest.mark.parametrize(
    ("settings", "size"),
    [({}, 1_500_000), ({"message.max.bytes": 5_000_000}, 3_000_000)],
    ids=["for the producer", "for the topic"],
)
def test_a_record_that_is_too_large_is_named_with_topic_size_and_setting(
    job: Job, play: Playground, settings: dict[str, int], size: int
) -> None:
    target = play.topic("out", 1)
    writer = SinkWriter(replace(job, producer={**job.producer, **settings}), 0)
    with pytest.raises(StreamsException, match=f"a record of {size + 1:,} bytes") as caught:
        writer.write(0, [(target, chunk(b"a", b"b" * size))], [])
    assert f'topic "{target}"' in caught.value.problem
    assert "producer.max.request.size" in caught.value.hint
    assert "production.exception.handler is asked only" in caught.value.hint
    assert isinstance(caught.value.__cause__, RecordTooLargeException)
    writer.close()


@pytest.mark.parametrize("exactly_once", [True, False])
@pytest.mark.parametrize(("most", "size"), [(100_000, 200), (9_000, 200), (100_000, 90_000)])
def test_a_topic_that_takes_small_batches_only_gets_its_records(
    job: Job, play: Playground, most: int, size: int, exactly_once: bool
) -> None:
    """Kafka's producer splits a batch that is refused for its size."""
    target, count = f"{play.name}-small", 400_000 // size
    create_topic(play.servers, target, partitions=1, **{"max.message.bytes": str(most)})
    writer = SinkWriter(replace(job, exactly_once=exactly_once), 0)
    writer.write(0, [(target, chunk(*[b"b" * size] * count))], [])
    writer.close()
    if exactly_once:
        assert len(play.pairs(target, count, more=0.5)) == count
    else:
        assert len(play.pairs(target, count)) >= count


def test_a_topic_that_takes_small_batches_only_gets_its_records_of_event_time_zero(
    job: Job, play: Playground
) -> None:
    target, count = f"{play.name}-small", 200
    create_topic(play.servers, target, partitions=1, **{"max.message.bytes": "5000"})
    writer = SinkWriter(job, 0)
    sent = [b"%d" % number * 100 for number in range(count)]
    writer.write(0, [(target, chunk(*sent, time=0))], [])
    writer.close()
    found = play.read(target, count, more=0.5)
    assert [message.value() for message in found] == sent
    assert {message.timestamp()[1] for message in found} == {0}


@pytest.mark.parametrize("time", [1, 0])
def test_a_record_that_is_too_large_is_named_among_small_ones(
    job: Job, play: Playground, time: int
) -> None:
    target = f"{play.name}-small"
    create_topic(play.servers, target, partitions=1, **{"max.message.bytes": "100000"})
    writer = SinkWriter(job, 0)
    blob = chunk(*[b"b"] * 500, b"b" * 120_000, *[b"b"] * 500, time=time)
    with pytest.raises(StreamsException, match="a record of 120,001 bytes") as caught:
        writer.write(0, [(target, blob)], [])
    assert "the broker takes less for this topic" in caught.value.detail
    writer.close()


@pytest.mark.parametrize("case", ["headers", "event time 0"])
def test_a_record_that_its_producer_does_not_take_is_named(
    job: Job, play: Playground, case: str
) -> None:
    target, content = play.topic("out", 1), b"b" * 1_500_000
    blob = chunk(content, time=0)
    if case == "headers":
        blob = encode_chunk(
            keys=binary_column([b"k"]),
            values=binary_column([b""]),
            timestamps=pa.array([1], pa.int64()),
            headers=headers_column([Headers([Header("", content)])]),
        )
    writer = SinkWriter(job, 0)
    with pytest.raises(StreamsException, match="a record of 1,500,001 bytes") as caught:
        writer.write(0, [(target, blob)], [])
    assert isinstance(caught.value.__cause__, RecordTooLargeException)
    writer.close()


def test_records_are_as_large_as_kafkas_producer_sends_them(job: Job, play: Playground) -> None:
    """Its limit is 1,048,576 bytes; librdkafka's own is 1,000,000."""
    target = play.topic("out", 1)
    writer = SinkWriter(job, 0)
    writer.write(0, [(target, chunk(b"b" * 1_048_000))], [])
    assert [len(value or b"") for _, value in play.pairs(target, 1)] == [1_048_000]
    writer.close()


@pytest.mark.parametrize("case", ["far ahead", "no key"])
def test_a_record_that_the_topic_refuses_is_named_with_the_reason(
    job: Job, play: Playground, case: str
) -> None:
    far = 32_503_680_000_000
    if case == "far ahead":
        setting, time, key = ("message.timestamp.after.max.ms", "3600000"), far, b"k"
        said, hint = f"they are from {far} to {far} ms", "message.timestamp.after.max.ms"
    else:
        setting, time, key = ("cleanup.policy", "compact"), 1, None
        said, hint = "does not take a record", "takes no record without a key"
    target = f"{play.name}-strict"
    create_topic(play.servers, target, partitions=1, **dict([setting]))
    blob = encode_chunk(
        keys=binary_column([key]),
        values=binary_column([b"v"]),
        timestamps=pa.array([time], pa.int64()),
    )
    writer = SinkWriter(job, 0)
    with pytest.raises(StreamsException, match=said) as caught:
        writer.write(0, [(target, blob)], [])
    assert f'topic "{target}"' in caught.value.problem
    assert hint in caught.value.hint
    writer.close()


@pytest.mark.parametrize("code", [KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._UNKNOWN_TOPIC])
def test_a_topic_that_does_not_exist_is_named_first(code: int) -> None:
    failure = refused_record(
        "sink partition 0 cannot write",
        ClientException(KafkaError(code)),
        Unsent("orders", 3),
        {},
        [],
    )
    assert failure is not None
    assert failure.problem == 'topic "orders" to write to does not exist'
    assert "Create the topic" in failure.hint
    assert isinstance(failure.__cause__, InvalidTopicException)


@pytest.mark.parametrize("held_back", [0.0, 2.5])
def test_a_batch_that_a_quota_made_too_slow_names_the_quota(
    job: Job, held_back: float, caplog: pytest.LogCaptureFixture
) -> None:
    sent = Deliveries()
    sent.throttled(ThrottleEvent("broker", 1, held_back / 10))
    assert not caplog.messages
    if held_back:
        sent.throttled(ThrottleEvent("broker", 1, 1.5))
        sent.throttled(ThrottleEvent("broker", 1, held_back))
        sent.throttled(ThrottleEvent("broker", 1, 0.0))
        # Told while it goes on, too: it may take long until the batch has failed.
        (told,) = caplog.messages
        assert "for up to 1.5 s a request: a quota" in told
    error = ClientException(KafkaError(KafkaError._MSG_TIMED_OUT))
    failure = not_written(job, 0, error, [], ConnectionErrors(), sent)
    assert ("for up to 2.5 s a request: a quota" in failure.detail) == bool(held_back)
    assert ("Raise the quota" in failure.hint) == bool(held_back)


def test_records_that_a_failed_transaction_purges_do_not_hide_why_it_failed() -> None:
    sent, record = Deliveries(), Message(topic="out", value=b"v")
    sent(KafkaError(KafkaError._PURGE_QUEUE), record)
    assert (sent.failed, sent.unsent) == (None, None)
    sent(KafkaError(KafkaError.UNKNOWN_TOPIC_OR_PART), record)
    sent(KafkaError(KafkaError.MSG_SIZE_TOO_LARGE), record)
    assert sent.failed is not None
    assert (sent.failed.code(), sent.unsent) == (3, Unsent("out", 1))


@pytest.mark.parametrize("topics", [["out"], ["a", "out"]])
def test_a_right_to_write_that_is_missing_names_the_topics_it_may_be(
    job: Job, topics: list[str]
) -> None:
    error = ClientException(KafkaError(KafkaError.TOPIC_AUTHORIZATION_FAILED))
    outputs = [(each, chunk(b"v")) for each in topics]
    failure = not_written(job, 0, error, outputs, ConnectionErrors(), Deliveries())
    assert failure.more == (("topic" if len(topics) == 1 else "topics", ", ".join(topics)),)
    assert f"--topic {'out' if len(topics) == 1 else 'TOPIC'} " in failure.hint


@pytest.mark.parametrize("job", [True], indirect=True, ids=["exactly_once_v2"])
def test_a_fatal_error_is_raised_as_the_clients_own(job: Job, play: Playground) -> None:
    """Where it calls what hears of the records within it, Python tells a SystemError."""
    target = play.topic("out", 1)
    heard = Deliveries()
    settings = {**job.producer, "transactional.id": play.name, "log_level": 0}
    fenced, later = Producer({**settings, "on_delivery": heard}), Producer(settings)
    fenced.init_transactions(30)
    fenced.begin_transaction()
    later.init_transactions(30)
    fenced.produce(target, b"a")
    with pytest.raises(ClientException) as caught:
        in_time("flush", lambda: fenced.flush(30))
    assert caught.value.args[0].fatal()
