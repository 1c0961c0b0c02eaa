"""Findings of `millstream doctor`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check."""

    status: str
    """``ok``, ``warning``, ``broken`` or ``skipped``."""
    what: str
    text: str
    cure: str = ""


def fine(what: str, text: str) -> Finding:
    """Return the finding that all is well."""
    return Finding("ok", what, text)


def warning(what: str, text: str, cure: str) -> Finding:
    """Return the finding that something may become a problem."""
    return Finding("warning", what, text, cure)


def broken(what: str, text: str, cure: str) -> Finding:
    """Return the finding that an application cannot run so."""
    return Finding("broken", what, text, cure)
