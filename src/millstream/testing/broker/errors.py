"""Errors of an embedded broker, and of calls for integration tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millstream.core.errors import MillstreamError


class BrokerError(MillstreamError):
    """A call of a broker failed; base class of the errors of this module."""


class PortTakenError(BrokerError):
    """Another process listens on the broker's port."""


class BrokerExitedError(BrokerError):
    """The broker's process ended, or does not answer; the error has the end of its log."""


class TopicMismatchError(BrokerError):
    """A topic exists, and is not as `create_topics` was told to make it."""


class ProduceError(BrokerError):
    """The broker did not acknowledge every record; some of them may be in the topic."""


class WaitTimeoutError(BrokerError, TimeoutError):
    """A condition did not become true in time; its cause is what the condition raised last."""


class ReadTimeoutError(WaitTimeoutError):
    """A topic did not have enough records in time."""

    records: Sequence[Any] = ()
    """The records that came, as `TestRecord`."""
