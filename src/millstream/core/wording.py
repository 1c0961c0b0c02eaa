"""Words of error messages: nouns with their articles, other errors."""

from __future__ import annotations

import builtins
from typing import Any

VOWELS = tuple("aeiou")
LIKE_CONSONANTS = ("eu", "one", "uni", "us", "uu")


def a(noun: str) -> str:
    """Return a noun with its article.

    Example:
        >>> a("int"), a("str"), a("UUID"), a("observer")
        ('an int', 'a str', 'a UUID', 'an observer')
    """
    low = noun.lower()
    article = "an" if low.startswith(VOWELS) and not low.startswith(LIKE_CONSONANTS) else "a"
    return f"{article} {noun}"


def a_kind(value: object) -> str:
    """Return the name of an object's type with its article; of a class, that it is one.

    The module is added for a type that has the name of a builtin and is not one.

    Example:
        >>> a_kind(5), a_kind(int)
        ('an int', 'the class int')
    """
    if isinstance(value, type):
        return f"the class {value.__name__}"
    kind = type(value)
    if hasattr(builtins, kind.__name__) and kind.__module__ != builtins.__name__:
        return a(f"{kind.__module__}.{kind.__name__}")
    return a(kind.__name__)


def plain_text(text: Any) -> str:
    """Return a ``str`` as no subclass of it: of a member of a ``str`` enum its value, not its name.

    Example:
        >>> from enum import Enum
        >>> class Topic(str, Enum):
        ...     ORDERS = "orders"
        >>> plain_text(Topic.ORDERS)
        'orders'
    """
    return text if type(text) is str else str.__str__(text)


def said(error: BaseException) -> str:
    """Return an error's type and text; a user's error may have no text, or fail to give it.

    Example:
        >>> said(ValueError("too long")), said(AssertionError())
        ('ValueError: too long', 'AssertionError')
    """
    kind = type(error).__name__
    try:
        text = str(error)
    except Exception as failed:  # noqa: BLE001 - a user's __str__ may raise anything
        return f"{kind} (its __str__ raised {type(failed).__name__})"
    return f"{kind}: {text}" if text else kind
