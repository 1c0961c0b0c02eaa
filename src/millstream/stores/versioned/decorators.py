"""Decorators of a versioned store's layer: change-logging, and a cache of latest versions."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator

from millstream.core.state import StateStore, StateStoreContext
from millstream.stores.cache.record_cache import CONTEXT_BYTES, ENTRY_BYTES
from millstream.stores.layers import Delegating
from millstream.stores.value_forms import check_logged_time
from millstream.stores.versioned.layers import UNDEFINED, VersionLayer
from millstream.stores.versioned.ranges import KeyHistory
from millstream.stores.versioned.rows import Found, Latest


class VersionsDecorator(Delegating, VersionLayer):
    """Base of the decorators: hands everything on to the layer below."""

    def __init__(self, below: VersionLayer) -> None:
        self._below = self._delegate = below
        self.stores_durably = below.stores_durably
        self.folds = below.folds

    def init(self, context: StateStoreContext, root: StateStore) -> None:
        self._context = context
        self._below.init(context, root)
        self.logs = self._below.logs

    def put(self, key: bytes, value: bytes | None, time: int) -> int:
        return self._below.put(key, value, time)

    def expired(self, time: int) -> bool:
        return self._below.expired(time)

    def latest(self, key: bytes) -> Latest | None:
        return self._below.latest(key)

    def as_of(self, key: bytes, time: int) -> Found | None:
        return self._below.as_of(key, time)

    def history(self, key: bytes, first: int | None, last: int | None) -> list[Found] | None:
        return self._below.history(key, first, last)

    def between(
        self,
        lower: bytes | None,
        upper: bytes | None,
        first: int | None,
        last: int | None,
        *,
        reverse: bool,
    ) -> Iterator[KeyHistory] | None:
        return self._below.between(lower, upper, first, last, reverse=reverse)


class ChangeLoggingVersions(VersionsDecorator):
    """Logs each write at its version's time; refused ones too, as Kafka does."""

    def __init__(self, below: VersionLayer, name: str) -> None:
        super().__init__(below)
        self._name = name

    def init(self, context: StateStoreContext, root: StateStore) -> None:
        super().init(context, root)
        self.logs = context.logs_changes(self._name)

    def put(self, key: bytes, value: bytes | None, time: int) -> int:
        if self.logs:
            check_logged_time(time)
        end = self._below.put(key, value, time)
        if self.logs:
            self._context.log_change(self._name, key, value, time, None)
        return end


class CachedVersions(VersionsDecorator):
    """Cache of the latest versions that were used last, within the record caches' budget.

    Every write goes through at once: an update that waits in the cache until a newer one replaces
    it would be a lost version, and a put has to return until when its version holds.
    """

    def __init__(self, below: VersionLayer) -> None:
        super().__init__(below)
        self._cached: OrderedDict[bytes, Latest | None] = OrderedDict()

    def init(self, context: StateStoreContext, root: StateStore) -> None:
        super().init(context, root)
        self._budget = context.cache_budget

    def put(self, key: bytes, value: bytes | None, time: int) -> int:
        end = self._below.put(key, value, time)
        if end == UNDEFINED:
            self._remember(key, None if value is None else (value, time))
        return end

    def latest(self, key: bytes) -> Latest | None:
        cached = self._cached
        if key in cached:
            cached.move_to_end(key)
            return cached[key]
        found = self._below.latest(key)
        self._remember(key, found)
        return found

    def as_of(self, key: bytes, time: int) -> Found | None:
        latest = self.latest(key)
        if latest is not None and latest[1] <= time:
            return (*latest, None)
        return self._below.as_of(key, time)

    def reload(self) -> None:
        self._forget()
        super().reload()

    def close(self) -> None:
        self._forget()
        super().close()

    def _remember(self, key: bytes, latest: Latest | None) -> None:
        cached, budget = self._cached, self._budget
        if key in cached:
            budget.used -= _size(key, cached.pop(key))
        cached[key] = latest
        budget.used += _size(key, latest)
        while budget.used > budget.limit and cached:
            budget.used -= _size(*cached.popitem(last=False))

    def _forget(self) -> None:
        self._budget.used -= sum(_size(key, latest) for key, latest in self._cached.items())
        self._cached.clear()


def _size(key: bytes, latest: Latest | None) -> int:
    value = 0 if latest is None else len(latest[0])
    return len(key) + ENTRY_BYTES + CONTEXT_BYTES + value
