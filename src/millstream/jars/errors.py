"""What can go wrong with Java and with the jars that it runs."""

from __future__ import annotations

from millstream.core.errors import MillstreamError


class JarError(MillstreamError):
    """A jar that millstream needs cannot be had; base of the errors of this package."""


class JavaNotFoundError(JarError):
    """There is no Java here, or only one older than 17."""


class JarFetchError(JarError):
    """The jars cannot be fetched: no network, no such jar, or a cache that cannot be written."""


class JarChecksumError(JarError):
    """A fetched jar is not the one that the lock names."""
