"""Words of errors that hang on other words."""

from __future__ import annotations

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
    """Return what an object is: its type's name with its article.

    Example:
        >>> a_kind(5)
        'an int'
    """
    return a(type(value).__name__)
