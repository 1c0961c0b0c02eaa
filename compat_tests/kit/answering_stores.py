"""Byte stores that answer with something else than their contract says, as authors might."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from compat_tests.kit.good_stores import FileStore, PlainStore
from millstream.plugins import StoreTraits


class ScansNothing(PlainStore):
    """Scans return None."""

    def scan(self, lower: bytes | None, upper: bytes | None, *, reverse: bool = False) -> Any:
        """Return nothing."""


class ScansKeys(PlainStore):
    """Scans yield keys alone."""

    def scan(self, lower: bytes | None, upper: bytes | None, *, reverse: bool = False) -> Any:
        """Yield keys."""
        return (key for key, _ in super().scan(lower, upper, reverse=reverse))


class RaisesForAbsent(PlainStore):
    """An absent key is an error."""

    def get(self, key: bytes) -> bytes | None:
        """Return the value of ``key``."""
        return self.entries[key]


class OpensNothing(PlainStore):
    """``open`` returns None."""

    @classmethod
    def open(cls, directory: Path, options: Mapping[str, Any]) -> Any:
        """Return nothing."""


class ScansForwardOnly(PlainStore):
    """``scan`` does not take ``reverse``."""

    def scan(  # type: ignore[override]
        self, lower: bytes | None, upper: bytes | None
    ) -> Iterator[tuple[bytes, bytes]]:
        """Yield entries."""
        return super().scan(lower, upper)


class ForgetsAtRest(FileStore):
    """Lets go of its entries when a turn has ended, and has none in the next one."""

    traits = StoreTraits(durable=True, native_ttl=True, shareable=True)

    def rest(self) -> None:
        """Forget everything."""
        self.entries.clear()
