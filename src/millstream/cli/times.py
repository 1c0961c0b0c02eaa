"""Times that a user writes."""

from __future__ import annotations

import re
from datetime import datetime, timezone


def moment(text: str) -> datetime:
    """Return the time of a text such as ``2026-01-31T12:00:00.5Z``; without a zone it is UTC.

    Raises:
        ValueError: The text has another form.
    """
    # Python 3.10 knows neither Z nor fractions of other lengths than 3 and 6.
    plain = re.sub(r"Z$", "+00:00", text.strip(), flags=re.IGNORECASE)
    plain = re.sub(r"\.(\d+)", lambda match: f".{match[1]:0<6.6}", plain)
    found = datetime.fromisoformat(plain)
    return found if found.tzinfo is not None else found.replace(tzinfo=timezone.utc)
