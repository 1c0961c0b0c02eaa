"""Compliance tests of byte stores at their limits: rows, long keys, ranges, failing writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from millstream.core.store import ByteStore, Range
from millstream.testing.kit.promises import promise
from millstream.testing.kit.store_base import OpensStores
from millstream.testing.kit.store_machine import Model, check_sizes

LENGTHS = (1, 254, 255, 256, 510, 511, 512, 65_534, 65_535, 65_536, 65_537, 131_072)
RANGES = "every range of dropped goes, in any order and however many there are"
ROWS = 40


class BatchError(Exception):
    """Error that ``FailingBatch`` raises."""


class FailingBatch(Mapping[bytes, "bytes | None"]):
    """Batch that cannot be read beyond its n-th entry."""

    def __init__(self, entries: dict[bytes, bytes | None], readable: int) -> None:
        self._entries = entries
        self._readable = readable

    def __iter__(self) -> Iterator[bytes]:
        for number, key in enumerate(self._entries):
            if number >= self._readable:
                raise BatchError(f"entry {number} of the batch cannot be read")
            yield key

    def __getitem__(self, key: bytes) -> bytes | None:
        return self._entries[key]

    def __len__(self) -> int:
        return len(self._entries)


class LimitTests(OpensStores):
    """Compliance tests of byte stores with large data and failing writes."""

    def test_any_size(self) -> None:
        """Random rows, bounds and ranges, in both directions, compared with a dictionary."""
        check_sizes(self.open, examples=self.histories)

    def test_long_keys_are_apart(self) -> None:
        """Keys that differ only in their last byte, around the length limits of libraries."""
        for length in LENGTHS:
            ends = (b"\0", b"a", b"b", b"\xff")
            entries = {b"k" * (length - 1) + end: b"%d%s" % (length, end) for end in ends}
            with self.store() as store:
                store.write(dict(entries), b"1")
                store.write({b"k" * (length - 1) + b"a": b"new", b"k" * length: None}, b"2")
                entries[b"k" * (length - 1) + b"a"] = b"new"
                found = dict(store.scan(None, None))
                wrong = {key[-1:] for key in entries if store.get(key) != entries[key]}
                promise(
                    not wrong and found == entries,
                    "keys of any length are apart if they differ in any byte",
                    f"with keys of {length} bytes, those that end in {wrong} have another value",
                    f"scan yielded {len(found)} of {len(entries)} entries",
                )

    def test_every_value_is_a_value(self) -> None:
        """No value marks a deletion, or the end of something."""
        values = [bytes([each]) for each in range(256)] + [bytes([each]) * 8 for each in (0, 255)]
        values += [b"None", b"null", b"nil", b"deleted", b"__deleted__", b"TOMBSTONE", b"\n", b"{}"]
        rows: dict[bytes, bytes | None] = {b"%03d" % n: value for n, value in enumerate(values)}
        with self.store() as store:
            store.write(dict(rows), b"1")
            scanned = dict(store.scan(None, None))
            wrong = {
                value
                for key, value in rows.items()
                if not (store.get(key) == value == scanned.get(key))
            }
            promise(
                not wrong, "every value but None is a value", f"these did not come back: {wrong!r}"
            )

    def test_every_dropped_range_goes(self) -> None:
        """Several ranges: unordered, overlapping, adjacent, empty, and very many."""
        letters: dict[bytes, bytes | None] = {bytes([each]): b"v" for each in range(256)}
        many = [(bytes([each]), bytes([each + 1])) for each in range(0, 250, 2)]
        for dropped in (
            [(b"x", b"z"), (b"a", b"c"), (b"b", b"e")],
            [(b"a", b"b"), (b"b", b"c"), (b"q", b"q"), (b"\xf0", b"\xff")],
            many,
            many[::-1],
        ):
            self._check_dropped(letters, dropped)

    def _check_dropped(self, letters: dict[bytes, bytes | None], dropped: Sequence[Range]) -> None:
        model = Model()
        with self.store() as store:
            store.write(dict(letters), b"1")
            model.write(letters, [])
            # What has been read may be remembered, and must be forgotten.
            for key in letters:
                store.get(key)
            store.write({b"b": b"new"}, b"2", dropped=dropped)
            model.write({b"b": b"new"}, list(dropped))
            got = {key: value for key in letters if (value := store.get(key)) is not None}
            for found in (dict(store.scan(None, None)), got):
                wrong = sorted(set(found.items()) ^ set(model.entries.items()))
                promise(not wrong, RANGES, f"after {dropped!r} these differ: {wrong!r}")

    def test_an_empty_bound_is_a_bound(self) -> None:
        """No key is below the empty key, every key is at or above it."""
        rows: dict[bytes, bytes | None] = {b"": b"0", b"a": b"1", b"\xff": b"2"}
        with self.store() as store:
            store.write(rows, b"1")
            below = [list(store.scan(None, b"", reverse=each)) for each in (False, True)]
            above = [list(store.scan(b"", None, reverse=each)) for each in (False, True)]
            ordered = sorted(store.scan(None, None))
            promise(
                below == [[], []] and above == [ordered, ordered[::-1]],
                "an upper bound of b'' means nothing, a lower one of b'' everything",
                f"scan(None, b'') yielded {below!r}",
                f"scan(b'', None) yielded {above!r}",
            )

    def test_a_failed_write_is_raised_and_changes_nothing(self) -> None:
        """The write fails at the first entry of its batch, in the middle, and at the last one."""
        before: dict[bytes, bytes | None] = {b"%03d" % row: b"old" for row in range(ROWS)}
        after: dict[bytes, bytes | None] = {
            b"%03d" % row: b"new" if row % 3 else None for row in range(5, ROWS + 5)
        }
        for readable in (0, 1, ROWS // 2, ROWS - 1):
            with self.store() as store:
                store.write(dict(before), b"1")
                # Without native_ttl the runtime reads the batch before the store.
                dropped = [(b"000", b"002")] if self.store_class.traits.native_ttl else []
                raised = _raises(store, FailingBatch(after, readable), dropped)
                promise(
                    raised,
                    "write raises what keeps it from doing its work",
                    f"entry {readable} of the batch could not be read, and nothing was raised",
                )
                found, version = dict(store.scan(None, None)), store.version()
                got = dict(zip(before, store.get_many(before), strict=True))
                kept = version == b"1" or not self._durable
                promise(
                    found == before == got and kept,
                    "a write that fails changes nothing",
                    f"{len(found.items() ^ before.items())} entries differ, version {version!r}",
                )
                store.write(dict(after), b"2")
                promise(
                    store.get(b"%03d" % (ROWS + 4)) == after[b"%03d" % (ROWS + 4)],
                    "a write may follow one that failed",
                )

    def test_a_full_disk_is_raised_and_changes_nothing(self) -> None:
        """A separate process writes until no file may grow; another process reads."""
        if not self._durable:
            return
        seen = self._tried("fill up")
        promise(
            seen["raised"] or seen["last"] == seen["kept"],
            "write raises what keeps it from doing its work",
            f"write {seen['last']} raised nothing, and reopened the store has {seen['kept']}",
        )
        promise(
            seen["kept"] == seen["whole"] and (not seen["raised"] or seen["kept"] < seen["last"]),
            "a write that fails changes nothing",
            f"write {seen['last']} failed, and reopened the store has version {seen['kept']} with "
            f"the rows of write {seen['whole']}",
        )
        promise(
            seen["read"] is None or seen["read"] == seen["kept"],
            "a write that fails changes nothing",
            f"write {seen['last']} failed, and the open store has the rows of write {seen['read']}",
        )

    def test_a_store_that_rests_goes_on(self) -> None:
        """A worker's next turn begins with ``version``, and may be a long time away."""
        if not self.store_class.traits.shareable:
            return
        with self.store() as store:
            for turn in (b"1", b"2"):
                store.write({b"a": turn, turn: turn}, turn)
                store.rest()
                found = store.version(), store.get(b"a"), store.get(turn)
                promise(
                    found == (turn, turn, turn),
                    "a shareable store that rests goes on with version, reads and writes",
                    f"after turn {turn!r} it found {found}",
                )


def _raises(store: ByteStore, batch: FailingBatch, dropped: Sequence[Range]) -> bool:
    try:
        store.write(batch, b"2", dropped=dropped)
    except Exception:  # noqa: BLE001 - a store may wrap the error
        return True
    return False
