"""Random histories of a byte store, compared with a dictionary."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from millstream.core.store import ByteStore, Entry, Range
from millstream.testing.kit.promises import promise

Opener = Callable[[Path], ByteStore]
Bounds = tuple["bytes | None", "bytes | None", bool]

# Few keys, so that bounds hit keys and keys are overwritten.
KEYS = (b"", b"\0", b"a", b"a\0", b"a\xff", b"ab", b"b", b"\x7f", b"\x80", b"\xff")
BYTES = st.sampled_from(KEYS)
BATCHES = st.dictionaries(BYTES, st.none() | st.binary(max_size=4), max_size=6)
RANGES = st.lists(st.tuples(BYTES, BYTES).filter(lambda bounds: bounds[0] < bounds[1]), max_size=2)
BOUNDS = st.none() | BYTES


class Model:
    """Model of a byte store's contents."""

    def __init__(self) -> None:
        self.entries: dict[bytes, bytes] = {}

    def write(self, batch: dict[bytes, bytes | None], dropped: list[Range]) -> None:
        """Model ``ByteStore.write``."""
        for lower, upper in dropped:
            for key in [key for key in self.entries if lower <= key < upper]:
                del self.entries[key]
        for key, value in batch.items():
            if value is None:
                self.entries.pop(key, None)
            else:
                self.entries[key] = value

    def scan(self, lower: bytes | None, upper: bytes | None, *, reverse: bool) -> list[Entry]:
        """Return the entries that ``ByteStore.scan`` should yield."""
        return [
            (key, self.entries[key])
            for key in sorted(self.entries, reverse=reverse)
            if (lower is None or lower <= key) and (upper is None or key < upper)
        ]


class StoreMachine(RuleBasedStateMachine):
    """Random steps of a history; created for one store by ``check_histories``."""

    opener: Opener
    durable: bool

    def __init__(self) -> None:
        super().__init__()
        self.directory = tempfile.TemporaryDirectory(prefix="millstream-kit-")
        self.model = Model()
        self.version: bytes | None = None
        self.writes = 0
        self.store = self.opened()

    def opened(self) -> ByteStore:
        """Open the store's directory."""
        return type(self).opener(Path(self.directory.name))

    @rule(batch=BATCHES, dropped=RANGES)
    def write(self, batch: dict[bytes, bytes | None], dropped: list[Range]) -> None:
        """Write a batch."""
        self.writes += 1
        self.version = b"%d" % self.writes
        self.store.write(dict(batch), self.version, dropped=dropped)
        self.model.write(batch, dropped)

    @rule(key=BYTES)
    def get(self, key: bytes) -> None:
        """Read a key."""
        found, expected = self.store.get(key), self.model.entries.get(key)
        promise(
            found == expected,
            "get returns what was written last, None for what is absent",
            f"get({key!r}) returned {found!r} instead of {expected!r}",
        )

    @rule(keys=st.lists(BYTES, max_size=4))
    def get_many(self, keys: list[bytes]) -> None:
        """Read several keys, given as an iterator."""
        _check_answers(self.store, self.model, keys)

    @rule(lower=BOUNDS, upper=BOUNDS, reverse=st.booleans())
    def scan(self, lower: bytes | None, upper: bytes | None, reverse: bool) -> None:
        """Read a range."""
        if lower is not None and upper is not None and lower >= upper:
            return
        found = list(self.store.scan(lower, upper, reverse=reverse))
        expected = self.model.scan(lower, upper, reverse=reverse)
        call = f"scan({lower!r}, {upper!r}, reverse={reverse}) yielded {found!r}"
        promise(
            sorted(found) == sorted(expected),
            "scan yields each entry from lower, inclusive, to upper, exclusive, once",
            f"{call} instead of {expected!r}",
        )
        promise(
            found == expected,
            "scan yields entries in the order of unsigned bytes, or in reverse",
            f"{call} instead of {expected!r}",
        )

    @precondition(lambda self: self.durable)
    @rule()
    def reopen(self) -> None:
        """Close the store and open it again."""
        self.store.close()
        self.store = self.opened()
        found = dict(self.store.scan(None, None))
        promise(
            found == self.model.entries,
            "a durable store has after open what it had before close",
            f"it has {found!r} instead of {self.model.entries!r}",
        )

    @invariant()
    def same_version(self) -> None:
        """Compare versions."""
        if self.durable:
            found = self.store.version()
            promise(
                found == self.version,
                "version returns that of the last write, None before the first",
                f"it returned {found!r} instead of {self.version!r}",
            )

    def teardown(self) -> None:
        """Close the store and remove its directory."""
        self.store.close()
        self.directory.cleanup()


