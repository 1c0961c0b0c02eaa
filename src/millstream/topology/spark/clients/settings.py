"""Settings of Kafka clients outside the JVM: Java's names translated to librdkafka's."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn, TypeVar

from confluent_kafka import KafkaError
from confluent_kafka import KafkaException as ClientException

from millstream.core import errors
from millstream.core.config import StreamsConfig
from millstream.core.config.client_names import PRODUCER_NAMES
from millstream.core.config.clients import (
    given_settings,
    plain_admin_settings,
    plain_consumer_settings,
    plain_producer_settings,
)
from millstream.topology.spark.clients.fitted import fitted, fitted_for_sinks
from millstream.topology.spark.clients.rights import Right, kind_of, not_allowed
from millstream.topology.spark.clients.security import (
    as_text,
    connector_security,
    librdkafka_security,
)

T = TypeVar("T")

_RENAMED = {
    "max.request.size": "message.max.bytes",
    "send.buffer.bytes": "socket.send.buffer.bytes",
    "receive.buffer.bytes": "socket.receive.buffer.bytes",
}
_SHARED = (
    "bootstrap.servers",
    "client.id",
    "connections.max.idle.ms",
    "metadata.max.age.ms",
    "reconnect.backoff.ms",
    "reconnect.backoff.max.ms",
    "retry.backoff.ms",
    "socket.receive.buffer.bytes",
    "socket.send.buffer.bytes",
)
_SECURITY = ("security.protocol", "ssl.", "sasl.", "enable.ssl.")
_PRODUCER = (
    "acks",
    "batch.size",
    "compression.type",
    "delivery.timeout.ms",
    "linger.ms",
    "max.in.flight.requests.per.connection",
    "message.max.bytes",
    "request.timeout.ms",
    "retries",
    "transaction.timeout.ms",
)
_COORDINATOR_COMES = (
    KafkaError.NOT_COORDINATOR,
    KafkaError.COORDINATOR_NOT_AVAILABLE,
    KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
    KafkaError.UNSTABLE_OFFSET_COMMIT,
    KafkaError._WAIT_COORD,
)
_FENCED = (KafkaError._FENCED, KafkaError.PRODUCER_FENCED, KafkaError.INVALID_PRODUCER_EPOCH)
_CAUSES: dict[int | None, type[errors.MillstreamError]] = {
    **dict.fromkeys(_FENCED, errors.ProducerFencedException),
    KafkaError._MSG_TIMED_OUT: errors.TimeoutException,
    KafkaError._TIMED_OUT: errors.TimeoutException,
    KafkaError.REQUEST_TIMED_OUT: errors.TimeoutException,
    KafkaError.MSG_SIZE_TOO_LARGE: errors.RecordTooLargeException,
    KafkaError.UNKNOWN_TOPIC_OR_PART: errors.InvalidTopicException,
    KafkaError._UNKNOWN_TOPIC: errors.InvalidTopicException,
}
_HINTS: dict[int | None, str] = {
    KafkaError.INVALID_TRANSACTION_TIMEOUT: "Give producer.transaction.timeout.ms (60,000 unless "
    "it is set) a value that is not above the broker's transaction.max.timeout.ms.",
    KafkaError.INVALID_REPLICATION_FACTOR: "Set replication.factor to no more than the number of "
    "brokers that are up.",
    KafkaError.UNKNOWN_MEMBER_ID: "The group has members: another program has this "
    "application.id as its group.id or application.id, such as a consumer or Kafka Streams "
    "(kafka-consumer-groups --describe --members shows it). Stop it, or give one of them another "
    "name; then start the application again.",
    KafkaError._UNKNOWN_PARTITION: "The topic has fewer partitions than when the application "
    "started: it was deleted and made again. Start the application again; it then knows them.",
    KafkaError.TOPIC_EXCEPTION: "Names of topics that differ only in '.' and '_' collide. Those of "
    "internal topics begin with application.id; give the application another one.",
}
"""What to do about a refusal that is the same at each attempt."""
_NEW_PRODUCER_NEEDED = (
    *_FENCED,
    KafkaError._INCONSISTENT,
    KafkaError._STATE,
    KafkaError.INVALID_PRODUCER_ID_MAPPING,
    KafkaError.INVALID_TXN_STATE,
    KafkaError.OUT_OF_ORDER_SEQUENCE_NUMBER,
    KafkaError.UNKNOWN_PRODUCER_ID,
)
_TRANSIENT = (
    *_COORDINATOR_COMES,
    KafkaError._ALL_BROKERS_DOWN,
    KafkaError._MSG_TIMED_OUT,
    KafkaError._PURGE_INFLIGHT,
    KafkaError._PURGE_QUEUE,
    KafkaError._TIMED_OUT,
    KafkaError._TIMED_OUT_QUEUE,
    KafkaError._TRANSPORT,
    KafkaError.BROKER_NOT_AVAILABLE,
    KafkaError.CONCURRENT_TRANSACTIONS,
    # A leader has just been chosen, and a client or a broker does not know it yet.
    KafkaError.ELIGIBLE_LEADERS_NOT_AVAILABLE,
    KafkaError.FENCED_LEADER_EPOCH,
    KafkaError.KAFKA_STORAGE_ERROR,
    KafkaError.LEADER_NOT_AVAILABLE,
    KafkaError.LISTENER_NOT_FOUND,
    KafkaError.NETWORK_EXCEPTION,
    KafkaError.NOT_ENOUGH_REPLICAS,
    KafkaError.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
    KafkaError.NOT_LEADER_FOR_PARTITION,
    KafkaError.OFFSET_NOT_AVAILABLE,
    KafkaError.PREFERRED_LEADER_NOT_AVAILABLE,
    KafkaError.REPLICA_NOT_AVAILABLE,
    KafkaError.REQUEST_TIMED_OUT,
    KafkaError.UNKNOWN_LEADER_EPOCH,
)
"""Kafka's Java clients try again after these, too."""
_STARTING = "currently fenced"
"""Kafka's words for brokers that do not take part yet; the code is that of a wrong setting."""
# A connection to a coordinator is always a second attempt: librdkafka looks for it under no name
# first. The pause is doubled after each failure, up to ``reconnect.backoff.max.ms``.
_FIRST_PAUSE = {"reconnect.backoff.ms": 20}
_LONGEST_MS = 10_000
"""The longest pause of librdkafka where none is given."""
PRODUCER_DEFAULTS: dict[str, Any] = {
    # The same partitioner as that of Kafka's Java producer.
    "partitioner": "murmur2_random",
    "queue.buffering.max.messages": 2_000_000,
    "queue.buffering.max.kbytes": 1_048_576,
    "delivery.report.only.error": True,
    "linger.ms": 20,
    "batch.size": 262_144,
    "batch.num.messages": 100_000,
    # Kafka's max.request.size; librdkafka's own default is a little less.
    "message.max.bytes": 1_048_576,
    # Longer than a batch's output can take to write.
    "transaction.timeout.ms": 60_000,
}


