"""The compliance tests of suppression buffers."""

from __future__ import annotations

import pickle
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from millstream.core.buffers import BufferedChange, BufferSettings, BufferTraits, SuppressionBuffer
from millstream.core.durations import LONG_MAX
from millstream.core.headers import headers_from_pairs
from millstream.core.record_context import RecordContext
from millstream.core.working_copy import WorkingCopy
from millstream.plugins.registry import open_store
from millstream.testing.kit.promises import keeping, promise
from millstream.testing.kit.store_machine import quiet_settings

STORE = "held"
KEYS = st.sampled_from(b" \0 a aa b \xff".split(b" "))
VALUES = st.none() | st.sampled_from([b"", b"x", b"long" * 30])
TIMES = st.integers(0, 8)

Seen = tuple[Any, ...]
Pairs = tuple[tuple[str, bytes | None], ...]
"""Names and values of headers."""
HEADERS: st.SearchStrategy[Pairs] = st.sampled_from(
    [(), (("h", b"1"),), (("a", None), ("b", b""), ("a", b"2"))]
)


class BufferHost:
    """Host with working copies in memory, which commits and rolls back."""

    def __init__(self) -> None:
        self._copies: dict[str, WorkingCopy] = {}

    def working_copy(self, name: str, kind: str) -> WorkingCopy:
        """Return the working copy of a name."""
        promise(name.startswith(STORE), "names of working copies begin with the store's", name)
        if name not in self._copies:
            self._copies[name] = WorkingCopy(open_store("memory", Path(), {}))
        return self._copies[name]

    def commit(self) -> None:
        """Write the staged changes."""
        for copy in self._copies.values():
            copy.apply(b"1")

    def forget(self) -> None:
        """Drop the staged changes."""
        for copy in self._copies.values():
            copy.forget()


class BufferModel:
    """Model of a buffer's contents."""

    def __init__(self) -> None:
        self.held: dict[bytes, BufferedChange] = {}

    def add(
        self, time: int, key: bytes, old: bytes | None, new: bytes | None, context: RecordContext
    ) -> None:
        """Model ``SuppressionBuffer.add``."""
        first = self.held.get(key, BufferedChange(time, old, old, new, context))
        self.held[key] = first._replace(old=old, new=new, context=context)

    def due(self, until: int) -> list[bytes]:
        """Return the keys that ``evict`` should yield."""
        places = sorted((change.time, key) for key, change in self.held.items())
        return [key for time, key in places if time <= until]


def seen(change: BufferedChange | None) -> Seen | None:
    """Return a change as a comparable tuple."""
    if change is None:
        return None
    context = change.context
    place = (context.topic(), context.partition(), context.offset(), context.timestamp())
    headers = tuple((header.key(), header.value()) for header in context.headers())
    return (change.time, change.prior, change.old, change.new, *place, headers)


def context_of(time: int, offset: int, headers: Pairs) -> RecordContext:
    """Return the context of an update; that of a punctuator has no topic, and -1 as its offset."""
    given = headers_from_pairs(headers) if headers else None
    if offset < 0:
        return RecordContext(None, -1, -1, time, given)
    return RecordContext("topic", 0, offset, time, given)