def check_reads(store: ByteStore) -> None:
    """Compare each scan between two of a few keys, and answers in both orders, with a dictionary.

    Random histories find a wrong bound or order in nine of ten runs; this finds it in all.
    """
    rows: dict[bytes, bytes | None] = {key: b"%d" % n for n, key in enumerate(KEYS) if n != 5}
    model = Model()
    model.write(rows, [])
    store.write(dict(rows), b"1")
    bounds = (None, *KEYS)
    for lower, upper, reverse in product(bounds, bounds, (False, True)):
        _check_scan(store, model, lower, upper, reverse)
    for keys in (KEYS, KEYS[::-1]):
        _check_answers(store, model, keys)


def check_histories(opener: Opener, *, durable: bool, histories: int) -> None:
    """Try histories until one breaks a promise; report the shortest one."""
    machine = type("AnyHistory", (StoreMachine,), {"opener": staticmethod(opener)})
    machine.durable = durable  # type: ignore[attr-defined]
    run_state_machine_as_test(machine, settings=quiet_settings(histories, steps=25))


# Around the page sizes of libraries and of millstream.
COUNTS = st.sampled_from([0, 1, 2, 63, 64, 65, 99, 100, 101, 255, 257, 1000, 1025, 2500])
PREFIXES = st.sampled_from([b"", b"k", b"\xff", b"\0" * 7, b"k" * 253, b"k" * 510])


@st.composite
def _large(draw: st.DrawFn) -> tuple[dict[bytes, bytes | None], list[Range], list[Bounds]]:
    """Draw rows, ranges to drop, and bounds to scan."""
    count, prefix = draw(COUNTS), draw(PREFIXES)
    keys = [prefix + number.to_bytes(2, "big") for number in range(count)]
    places = st.integers(0, count).map(lambda each: prefix + each.to_bytes(2, "big"))
    ranges = st.tuples(places, places).filter(lambda pair: pair[0] < pair[1])
    dropped = draw(st.lists(ranges, max_size=4)) if count else []
    bounds = st.tuples(st.none() | places, st.none() | places, st.booleans())
    rows: dict[bytes, bytes | None] = {key: key[-2:] for key in keys}
    return rows, dropped, [(None, None, False), (None, None, True), *draw(st.lists(bounds))]


def check_sizes(opener: Opener, *, examples: int) -> None:
    """Try many rows, ranges and bounds until a promise is broken; report the smallest example."""

    @quiet_settings(examples)
    @given(_large())
    def check(drawn: tuple[dict[bytes, bytes | None], list[Range], list[Bounds]]) -> None:
        rows, dropped, scans = drawn
        model = Model()
        with tempfile.TemporaryDirectory(prefix="millstream-kit-") as folder:
            store = opener(Path(folder))
            try:
                store.write(dict(rows), b"1")
                store.write({}, b"2", dropped=dropped)
                model.write(rows, [])
                model.write({}, dropped)
                for lower, upper, reverse in scans:
                    _check_scan(store, model, lower, upper, reverse)
            finally:
                store.close()

    check()


def _check_answers(store: ByteStore, model: Model, keys: Sequence[bytes]) -> None:
    found = list(store.get_many(iter(keys)))
    expected = [model.entries.get(key) for key in keys]
    promise(
        found == expected,
        "get_many returns one answer for each key, in the order of the keys",
        f"get_many({list(keys)!r}) returned {found!r} instead of {expected!r}",
    )


def _check_scan(
    store: ByteStore, model: Model, lower: bytes | None, upper: bytes | None, reverse: bool
) -> None:
    if lower is not None and upper is not None and lower >= upper:
        return
    found = list(store.scan(lower, upper, reverse=reverse))
    expected = model.scan(lower, upper, reverse=reverse)
    call = f"scan({_short(lower)}, {_short(upper)}, reverse={reverse})"
    promise(
        len(found) == len(expected) and sorted(found) == sorted(expected),
        "scan yields each entry from lower, inclusive, to upper, exclusive, once",
        f"{call} yielded {len(found)} entries instead of {len(expected)}",
    )
    first = next((n for n, pair in enumerate(found) if pair != expected[n]), None)
    promise(
        first is None,
        "scan yields entries in the order of unsigned bytes, or in reverse",
        f"{call} over {len(expected)} entries was wrong from number {first} on",
    )


def _short(bound: bytes | None) -> str:
    return repr(bound) if bound is None or len(bound) < 9 else f"...{bound[-2:]!r}"


def quiet_settings(examples: int, steps: int = 50) -> settings:
    """Return settings of a deterministic search."""
    return settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        derandomize=True,
        database=None,
        report_multiple_bugs=False,
        print_blob=False,
        phases=[Phase.explicit, Phase.generate, Phase.shrink],
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    )
