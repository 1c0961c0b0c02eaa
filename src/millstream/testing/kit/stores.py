"""The compliance tests of byte stores."""

from __future__ import annotations

import pickle
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from millstream.core.store import ByteStore, StoreTraits
from millstream.core.wording import a_kind
from millstream.testing.kit.kafka_stores import check_kafka_stores
from millstream.testing.kit.looked_at import look_at_calls
from millstream.testing.kit.processes import ROWS
from millstream.testing.kit.promises import keeping, promise
from millstream.testing.kit.store_limits import LimitTests
from millstream.testing.kit.store_machine import check_histories, check_reads

LONG = 3_000


class ByteStoreTests(LimitTests):
    """Compliance suite of byte stores; derive a class from it and name the store.

    Each test opens new directories and closes its stores. A guarantee that the store's traits do
    not declare is not tested alone: the runtime adds it, and is tested together with the store. The
    tests need no fixtures, so that ``millstream plugins check`` can run them too.

    Example::

        class TestShelve(ByteStoreTests):
            store_class = ShelveStore
    """

    # Description of the class

    def test_the_class_describes_itself(self) -> None:
        """The class has name, traits and methods."""
        cls = self.store_class
        name = getattr(cls, "name", None)
        promise(
            isinstance(name, str) and name and name == name.lower(),
            "the class has a name, in lower case",
            f"name is {name!r}",
        )
        promise(
            isinstance(cls.traits, StoreTraits),
            "traits is a StoreTraits",
            f"it is {a_kind(cls.traits)}",
        )
        missing = sorted(getattr(cls, "__abstractmethods__", ()))
        promise(not missing, "the class has every method", f"it lacks {', '.join(missing)}")
        promise(
            not cls.traits.durable or cls.version is not ByteStore.version,
            "a durable store has a version method of its own",
        )
        look_at_calls(cls)

    def test_the_class_travels_by_import_path(self) -> None:
        """A worker finds the class where the driver found it."""
        cls = self.store_class
        try:
            found = pickle.loads(pickle.dumps(cls))
        except Exception as error:  # noqa: BLE001 - shown as the fact
            found = error
        promise(
            found is cls,
            "the class can be imported by its module and name",
            f"{cls.__module__}.{cls.__qualname__}: {found!r}",
        )

    # Reading and writing

    def test_any_history(self) -> None:
        """Random writes, reads, scans and reopenings, compared with a dictionary."""
        check_histories(self.open, durable=self._durable, histories=self.histories)

    def test_every_bound_and_order(self) -> None:
        """Scans between any two of a few keys, and many answers, compared with a dictionary."""
        with self.store() as store:
            check_reads(store)

    def test_bytes_come_back_as_bytes(self) -> None:
        """Keys and values have exactly the type bytes."""
        with self.store() as store:
            store.write({b"k": b"v"}, b"1")
            entry = next(iter(store.scan(None, None)), (b"", b""))
            seen = [store.get(b"k"), *store.get_many([b"k"]), *entry]
            wrong = {type(each).__name__ for each in seen if type(each) is not bytes}
            promise(not wrong, "keys and values come back as bytes", f"found {wrong}")

    def test_empty_is_not_absent(self) -> None:
        """An empty value is a value, an empty key a key."""
        with self.store() as store:
            store.write({b"": b"1", b"a": b""}, b"1")
            found = {key: store.get(key) for key in (b"", b"a", b"b")}
            scanned = list(store.scan(None, None))
            promise(
                found == {b"": b"1", b"a": b"", b"b": None}
                and scanned == [(b"", b"1"), (b"a", b"")],
                "an empty value is a value, and an empty key a key",
                f"get returned {found!r}",
                f"scan yielded {scanned!r}",
            )

    def test_lengths_have_no_bounds(self) -> None:
        """Empty and very long keys and values."""
        key, value = b"k" * LONG, b"v" * (LONG * 500)
        batch: dict[bytes, bytes | None] = {b"": b"", key: value, key + b"!": b"", b"\0": value}
        with self.store() as store:
            with keeping("keys and values may have any length"):
                store.write(batch, b"1")
                found = {each: store.get(each) for each in batch}
                scanned = dict(store.scan(b"k", None))
            wrong = [len(each) for each in batch if found[each] != batch[each]]
            promise(
                not wrong and scanned == {each: batch[each] for each in (key, key + b"!")},
                "keys and values may have any length",
                f"keys of these lengths had another value: {wrong}",
            )

    def test_many_entries_in_one_batch(self) -> None:
        """More entries than fit into one page or statement."""
        batch: dict[bytes, bytes | None] = {b"%08d" % n: b"%d" % n for n in range(20_000)}
        with self.store() as store:
            store.write(batch, b"1")
            found = list(store.scan(None, None))
            promise(
                found == list(batch.items()),
                "a batch may have any number of entries",
                f"{len(found)} of {len(batch)} came back",
            )
            keys = [*reversed(batch), b"absent"]
            answers = list(store.get_many(keys))
            promise(
                answers == [batch.get(key) for key in keys],
                "get_many takes any number of keys",
                f"it returned {len(answers)} answers for {len(keys)} keys",
            )

    def test_a_batch_is_the_callers(self) -> None:
        """The runtime changes the dictionary after the write."""
        with self.store() as store:
            batch: dict[bytes, bytes | None] = {b"a": b"1", b"b": b"2"}
            store.write(batch, b"1")
            batch.clear()
            batch[b"c"] = b"3"
            found = list(store.scan(None, None))
            promise(
                found == [(b"a", b"1"), (b"b", b"2")] and store.get(b"c") is None,
                "write copies what it keeps of the batch",
                f"after the caller changed its dictionary, the store has {found!r}",
            )

    def test_dropped_ranges_go_before_the_batch_is_set(self) -> None:
        """A range that is dropped may get new entries in the same write."""
        with self.store() as store:
            store.write({bytes([each]): b"old" for each in b"abcd"}, b"1")
            store.write({b"b": b"new"}, b"2", dropped=[(b"b", b"d")])
            found = list(store.scan(None, None))
            promise(
                found == [(b"a", b"old"), (b"b", b"new"), (b"d", b"old")],
                "ranges are dropped before the batch is set, without their upper bound",
                f"the store has {found!r}",
            )

    def test_keys_are_unsigned_bytes(self) -> None:
        """Also for bytes above 127, and for keys that are prefixes of others."""
        keys = [
            b"",
            b"\0",
            b"\0\0",
            b"a",
            b"a\0",
            b"a\xff",
            b"b",
            b"\x7f",
            b"\x80",
            b"\xff",
            b"\xff\xff",
        ]
        with self.store() as store:
            store.write(dict.fromkeys(reversed(keys), b"v"), b"1")
            forward = [key for key, _ in store.scan(None, None)]
            backward = [key for key, _ in store.scan(None, None, reverse=True)]
            promise(
                forward == keys and backward == keys[::-1],
                "scan yields entries in the order of unsigned bytes, or in reverse",
                f"forward {forward!r}",
                f"backward {backward!r}",
            )

    def test_the_size_is_a_number(self) -> None:
        """The size is an estimate of the number of entries."""
        with self.store() as store:
            empty = store.size_estimate()
            store.write({b"%d" % each: b"v" for each in range(100)}, b"1")
            full = store.size_estimate()
            promise(
                empty == 0 and isinstance(full, int) and full > 0,
                "size_estimate is 0 for a new store and positive for a full one",
                f"new {empty!r}, full {full!r}",
            )

    # Scans

    def test_scans_do_not_disturb_each_other(self) -> None:
        """Two scans and gets, interleaved."""
        with self.store() as store:
            store.write({b"%03d" % each: b"v" for each in range(100)}, b"1")
            one, other = store.scan(None, None), store.scan(b"050", None, reverse=True)
            seen = []
            with keeping("scans that are open at the same time do not disturb each other"):
                for _ in range(40):
                    seen.append((next(one)[0], store.get(b"007"), next(other)[0]))
            expected = [(b"%03d" % each, b"v", b"%03d" % (99 - each)) for each in range(40)]
            promise(
                seen == expected,
                "scans that are open at the same time do not disturb each other",
                f"the last were {seen[-1]!r} instead of {expected[-1]!r}",
            )

    def test_a_scan_shows_what_was_there(self) -> None:
        """Also for entries that are written before the scan reaches them."""
        with self.store() as store:
            before = {b"%03d" % each: b"old" for each in range(100)}
            store.write(dict(before), b"1")
            scans = [store.scan(None, None), store.scan(None, None, reverse=True)]
            begun = [next(scan) for scan in scans]
            untouched = store.scan(None, None)
            later: dict[bytes, bytes | None] = dict.fromkeys(before, b"new")
            later |= {b"001": None, b"050x": b"new", b"zzz": b"new"}
            store.write(later, b"2", dropped=[(b"090", b"095")])
            text = "a scan shows what was there when it was made"
            for scan, first in zip([*scans, untouched], [*begun, None], strict=True):
                with keeping(text):
                    found = dict([first, *scan] if first is not None else scan)
                differ = len(set(found.items()) ^ set(before.items()))
                promise(not differ, text, f"{differ} entries differ")

    def test_unfinished_scans_release_the_store(self) -> None:
        """A processor may leave an iterator open."""
        with tempfile.TemporaryDirectory(prefix="millstream-kit-") as folder:
            store = self.open(Path(folder))
            store.write({b"%d" % each: b"v" for each in range(100)}, b"1")
            kept = [store.scan(None, None), store.scan(None, None)]
            next(kept[0])
            with keeping("close releases the directory, also from open scans"):
                store.close()
                self.open(Path(folder)).close()

    # Life

    def test_close_may_be_called_twice(self) -> None:
        """A second close does nothing."""
        with tempfile.TemporaryDirectory(prefix="millstream-kit-") as folder:
            store = self.open(Path(folder))
            store.write({b"a": b"1"}, b"1")
            store.close()
            with keeping("close may be called twice"):
                store.close()

    def test_a_closed_store_refuses_writes(self) -> None:
        """A write after close raises."""
        with tempfile.TemporaryDirectory(prefix="millstream-kit-") as folder:
            store = self.open(Path(folder))
            store.close()
            refused = False
            try:
                store.write({b"a": b"1"}, b"1")
            except Exception:  # noqa: BLE001 - any error is a refusal
                refused = True
            promise(refused, "a closed store refuses writes")

    def test_threads_take_turns(self) -> None:
        """A query on the driver may come from any thread."""
        text = "a store may be used by one thread after the other"
        with self.store() as store, ThreadPoolExecutor(1) as other, keeping(text):
            other.submit(store.write, {b"a": b"1"}, b"1").result()
            found = store.get(b"a"), other.submit(list, store.scan(None, None)).result()
            promise(found == (b"1", [(b"a", b"1")]), text, f"it found {found!r}")

    def test_stores_of_one_process_are_apart(self) -> None:
        """A task has several stores, and a worker several tasks, with stores of one name."""
        own = "0_0/s", "0_1/s"
        with self._stores(*own if self._durable else ("s", "s")) as (one, other):
            one.write({b"k": b"one"}, b"1")
            other.write({b"k": b"other"}, b"2")
            seen = one.get(b"k"), other.get(b"k")
            promise(
                seen == (b"one", b"other"),
                "stores are apart: durable ones by all of their directory, others each for itself",
                f"they have {seen!r}",
            )

    def test_the_version_is_that_of_the_last_write(self) -> None:
        """Also after an empty write, and after a rollback to a smaller version."""
        if not self._durable:
            return
        with tempfile.TemporaryDirectory(prefix="millstream-kit-") as folder:
            store = self.open(Path(folder))
            first = store.version()
            promise(first is None, "a new store has no version", f"it has {first!r}")
            for version in (b"2", b"1", b"", bytes(range(256))):
                store.write({} if version == b"1" else {b"k": version}, version)
                at_once = store.version()
                store.close()
                store = self.open(Path(folder))
                later = store.version()
                promise(
                    at_once == later == version,
                    "version returns that of the last write, None before the first",
                    f"after version {version!r} it is {at_once!r}, when reopened {later!r}",
                )
            store.close()

    def test_what_is_not_durable_begins_empty(self) -> None:
        """A store that is not durable begins empty and leaves no files."""
        if self._durable:
            return
        with tempfile.TemporaryDirectory(prefix="millstream-kit-") as folder:
            store = self.open(Path(folder))
            store.write({b"a": b"1"}, b"1")
            left = sorted(path.name for path in Path(folder).rglob("*"))
            store.close()
            promise(
                not left, "a store that is not durable leaves its directory alone", f"left {left}"
            )
            again = self.open(Path(folder))
            found, version = list(again.scan(None, None)), again.version()
            again.close()
            promise(
                not found and version is None,
                "a store that is not durable begins empty",
                f"opened again it has {found!r} and version {version!r}",
            )

    def test_every_kind_of_kafka_store_works_over_it(self) -> None:
        """Key-value, window, session and versioned stores, plain and with timestamps."""
        check_kafka_stores(self.open, durable=self._durable)

    # Processes

    def test_a_write_is_all_or_nothing(self) -> None:
        """A process is killed with half of a batch read."""
        if self._durable:
            seen = self._tried("die midway")
            promise(
                seen == {"version": "1", "rows": {"1": ROWS}},
                "a write whose process is killed changes nothing",
                f"killed within the second batch; then found {seen}",
            )

    def test_what_was_written_outlives_the_process(self) -> None:
        """A process is killed after a write, before close."""
        if self._durable:
            seen = self._tried("die after")
            promise(
                seen == {"version": "2", "rows": {"2": ROWS}},
                "what write has written is there after kill -9",
                f"killed after the second batch; then found {seen}",
            )

    def test_a_process_may_die_anywhere(self) -> None:
        """Writing processes are killed at any moment."""
        if self._durable:
            seen = self._tried("die anywhere")
            promise(
                not seen,
                "after kill -9 at any moment, data and version are of one write",
                f"then found {seen}",
            )

    def test_processes_work_side_by_side(self) -> None:
        """Several workers of a machine do not disturb each other."""
        codes = self._tried("side by side")["codes"]
        promise(
            not any(codes),
            "processes with directories of their own do not disturb each other",
            f"exit codes {codes}",
        )

    def test_a_shareable_directory_can_be_read_beside_its_writer(self) -> None:
        """Another worker may read while one writes."""
        if self.store_class.traits.shareable:
            try:
                seen = self._tried("read beside")
            except RuntimeError as error:
                seen = {"error": str(error).strip().splitlines()[-1]}
            promise(
                seen == {"version": "5", "rows": {"5": ROWS}},
                "another process can read a shareable directory while it is open",
                f"it found {seen}",
            )
