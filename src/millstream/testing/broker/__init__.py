"""A real Kafka broker for tests and demos, and what integration tests do with one."""

from millstream.testing.broker.cluster import KafkaCluster as KafkaCluster
from millstream.testing.broker.embedded import EmbeddedBroker as EmbeddedBroker
from millstream.testing.broker.errors import BrokerError as BrokerError
from millstream.testing.broker.errors import BrokerExitedError as BrokerExitedError
from millstream.testing.broker.errors import PortTakenError as PortTakenError
from millstream.testing.broker.errors import ProduceError as ProduceError
from millstream.testing.broker.errors import ReadTimeoutError as ReadTimeoutError
from millstream.testing.broker.errors import TopicMismatchError as TopicMismatchError
from millstream.testing.broker.errors import WaitTimeoutError as WaitTimeoutError
from millstream.testing.broker.waiting import wait_for as wait_for
