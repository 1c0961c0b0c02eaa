"""Headers for the serdes of an operator's own stores: those of the current record."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millstream.core.headers import Headers
from millstream.core.serdes import Serde
from millstream.core.serdes.base import needs_headers


def want_headers(*serdes: Serde[Any]) -> bool:
    """Return whether one of some serdes reads or changes headers."""
    return any(needs_headers(serde.serializer(), serde.deserializer()) for serde in serdes)


def current_headers(context: Any, *, wanted: bool) -> Callable[[], Headers | None]:
    """Return a function of the current record's headers; of None where none are ``wanted``."""
    if not wanted:
        return _none

    def headers() -> Headers:
        record = context.record_context
        return Headers() if record is None else record.headers()

    return headers


def _none() -> None:
    return None
