"""Common base of the compliance tests of byte stores."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, ClassVar

from millstream.core.engine.store_wrappers import completed
from millstream.core.store import ByteStore
from millstream.testing.kit.looked_at import looked_at
from millstream.testing.kit.processes import tried


class OpensStores:
    """Names a store and opens it in new directories."""

    store_class: ClassVar[type[ByteStore]]
    """The store to test."""
    options: ClassVar[Mapping[str, Any]] = {}
    """The configuration to open it with."""
    histories: ClassVar[int] = 30
    """Number of random histories to try."""

    def open(self, directory: Path) -> ByteStore:
        """Open the store as the runtime does."""
        opened = self.store_class.open(directory, self.options)
        return completed(looked_at(opened, self.store_class))

    @contextmanager
    def store(self) -> Iterator[ByteStore]:
        """Open a new store for a ``with`` block."""
        with tempfile.TemporaryDirectory(prefix="millstream-kit-") as directory:
            store = self.open(Path(directory))
            try:
                yield store
            finally:
                store.close()

    @contextmanager
    def _stores(self, *places: str) -> Iterator[list[ByteStore]]:
        """Open stores at the same time, in these directories below a new one."""
        with tempfile.TemporaryDirectory(prefix="millstream-kit-") as folder, ExitStack() as open_:
            found = []
            for place in places:
                Path(folder, place).mkdir(parents=True, exist_ok=True)
                found.append(self.open(Path(folder, place)))
                open_.callback(found[-1].close)
            yield found

    @property
    def _durable(self) -> bool:
        return self.store_class.traits.durable

    def _tried(self, what: str) -> dict[str, Any]:
        with tempfile.TemporaryDirectory(prefix="millstream-kit-") as folder:
            return tried(what, self.store_class, self.options, Path(folder))
