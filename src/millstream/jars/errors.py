"""Errors for a missing Java, and for jars that cannot be fetched or checked."""

from __future__ import annotations

from millstream.core.errors import MillstreamError


class JarError(MillstreamError):
    """A needed jar is not available; base class of the errors of this package."""


class JavaNotFoundError(JarError):
    """Java is not installed, or is older than 17."""


class JarFetchError(JarError):
    """The jars cannot be fetched: no network, a missing jar, or an unwritable cache."""


class JarChecksumError(JarError):
    """A fetched jar is not the one that the lock names."""
