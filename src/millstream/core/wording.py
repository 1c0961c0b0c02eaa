"""Words of error messages: nouns with their articles, other errors."""

from __future__ import annotations

import builtins
from pickle import PicklingError
from typing import Any

VOWELS = tuple("aeiou")
LIKE_CONSONANTS = ("eu", "one", "uni", "us", "uu")
_LOOKED_UP = (": Can't pickle ", ": Can't get attribute ")
"""How errors of pickle begin, which has not found a class by its name."""


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


def printable(text: str) -> str:
    """Return a text as UTF-8 can write it: half of a surrogate pair becomes its number.

    Python has such halves in names of files that are not UTF-8, and reads them from JSON.

    Example:
        >>> printable("caf\\xe9"), printable("\\udce9.py")
        ('caf\xe9', '\\\\udce9.py')
    """
    return text.encode("utf-8", "backslashreplace").decode()


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


def hint_of_main(error: BaseException) -> str:
    """Return what to do where pickle has looked for a class in another main module.

    A serde that pickles works in a test, and not in a worker, which has a main module of its own.
    What counts is the first of an error's causes.

    Example:
        >>> hint_of_main(AttributeError("Can't get attribute 'Order' on <module '__main__'>"))[:25]
        "Spark's workers have anot"
        >>> hint_of_main(AttributeError("an Order has no '__main__'"))
        ''
    """
    first = _first_cause(error)
    text = said(first) if isinstance(first, PicklingError | AttributeError) else ""
    if "__main__" not in text or not any(each in text for each in _LOOKED_UP):
        return ""
    return (
        "Spark's workers have another main module, and pickle finds a class by its module and "
        "name: move the class to a module that the program imports."
    )


def _first_cause(error: BaseException) -> BaseException:
    met = {id(error)}
    # A user's errors may be causes of each other.
    while error.__cause__ is not None and id(error.__cause__) not in met:
        error = error.__cause__
        met.add(id(error))
    return error
