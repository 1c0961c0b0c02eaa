"""Topics and records of a Kafka cluster, for integration tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar, overload

from millstream.core.config import StreamsConfig
from millstream.core.keyvalue import KeyValue
from millstream.core.serdes import Serde
from millstream.testing.broker import creating, producing, reading
from millstream.testing.broker.waiting import Deadline, Timeout, wait_for
from millstream.testing.record import TestRecord
from millstream.topology.spark.clients.settings import client_settings

K = TypeVar("K")
V = TypeVar("V")
T = TypeVar("T")


class KafkaCluster:
    """A Kafka that runs: create its topics, write records to them, read and wait for results.

    For integration tests against any cluster; an `EmbeddedBroker` has the same methods. Each call
    makes clients of its own and closes them, so a broker may stop and start in between.

        kafka = KafkaCluster("localhost:9092")
        kafka.create_topics("lines", "counts")
        kafka.produce("lines", [KeyValue(None, "to be or not to be")])
        counts = kafka.read("counts", 4, value_serde=Serdes.Long())

    Args:
        bootstrap_servers: `host:port`, one or more with commas, or a list of them.
        config: Further settings of Kafka's clients by Kafka's names, such as `security.protocol`
            and `sasl.jaas.config`: what `StreamsConfig` takes.

    Raises:
        ConfigException: A setting is wrong.
    """

    def __init__(
        self,
        bootstrap_servers: str | Sequence[str],
        *,
        config: Mapping[str, Any] | None = None,
    ) -> None:
        servers = bootstrap_servers
        self._servers = servers if isinstance(servers, str) else ",".join(servers)
        given = {"application.id": "millstream-testing", **(config or {})}
        self._clients = client_settings(
            StreamsConfig({**given, "bootstrap.servers": self._servers})
        )

    @property
    def bootstrap_servers(self) -> str:
        """The value for a client's `bootstrap.servers`."""
        return self._servers

    def create_topics(
        self,
        *names: str,
        partitions: int = 1,
        replication_factor: int = 1,
        config: Mapping[str, object] | None = None,
        timeout: Timeout = 60,
    ) -> None:
        """Create topics, and wait until they can be written to and read.

        They take and keep records of any time: `retention.ms` is -1 and
        `message.timestamp.after.max.ms` is the largest number, unless `config` says otherwise. A
        topic that exists is left as it is.

        Args:
            names: Names of the topics.
            partitions: How many partitions each of them has, at least 1.
            replication_factor: How many brokers keep each partition.
            config: Settings of the topics by Kafka's names; None as a value takes the broker's.
            timeout: Seconds, or a `timedelta`.

        Raises:
            TopicMismatchError: A topic exists with another number of partitions, or another value
                of a setting in `config`.
            BrokerError: The broker refuses a topic, or it was not ready in time.
            BrokerNotFoundException: No broker answers.
        """
        wanted = creating.Wanted(names, partitions, replication_factor, dict(config or {}))
        creating.create_topics(self._settings(), wanted, Deadline(timeout))

    def delete_topics(self, *names: str, timeout: Timeout = 60) -> None:
        """Delete topics with their records, and wait until they are gone; missing ones are fine.

        Raises:
            BrokerError: The broker refuses, or they were not gone in time.
        """
        creating.delete_topics(self._settings(), names, Deadline(timeout))

    def topics(self, *, timeout: Timeout = 60) -> dict[str, int]:
        """Return the numbers of partitions of all topics by name, but for Kafka's own (`__...`)."""
        return creating.partition_counts(self._settings(), Deadline(timeout))

    def produce(
        self,
        topic: str,
        records: Iterable[KeyValue[Any, Any] | tuple[Any, Any] | TestRecord[Any, Any]],
        *,
        key_serde: Serde[Any] | None = None,
        value_serde: Serde[Any] | None = None,
        partition: int | None = None,
        timeout: Timeout = 60,
    ) -> None:
        """Write records to a topic; return when the broker has acknowledged all of them.

        Records of one partition stay in their order. A key's partition is the one that every Kafka
        client chooses; records without a key go to the partitions in turn.

        Args:
            topic: A topic that exists.
            records: Pairs, or `TestRecord` objects with time and headers. A record without a time
                gets the present one.
            key_serde: The keys' serde; `Serdes.String()` if it is None.
            value_serde: The values' serde; `Serdes.String()` if it is None.
            partition: The partition of all these records.
            timeout: Seconds, or a `timedelta`.

        Raises:
            ClassCastException: An item is not a record, or the serde does not take its type;
                nothing was written.
            ProduceError: The topic does not exist, or a record was refused or not acknowledged in
                time.
            BrokerNotFoundException: No broker answers.
        """
        target = producing.Target(topic, key_serde, value_serde, partition)
        producing.produce(self._settings(), target, records, Deadline(timeout))

    @overload
    def read(
        self,
        topic: str,
        min_records: int,
        *,
        key_serde: Serde[K],
        value_serde: Serde[V],
        timeout: Timeout = 60,
    ) -> list[TestRecord[K, V]]: ...
    @overload
    def read(
        self, topic: str, min_records: int, *, key_serde: Serde[K], timeout: Timeout = 60
    ) -> list[TestRecord[K, str]]: ...
    @overload
    def read(
        self, topic: str, min_records: int, *, value_serde: Serde[V], timeout: Timeout = 60
    ) -> list[TestRecord[str, V]]: ...
    @overload
    def read(
        self, topic: str, min_records: int, *, timeout: Timeout = 60
    ) -> list[TestRecord[str, str]]: ...
    def read(
        self,
        topic: str,
        min_records: int,
        *,
        key_serde: Serde[Any] | None = None,
        value_serde: Serde[Any] | None = None,
        timeout: Timeout = 60,
    ) -> list[TestRecord[Any, Any]]:
        """Return all records of a topic, once there are at least `min_records`.

        Reads from the beginning, and only what is committed: records of a transaction count when
        it is. The records are in the order of partitions, and of offsets within each.

        Args:
            topic: May be created while the call waits.
            min_records: How many records to wait for; with 0, what is there is returned at once.
            key_serde: The keys' serde; `Serdes.String()` if it is None.
            value_serde: The values' serde; `Serdes.String()` if it is None.
            timeout: Seconds, or a `timedelta`.

        Raises:
            ReadTimeoutError: Fewer records came in time; the error tells how many, shows the last
                ones, and has all of them as `records`.
            SerializationException: A serde cannot read a record.
            BrokerNotFoundException: No broker answers.
        """
        source = reading.Source(topic, key_serde, value_serde)
        return reading.read(self._settings(), source, min_records, Deadline(timeout))

    def wait_for(self, condition: Callable[[], T], timeout: Timeout = 60, message: str = "") -> T:
        """Call `condition` until it returns something true, and return that.

        The same as the function `wait_for` of `millstream.testing.broker`, which says more.
        """
        return wait_for(condition, timeout, message)

    def _settings(self) -> Mapping[str, Any]:
        return self._clients

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.bootstrap_servers!r})"
