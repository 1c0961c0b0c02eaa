"""Errors of the benchmark."""

from __future__ import annotations

from millstream.core.errors import MillstreamError


class BenchmarkError(MillstreamError):
    """A side failed, or its results are wrong."""