def reaches_librdkafka(name: str, *, producer: bool) -> bool:
    """Return whether a setting of Kafka's clients is passed on to the sinks' or the admin's."""
    wanted = _SHARED + _PRODUCER if producer else _SHARED
    return _RENAMED.get(name, name) in wanted or name.startswith(_SECURITY)


def client_settings(config: StreamsConfig) -> dict[str, Any]:
    """Return the settings of admin clients; ``admin.`` entries win.

    Raises:
        ConfigException: An entry for TLS or SASL is wrong, or not supported by every client.
    """
    return _common(plain_admin_settings(config))


def producer_settings(config: StreamsConfig) -> dict[str, Any]:
    """Return the settings of the sinks' producers; ``producer.`` entries win.

    Raises:
        ConfigException: As above.
    """
    given = given_settings(config, "producer.", PRODUCER_NAMES)
    own = plain_producer_settings(config, exactly_once=config.exactly_once())
    settings = _common(own) | PRODUCER_DEFAULTS
    settings |= _translated(given, _SHARED + _PRODUCER)
    return fitted_for_sinks(_pausing(settings))


def consumer_settings(
    config: StreamsConfig, group: str, prefix: str = "main.consumer."
) -> dict[str, Any]:
    """Return the settings of a client that reads and commits a group's offsets.

    Args:
        config: The application's configuration.
        group: The group.
        prefix: Start of the entries that win.

    Raises:
        ConfigException: As above.
    """
    own = plain_consumer_settings(config, prefix, exactly_once=config.exactly_once())
    return _common(own) | {
        "group.id": group,
        "enable.auto.commit": False,
        "isolation.level": "read_committed",
    }


def _common(settings: Mapping[str, Any]) -> dict[str, Any]:
    # Errors are raised; librdkafka would write each attempt to connect to stderr.
    quiet = {"log_level": 2}
    fixed = librdkafka_security(settings) | quiet
    return fitted(_pausing(_FIRST_PAUSE | _translated(settings, _SHARED) | fixed))


def _pausing(settings: dict[str, Any]) -> dict[str, Any]:
    """Return settings whose first pause is not above the longest: librdkafka makes no client."""
    first, longest = (settings.get(f"reconnect.backoff.{each}") for each in ("ms", "max.ms"))
    if longest is None:
        # As in Kafka, a pause that is given alone is the longest as well.
        given = int(settings.get("reconnect.backoff.ms") or 0)
        return settings | ({"reconnect.backoff.max.ms": given} if given > _LONGEST_MS else {})
    return settings | {"reconnect.backoff.ms": min(int(first or 0), int(longest))}


