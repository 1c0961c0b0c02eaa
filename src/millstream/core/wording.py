"""Articles of nouns in error messages."""

from __future__ import annotations

import builtins

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
    """Return the name of an object's type with its article.

    The module is added for a type that has the name of a builtin and is not one.

    Example:
        >>> a_kind(5)
        'an int'
    """
    kind = type(value)
    if hasattr(builtins, kind.__name__) and kind.__module__ != builtins.__name__:
        return a(f"{kind.__module__}.{kind.__name__}")
    return a(kind.__name__)
