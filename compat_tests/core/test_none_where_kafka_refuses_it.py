"""None given to the small classes of records: the errors that a port's tests expect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from millstream import (
    Header,
    Headers,
    IllegalArgumentException,
    NullPointerException,
    Serdes,
)

NOTHING: Any = None


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: Header(NOTHING, b""), NullPointerException, "Null header keys are not permitted"),
        (lambda: Headers([NOTHING]), NullPointerException, "Header cannot be null."),
        (lambda: Headers().lastHeader(NOTHING), IllegalArgumentException, "key cannot be null."),
        (lambda: Headers().headers(NOTHING), IllegalArgumentException, "key cannot be null."),
        (lambda: Headers().remove(NOTHING), IllegalArgumentException, "key cannot be null."),
        (
            lambda: Serdes.ListSerde(NOTHING, Serdes.String()),
            IllegalArgumentException,
            'ListDeserializer requires both "listClass" and "innerDeserializer" parameters',
        ),
    ],
)
def test_none_is_refused(call: Callable[[], Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value).startswith(text)
