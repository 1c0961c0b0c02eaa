"""Errors of an embedded broker."""

from __future__ import annotations

from millstream.core.errors import MillstreamError


class BrokerError(MillstreamError):
    """A call of the embedded broker failed; base class of the errors of this module."""


class PortTakenError(BrokerError):
    """Another process listens on the broker's port."""


class BrokerExitedError(BrokerError):
    """The broker's process ended, or does not answer; the error has the end of its log."""