class BufferMachine(RuleBasedStateMachine):
    """Random steps of a history; created for one buffer by ``SuppressionBufferTests``."""

    buffer_class: type[SuppressionBuffer]
    max_records: int

    def __init__(self) -> None:
        super().__init__()
        self.host = BufferHost()
        self.model = BufferModel()
        self.committed: dict[bytes, BufferedChange] = {}
        self.offset = 0
        self.buffer = self.opened()

    def opened(self) -> SuppressionBuffer:
        """Open a buffer over the host's working copies."""
        return self.buffer_class.open(
            BufferSettings(
                store=STORE,
                max_records=self.max_records,
                byte_store="memory",
                working_copy=self.host.working_copy,
            )
        )

    @rule(
        time=TIMES,
        key=KEYS,
        old=VALUES,
        new=VALUES,
        headers=HEADERS,
        punctuated=st.sampled_from([False, False, True]),
    )
    def add(
        self,
        time: int,
        key: bytes,
        old: bytes | None,
        new: bytes | None,
        headers: Pairs,
        punctuated: bool,
    ) -> None:
        """Add an update of a record, or of what a punctuator has forwarded."""
        self.offset += 1
        offset = -1 if punctuated else self.offset
        self.buffer.add(time, key, old, new, context_of(time, offset, headers))
        self.model.add(time, key, old, new, context_of(time, offset, headers))

    @rule(until=TIMES, most=st.integers(0, 5))
    def evict(self, until: int, most: int) -> None:
        """Evict some of the due updates, or all."""
        due = self.model.due(until)[:most]
        expected = [(key, seen(self.model.held.pop(key))) for key in due]
        found = [(key, seen(change)) for key, change in islice(self.buffer.evict(until), most)]
        promise(
            found == expected,
            "evict yields what is due, by time, then by key bytes",
            f"evict({until}) yielded {found!r} instead of {expected!r}",
        )

    @rule(key=KEYS, time=TIMES, value=VALUES, headers=HEADERS, gone=st.booleans())
    def restore(
        self,
        key: bytes,
        time: int,
        value: bytes | None,
        headers: Pairs,
        gone: bool,
    ) -> None:
        """Restore a logged update."""
        change = BufferedChange(time, value, b"old", value, context_of(time, 7, headers))
        self.buffer.restore(key, None if gone else change)
        self.model.held.pop(key, None)
        if not gone:
            self.model.held[key] = change

    @rule(key=KEYS)
    def get(self, key: bytes) -> None:
        """Read the update of a key."""
        found, expected = seen(self.buffer.get(key)), seen(self.model.held.get(key))
        promise(
            found == expected,
            "an update keeps time and prior value of the first and takes the rest of the last",
            f"get({key!r}) returned {found!r} instead of {expected!r}",
        )

    @invariant()
    def totals(self) -> None:
        """Compare count, size and the first time."""
        held = self.model.held
        found = (self.buffer.count(), self.buffer.size(), self.buffer.first_time())
        expected = (
            len(held),
            sum(change.size(key) for key, change in held.items()),
            min((change.time for change in held.values()), default=LONG_MAX),
        )
        promise(
            found == expected,
            "count, size and first_time are those of what is held",
            f"they are {found!r} instead of {expected!r}",
        )

    @rule()
    def commit(self) -> None:
        """End a batch."""
        self.buffer.flush()
        self.host.commit()
        self.committed = dict(self.model.held)

    @precondition(lambda self: self.buffer_class.traits.recovers)
    @rule(reopened=st.booleans())
    def fail(self, reopened: bool) -> None:
        """Roll back a batch, in this process or after a restart."""
        self.host.forget()
        if reopened:
            self.buffer.close()
            self.buffer = self.opened()
        else:
            self.buffer.reload()
        self.model.held = dict(self.committed)
        found = {key: seen(self.buffer.get(key)) for key in self.committed}
        promise(
            found == {key: seen(change) for key, change in self.committed.items()},
            "a buffer that recovers has after a failed batch what it had at the last commit",
            f"it has {found!r}",
        )

    def teardown(self) -> None:
        """Close the buffer."""
        self.buffer.close()


class SuppressionBufferTests:
    """Compliance suite of suppression buffers; derive a class from it and name the buffer.

    Example::

        class TestMine(SuppressionBufferTests):
            buffer_class = MyBuffer
    """

    buffer_class: ClassVar[type[SuppressionBuffer]]
    """The buffer to test."""
    histories: ClassVar[int] = 60
    """Number of random histories to try, with and without a memory limit."""

    def test_the_class_describes_itself(self) -> None:
        """The class has name, traits and methods."""
        cls = self.buffer_class
        name = getattr(cls, "name", None)
        promise(
            isinstance(name, str) and name and name == name.lower(),
            "the class has a name, in lower case",
            f"name is {name!r}",
        )
        promise(isinstance(cls.traits, BufferTraits), "traits is a BufferTraits")
        missing = sorted(getattr(cls, "__abstractmethods__", ()))
        promise(not missing, "the class has every method", f"it lacks {', '.join(missing)}")
        with keeping("the class can be imported by its module and name"):
            pickle.loads(pickle.dumps(cls))

    def test_any_history(self) -> None:
        """Random updates, evictions, commits and failures, compared with a dictionary."""
        self._check(LONG_MAX)

    def test_any_history_with_little_room(self) -> None:
        """The same with two entries in memory, so that others are spilled."""
        if self.buffer_class.traits.spills:
            self._check(2)

    def test_eviction_stops_where_the_caller_stops(self) -> None:
        """Updates that were not yielded stay in the buffer."""
        buffer = self.buffer_class.open(
            BufferSettings(store=STORE, working_copy=BufferHost().working_copy)
        )
        for time, key in enumerate((b"a", b"b", b"c")):
            buffer.add(time, key, None, b"v", RecordContext("topic", 0, time, time))
        next(iter(buffer.evict(9)))
        left = [key for key, _ in buffer.evict(9)]
        buffer.close()
        promise(
            left == [b"b", b"c"],
            "an eviction that is not read to its end keeps the rest",
            f"then evict yielded {left!r}",
        )

    def _check(self, max_records: int) -> None:
        run_state_machine_as_test(
            self._machine(max_records), settings=quiet_settings(self.histories, steps=30)
        )

    def _machine(self, max_records: int) -> type[BufferMachine]:
        members = {"buffer_class": self.buffer_class, "max_records": max_records}
        return type("AnyHistory", (BufferMachine,), members)
