"""``distinct`` of windowed streams as an operator: the first record of each key and window."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from millstream.core.errors import UnsupportedOperationException
from millstream.core.windows import SessionWindows, SlidingWindows
from millstream.plugins import OperatorTraits, StreamOperator
from millstream.topology.deduplication.firsts import FirstInSession, FirstInWindow
from millstream.topology.dsl.arguments import ABSENT, name_and_store
from millstream.topology.dsl.materialize import emits_on_close
from millstream.topology.dsl.options import Materialized

_PREFIX = "KSTREAM-DISTINCT-"


@dataclass(frozen=True)
class Distinct(StreamOperator):
    """``distinct([named][, materialized])``: a table of first records.

    A row that was forwarded never changes. A session's row has the bounds that the session
    had with its first record; the store has them as they are now, so that later records are found
    to belong to it.

    Source: KIP-655, its first form.
    """

    named: Any = ABSENT
    materialized: Any = ABSENT

    name = "distinct"
    traits = OperatorTraits(of_windows=True)

    def expand(self, upstream: Any) -> Any:
        """Return the table.

        Raises:
            UnsupportedOperationException: The windows slide, or are to be emitted on close.
        """
        named, how = name_and_store(self.name, self.named, self.materialized)
        windows = upstream._windows
        if isinstance(windows, SlidingWindows):
            raise UnsupportedOperationException(
                "distinct() is not for sliding windows",
                detail="Each record begins windows of its own there, so none would be left out.",
                hint="Use TimeWindows or SessionWindows, or KStream.deduplicateByKey().",
            )
        if emits_on_close(upstream._emit):
            raise UnsupportedOperationException(
                "distinct() cannot emit on window close",
                detail="The first record is the result at once.",
                hint="Leave emitStrategy() out.",
            )
        processor = FirstInSession if isinstance(windows, SessionWindows) else FirstInWindow
        # A cache would delay the first record, and show sessions as they have become.
        how = (how or Materialized()).withCachingDisabled()
        serde = upstream.grouping.value_serde
        return upstream.table(_PREFIX, named, how, serde, partial(processor, windows))
