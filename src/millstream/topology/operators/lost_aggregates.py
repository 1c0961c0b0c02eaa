"""A warning where an aggregator has changed a new aggregate and returned None: it is lost.

``aggregate(list, lambda key, value, seen: seen.append(value))`` keeps nothing: None deletes the
aggregate, as in Kafka Streams, where a compiler refuses an ``append`` that returns nothing.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from typing import Any

from millstream.core.function_kinds import name_of
from millstream.core.user_code import code_of
from millstream.core.wording import a_kind

log = logging.getLogger(__name__)

_FILLED_IN_PLACE = (bytearray, deque, dict, list, set)

_told: set[str] = set()


def look_at_lost(combine: Callable[..., Any], aggregate: Any) -> None:
    """Warn, once for each aggregator, if what an initializer made has been filled and then lost.

    Args:
        combine: The aggregator, which has returned None.
        aggregate: What it was given: a new aggregate.
    """
    if not isinstance(aggregate, _FILLED_IN_PLACE) or not aggregate:
        return
    code = code_of(combine) or name_of(combine)
    if code not in _told:
        _told.add(code)
        log.warning(
            "an aggregator put something into %s and returned None, which deletes the aggregate: "
            "to keep it, return it; said once for code=%s",
            a_kind(aggregate),
            code,
        )
