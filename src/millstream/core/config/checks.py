"""Checks of what a configuration is made of and asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from millstream.core.arguments import text_or_none
from millstream.core.errors import ClassCastException, NullPointerException
from millstream.core.wording import a_kind


def checked_entries(given: Any, parameter: str) -> Mapping[Any, Any]:
    """Return entries of a configuration.

    Raises:
        NullPointerException: They are None.
        ClassCastException: They are no mapping.
    """
    if given is None:
        raise NullPointerException(f"{parameter} can't be null", hint="Give {} for no entries.")
    if not isinstance(given, Mapping):
        raise ClassCastException(
            f"{parameter} cannot be {a_kind(given)}",
            hint='Give a mapping, such as {"application.id": "orders"}.',
        )
    return given


def checked_text(given: Any, parameter: str) -> str:
    """Return a key, or the beginning of keys.

    Raises:
        NullPointerException: It is None.
        ClassCastException: It is no text.
    """
    if given is None:
        raise NullPointerException(f"{parameter} can't be null")
    if not isinstance(given, str):
        raise ClassCastException(f"{parameter} cannot be {a_kind(given)}", hint="Give a text.")
    return given


def prefixed(prefix: str, name: object, parameter: str) -> str:
    """Return a key with a prefix; as in Kafka, that of a null is "null".

    Raises:
        ClassCastException: The name is no text.
    """
    found = text_or_none(name, parameter, "Give the name of a setting.")
    return f"{prefix}{'null' if found is None else found}"
