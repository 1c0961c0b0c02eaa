"""A real Kafka broker for tests and demos: `with EmbeddedBroker() as broker: ...`."""

from millstream.testing.broker.embedded import EmbeddedBroker as EmbeddedBroker
from millstream.testing.broker.errors import BrokerError as BrokerError
from millstream.testing.broker.errors import BrokerExitedError as BrokerExitedError
from millstream.testing.broker.errors import PortTakenError as PortTakenError
