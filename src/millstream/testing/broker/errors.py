"""Errors of an embedded broker."""

from __future__ import annotations

from millstream.core.errors import MillstreamError


class BrokerError(MillstreamError):
    """The embedded broker cannot do what was asked; base of the errors of this module."""


class PortTakenError(BrokerError):
    """Another process listens on the port that the broker was given."""


class BrokerExitedError(BrokerError):
    """The broker's process ended, or does not answer; the message holds the end of its log."""
