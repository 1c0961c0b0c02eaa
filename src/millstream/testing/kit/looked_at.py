"""A store whose answers are looked at by the kit, so that a wrong one is told as what it is."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, cast

from millstream.core.engine.checked_answers import ANSWERS, CheckedAnswers
from millstream.core.store import ByteStore, Entry, StoreTraits
from millstream.core.wording import a_kind
from millstream.testing.kit.promises import BrokenPromise, promise

Call = tuple[str, str, tuple[Any, ...], dict[str, Any]]

CALLS: tuple[Call, ...] = (
    ("open", "open(directory, options)", (Path(), {}), {}),
    ("get", "get(key)", (b"",), {}),
    ("get_many", "get_many(keys)", ((),), {}),
    ("write", "write(batch, version)", ({}, b""), {}),
    ("scan", "scan(lower, upper, reverse=True)", (None, None), {"reverse": True}),
    ("version", "version()", (), {}),
    ("size_estimate", "size_estimate()", (), {}),
    ("close", "close()", (), {}),
)
"""Methods, how the runtime calls them, and such a call's arguments."""
EXPIRING: Call = ("write", "write(batch, version, dropped=[])", ({}, b""), {"dropped": []})
"""How it calls ``write`` of a store that expires entries itself."""


def look_at_calls(cls: type[ByteStore]) -> None:
    """Refuse methods that do not take what the runtime gives them."""
    calls = CALLS
    if cls.traits.native_ttl:
        calls = (*calls, EXPIRING)
    for name, text, arguments, named in calls:
        found = inspect.getattr_static(cls, name)
        function = getattr(cls, name)
        own = () if isinstance(found, (classmethod, staticmethod)) else (None,)
        try:
            inspect.signature(function).bind(*own, *arguments, **named)
            told = ""
        except (TypeError, ValueError) as error:
            told = str(error)
        promise(not told, f"the runtime can call {text}", f"{name}: {told}")


def looked_at(store: Any, cls: type[ByteStore]) -> ByteStore:
    """Return a store, in a layer that refuses answers of another type than the contract's."""
    made = not isinstance(store, type)  # a class has the traits as well
    promise(
        made and isinstance(getattr(store, "traits", None), StoreTraits),
        f"{cls.__name__}.open returns an open store",
        f"it returned {a_kind(store)}",
    )
    return LookedAt(cast("ByteStore", store))


class LookedAt(CheckedAnswers):
    """Refuses what is not exactly of the contract's types; order and contents are for the tests."""

    def get(self, key: bytes) -> bytes | None:
        """Return the value of ``key``; None if it has none."""
        try:
            return super().get(key)
        except (StopIteration, KeyError) as error:
            raise BrokenPromise(
                "broken promise: get returns None for a key without a value"
                f"\n  get({key[:40]!r}) raised {type(error).__name__}"
            ) from error

    def get_many(self, keys: Iterable[bytes]) -> list[bytes | None]:
        """Return the values; how many there are is for the tests, too."""
        try:
            found: list[Any] = list(self.below.get_many(keys))
        except (StopIteration, KeyError, TypeError) as error:
            raise BrokenPromise(
                f"broken promise: get_many returns {ANSWERS}\n  get_many raised {error!r}"
            ) from error
        if any(each is not None and type(each) is not bytes for each in found):
            raise self._refusal("get_many()", f"{found[:3]!r}")
        return found

    def _look_at(self, key: bytes, value: bytes | None) -> None:
        """Do nothing: the tests see by themselves what a write has lost."""

    def _in_order(
        self, entries: Iterator[Entry], lower: bytes | None, upper: bytes | None, reverse: bool
    ) -> Iterator[Entry]:
        del lower, upper, reverse
        return entries

    def _as_bytes(self, found: Any, where: str) -> bytes:
        if type(found) is bytes:
            return found
        raise self._refusal(where, a_kind(found))

    def _refusal(self, where: str, found: str, wanted: str = "bytes") -> Exception:
        method = where.removesuffix("()")
        bytes_ = wanted == "bytes"
        text = "keys and values come back as bytes" if bytes_ else f"{method} returns {wanted}"
        return BrokenPromise(f"broken promise: {text}\n  {method} returned {found}")
