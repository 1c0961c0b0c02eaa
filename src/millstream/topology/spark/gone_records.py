"""Error for records that the broker has deleted unread while the query ran, from Spark's report."""

from __future__ import annotations

import re

from millstream.core.errors import StreamsException

NO_RESET = (
    "Choose the policy earliest to go on with the oldest records that are left, or "
    "reset the application (millstream reset)."
)
"""What to do about unread records that are gone, where the reset policy is ``none``."""
_REPORT = "Some data may have been lost because they are not available in Kafka any more"
_REASON = re.compile(
    r"Reason:\s*(.*?)\.?\s*(?:with consumer group|SQLSTATE|===|Caused by|$)", re.DOTALL
)


def gone_records_from(text: str) -> StreamsException | None:
    """Return the error for unread records that are gone; None if the text has no word of them.

    Spark fails a query so only where a topic's reset policy is ``none``.
    """
    if _REPORT not in text:
        return None
    reason = _REASON.search(text)
    said = f"{' '.join(reason[1].split())}. " if reason else ""
    return StreamsException(
        "the broker has deleted records that the application has not read",
        detail=f"{said}The reset policy of a topic that is read together with it is none.",
        hint=NO_RESET,
    )
