"""The error that ends a release."""

from __future__ import annotations


class Refused(Exception):
    """Something is not as a release needs it; the text says what, and what to do."""
