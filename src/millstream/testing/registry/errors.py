"""Errors of an embedded schema registry."""

from __future__ import annotations

from millstream.core.errors import MillstreamError


class RegistryError(MillstreamError):
    """A call of the embedded registry failed; base class of the errors of this module."""


class RegistryPortTakenError(RegistryError):
    """Another process listens on the registry's port."""


class RegistryExitedError(RegistryError):
    """The registry's process ended, or does not answer; the error has the end of its log."""