def connector_settings(config: StreamsConfig, prefix: str = "main.consumer.") -> dict[str, str]:
    """Return the options of Spark's Kafka source that come from the configuration.

    Args:
        config: The application's configuration.
        prefix: Start of the entries that win; another one for the source of global stores.
    """
    settings = plain_consumer_settings(config, prefix, exactly_once=config.exactly_once())
    refused = {"auto.offset.reset", "enable.auto.commit", "group.id", "key.deserializer"}
    refused |= {"value.deserializer", "interceptor.classes", "max.poll.records", "group.protocol"}
    refused |= {"client.id", "group.instance.id", "allow.auto.create.topics"}
    fixed = {
        # Every poll costs the connector three more requests; large polls halve the time of a read.
        "max.poll.records": 65_536,
        # What a poll returns is on the heap at once, some 2 kB for a record with ten headers: with
        # 16 MB the JVM's garbage collector had twice the work.
        "max.partition.fetch.bytes": 4_194_304,
        # The connector reads existing records only. A prefetch past the end would block its next
        # request for as long as the broker waits for new records: 500 ms of every batch.
        "fetch.max.wait.ms": 1,
    }
    given = {
        key: value
        for key, value in settings.items()
        if key not in refused and not key.startswith(_SECURITY) and not of_python(value)
    }
    given |= connector_security(settings)
    return {f"kafka.{key}": as_text(value) for key, value in (fixed | given).items()}


def of_python(value: Any) -> bool:
    """Tell whether a list has classes or objects of Python, such as metrics reporters.

    Kafka's client, in the JVM, would look for a Java class of such a name.
    """
    return isinstance(value, list | tuple) and not all(isinstance(each, str) for each in value)


def kafka_error(
    problem: str, error: BaseException, *, hint: str = "", needed: Iterable[Right] = ()
) -> errors.StreamsException:
    """Return the typed error for a failure of a client, caused by Kafka's own error.

    Args:
        problem: What was attempted.
        error: The client's error.
        hint: What to do.
        needed: The rights that the request needs, for a user who lacks one.
    """
    own = _own(error)
    detail = own.str() if isinstance(own, KafkaError) else str(own)
    hint = _HINTS.get(code_of(error), hint)
    if _is_starting(own):
        hint = "Look why the brokers do not take part in the cluster, or start it again later."
    if (kind := kind_of(code_of(error))) is not None:
        right = next((each for each in needed if each.kind == kind), Right("it", kind))
        if len(error.args) > 1 and kind == "topic":
            right = Right(right.operation, kind, str(error.args[1]))
        return not_allowed(problem, right, detail)
    raised = errors.StreamsException(problem, detail=detail, hint=hint)
    cause = _CAUSES.get(code_of(error))
    if cause is None and is_transient(error):
        # Retried until the time was over.
        cause = errors.TimeoutException
    raised.__cause__ = error if cause is None else cause(problem, detail=detail)
    return raised


def raise_kafka_error(problem: str, error: BaseException, needed: Iterable[Right] = ()) -> NoReturn:
    """Raise the typed error for a failure of a client, with its own cause.

    ``raise kafka_error(...) from error`` would replace that cause by the client's error.
    """
    raised = kafka_error(problem, error, needed=needed)
    raise raised from raised.__cause__


def with_coordinator(call: Callable[[], T], timeout_s: float) -> T:
    """Return the result of ``call``, retried while the group's coordinator is not available.

    librdkafka raises these errors; in a new cluster they occur for a moment.
    """
    give_up = time.monotonic() + timeout_s
    while True:
        try:
            return call()
        except ClientException as error:
            if code_of(error) not in _COORDINATOR_COMES or time.monotonic() > give_up:
                raise
            time.sleep(0.05)


def needs_new_producer(error: BaseException) -> bool:
    """Return whether a new producer is needed: this one is fenced, or its state is invalid."""
    own = _own(error)
    return isinstance(own, KafkaError) and (own.fatal() or own.code() in _NEW_PRODUCER_NEEDED)


def is_transient(error: BaseException) -> bool:
    """Return whether a failure is transient, such as a broker's restart."""
    own = _own(error)
    return isinstance(own, KafkaError) and (
        own.retriable() or own.code() in _TRANSIENT or _is_starting(own)
    )


def _is_starting(own: Any) -> bool:
    code = own.code() if isinstance(own, KafkaError) else None
    return code == KafkaError.INVALID_REPLICATION_FACTOR and _STARTING in own.str()


def code_of(error: BaseException) -> int | None:
    """Return Kafka's code of a failure of a client; None for another error."""
    own = _own(error)
    return own.code() if isinstance(own, KafkaError) else None


def _own(error: BaseException) -> Any:
    """Return librdkafka's error, which the client's exception holds; others as they are."""
    return error.args[0] if isinstance(error, ClientException) and error.args else error


def _translated(settings: Mapping[str, Any], wanted: tuple[str, ...]) -> dict[str, Any]:
    found = {}
    for key, value in settings.items():
        name = _RENAMED.get(key, key)
        if name in wanted:
            if isinstance(value, (list, tuple)):
                value = ",".join(map(str, value))
            if value not in (None, ""):
                found[name] = value
    return found
