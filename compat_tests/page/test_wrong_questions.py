"""Questions of the live page with parameters that would be ignored: refused with 400."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from millstream import NullPointerException, SerializationException
from millstream.page.queries import RefusedQuery, answer, metadata


def view_of(kind: str) -> Any:
    return SimpleNamespace(notes=lambda: {"kept": SimpleNamespace(type=kind, values="plain")})


@pytest.mark.parametrize(
    ("kind", "asked", "problem"),
    [
        ("key-value", {"kye": "a"}, 'there is no parameter "kye"'),
        ("key-value", {"key": "a", "keySerde": "long"}, 'there is no parameter "keySerde"'),
        ("key-value", {"key": "a", "from": "b"}, "key and from cannot be asked for at once"),
        ("window", {"key": "a", "to": "b"}, "key and to cannot be asked for at once"),
        ("key-value", {"key": "a", "window_from": "1"}, "no windows to choose by window_from"),
        ("session", {"key": "a", "window_to": "1"}, "no windows to choose by window_to"),
        ("window", {"key": "a", "window_to": "9" * 20}, "window_to does not fit into 64 bits"),
    ],
)
def test_what_would_be_ignored_is_refused(kind: str, asked: dict[str, str], problem: str) -> None:
    with pytest.raises(RefusedQuery, match=problem) as caught:
        answer(view_of(kind), "kept", asked)
    assert caught.value.status == 400
    assert caught.value.hint


def test_a_wrong_limit_is_not_called_a_time() -> None:
    with pytest.raises(RefusedQuery, match="limit is no number") as caught:
        answer(view_of("key-value"), "kept", {"limit": "x"})
    assert caught.value.hint == "It is 1 to 1000."


@pytest.mark.parametrize("error", [SerializationException("too large"), NullPointerException("no")])
def test_a_wrong_key_is_not_called_an_application_that_is_away(error: Exception) -> None:
    def asked(store: str, key: object, serializer: object) -> None:
        raise error

    view: Any = SimpleNamespace(streams=SimpleNamespace(queryMetadataForKey=asked))
    with pytest.raises(RefusedQuery, match="this key is no long") as caught:
        metadata(view, "kept", {"key": "9" * 20, "key_serde": "long"})
    assert caught.value.status == 400
    with pytest.raises(RefusedQuery, match='there is no parameter "serde"'):
        metadata(view, "kept", {"key": "1", "serde": "long"})
