"""Results of methods that nothing takes up: a record that is returned goes nowhere."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

from millstream.core.errors import ClassCastException
from millstream.core.function_kinds import check_result, has_every_name
from millstream.core.keyvalue import KeyValue
from millstream.core.records import FixedKeyRecord, Record
from millstream.core.wording import a_kind

log = logging.getLogger(__name__)

_RECORDS = (Record, FixedKeyRecord, KeyValue)


def check_unused(result: Any, role: str) -> None:
    """Refuse what was returned to be sent on: records, or an iterator, which nobody asks.

    Raises:
        ClassCastException: It is such a thing, or a coroutine.

    Example:
        >>> check_unused(Record("a", 1, 0), "process()")
        Traceback (most recent call last):
            ...
        millstream.core.errors.ClassCastException: process() returned a Record, which goes nowhere
          hint: Forward each record with context.forward(record), and return nothing.
    """
    check_result(result, role)
    # A method of a MagicMock returns another one, which can be iterated.
    if has_every_name(result):
        return
    if isinstance(result, (*_RECORDS, Iterator)):
        what = a_kind(result)
    elif isinstance(result, list | tuple) and any(isinstance(each, _RECORDS) for each in result):
        what = f"{a_kind(result)} of records"
    else:
        return
    raise ClassCastException(
        f"{role} returned {what}, which goes nowhere",
        hint="Forward each record with context.forward(record), and return nothing.",
    )


def warn_unused(result: Any, processor: object) -> bool:
    """Say that what ``process`` has returned is dropped; tell whether it was worth a word.

    A list of nothing but None is what ``[context.forward(each) for each in records]`` makes.
    """
    if isinstance(result, list | tuple) and all(each is None for each in result):
        return False
    log.warning(
        "processor=%s process() returned %s, which is dropped: forward what is to go on with "
        "context.forward(record); said once for each processor",
        type(processor).__qualname__,
        a_kind(result),
    )
    return True
