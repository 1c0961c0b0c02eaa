"""English text that comes with Python: the topics of `help()`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from pydoc_data.topics import topics


def lines() -> Iterator[str]:
    """The lines of Python's help texts that are not blank, round and round."""
    found = (line.strip() for text in topics.values() for line in text.splitlines())
    return cycle([line for line in found if line])
