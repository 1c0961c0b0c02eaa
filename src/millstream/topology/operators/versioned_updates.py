"""Updates of a versioned table that are written within a joint run."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from millstream.core.chunk import Chunk
from millstream.core.columns import has_none
from millstream.core.state.access import VersionedAccess

if TYPE_CHECKING:
    from millstream.core.engine.context import NodeContext

NO_KEY = "null key"

Warn = Callable[[int, int], None]
"""Takes the time of an update, and the later one of the row before it."""


class VersionedUpdates:
    """Writes the updates of a run, which nobody below is told of, each when it is asked to.

    Raises:
        Exception: What the serializer of the keys raises.
    """

    def __init__(
        self, context: NodeContext, access: VersionedAccess, chunk: Chunk, warn: Warn
    ) -> None:
        self.chunk = chunk
        self._context = context
        self._access = access
        self._warn = warn
        self.before_failure: Callable[[], None] | None = None
        """Called before a failure is told, which may send a dead letter."""
        keys = chunk.keys
        self._key_bytes: list[bytes | None]
        if has_none(keys):
            one = access.serialize_key
            self._key_bytes = [None if key is None else one(key) for key in keys]
        else:
            self._key_bytes = [*access.serialize_keys(keys)]

    def write(self, index: int) -> None:
        """Write the update of an index; drop one without key."""
        chunk, access, key_bytes = self.chunk, self._access, self._key_bytes[index]
        if key_bytes is None:
            self._context.drop(NO_KEY, chunk, index)
            return
        try:
            timestamp = chunk.timestamps[index]
            before = access.read_time(key_bytes)
            if before is not None and timestamp < before:
                self._warn(timestamp, before)
            update = key_bytes, chunk.keys[index], chunk.values[index], timestamp
            if access.expired(timestamp):
                # The store drops it, and says which record it was.
                with self._context.at(chunk, index):
                    access.write(*update)
            else:
                access.write(*update)
        except Exception as error:  # noqa: BLE001 - the serializer of the values may raise anything
            if self.before_failure is not None:
                self.before_failure()
            self._context.fail(chunk, index, error)
