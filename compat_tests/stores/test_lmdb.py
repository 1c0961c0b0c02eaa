"""What LMDB needs beyond the kit: keys it does not take, a map that grows, several processes."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from millstream.core.errors import InvalidStateStoreException, LockException
from millstream.stores.byte_stores import lmdb as ours
from millstream.stores.byte_stores.lmdb import LMDBStore

PAD = b"p" * 509
KEYS = st.binary(max_size=2) | st.binary(max_size=5).map(lambda end: PAD + end)
BATCHES = st.dictionaries(KEYS, st.none() | st.binary(max_size=3), max_size=8)
RANGES = st.lists(st.tuples(KEYS, KEYS).map(lambda pair: tuple(sorted(pair))), max_size=2)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[LMDBStore]:
    opened = LMDBStore.open(tmp_path, {})
    yield opened
    opened.close()


@settings(max_examples=60, deadline=None)
@given(
    batches=st.lists(st.tuples(BATCHES, RANGES), max_size=5),
    lower=st.none() | KEYS,
    upper=st.none() | KEYS,
    reverse=st.booleans(),
)
def test_empty_and_long_keys_are_kept_in_order(
    batches: Any, lower: Any, upper: Any, reverse: bool
) -> None:
    model: dict[bytes, bytes] = {}
    with tempfile.TemporaryDirectory() as directory:
        store = LMDBStore.open(Path(directory), {})
        for batch, ranges in batches:
            dropped = [(low, high) for low, high in ranges if low < high]
            store.write(batch, b"1", dropped=dropped)
            model = {k: v for k, v in model.items() if not any(a <= k < b for a, b in dropped)}
            model.update({k: v for k, v in batch.items() if v is not None})
            model = {k: v for k, v in model.items() if batch.get(k, v) is not None}
        if lower is None or upper is None or lower < upper:
            expected = [
                entry
                for entry in sorted(model.items(), reverse=reverse)
                if (lower is None or lower <= entry[0]) and (upper is None or entry[0] < upper)
            ]
            assert list(store.scan(lower, upper, reverse=reverse)) == expected
        asked = [*model, b"", b"absent", PAD, PAD + b"pp", PAD + b"ppp"]
        assert store.get_many(asked) == [model.get(key) for key in asked]
        assert [store.get(key) for key in asked] == [model.get(key) for key in asked]
        store.close()


def test_the_map_grows_under_open_scans(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ours, "MAP_BYTES", 64 << 10)
    store = LMDBStore.open(tmp_path, {})
    store.write({b"%02d" % n: b"old" for n in range(20)}, b"1")
    upwards, downwards = store.scan(b"05", None), store.scan(None, b"05", reverse=True)
    assert [next(upwards), next(downwards)] == [(b"05", b"old"), (b"04", b"old")]

    store.write({b"%02d" % n: b"new" * 10_000 for n in range(100)}, b"2")

    assert [key for key, _ in upwards] == [b"%02d" % n for n in range(6, 20)]
    assert list(downwards) == [(b"%02d" % n, b"old") for n in (3, 2, 1, 0)]
    assert store.version() == b"2"
    assert store.get(b"99") == b"new" * 10_000
    store.close()


def test_a_scan_does_not_see_later_writes(store: LMDBStore) -> None:
    store.write({b"a": b"1", b"b": b"2"}, b"1")
    begun, untouched = store.scan(None, None), store.scan(None, None, reverse=True)
    assert next(begun) == (b"a", b"1")
    store.write({b"b": None, b"c": b"3"}, b"2")
    assert list(begun) == [(b"b", b"2")]
    assert list(untouched) == [(b"b", b"2"), (b"a", b"1")]


def test_a_bound_get_sees_later_writes(store: LMDBStore) -> None:
    get = store.get
    store.write({b"a": b"1"}, b"1")
    assert get(b"a") == b"1"


def test_closing_ends_unfinished_scans(tmp_path: Path) -> None:
    store = LMDBStore.open(tmp_path, {})
    store.write({b"a": b"1", b"b": b"2"}, b"1")
    begun, untouched = store.scan(None, None), store.scan(None, None)
    next(begun)
    store.close()
    store.close()
    assert list(begun) == list(untouched) == []


@pytest.mark.parametrize(
    "use",
    [
        lambda store: store.get(b"a"),
        lambda store: store.get(b""),
        lambda store: store.get_many([b"a"]),
        lambda store: store.scan(None, None),
        lambda store: store.write({b"a": b"1"}, b"2"),
        lambda store: store.version(),
        lambda store: store.size_estimate(),
    ],
)
def test_a_closed_store_refuses_work(tmp_path: Path, use: Callable[[LMDBStore], object]) -> None:
    store = LMDBStore.open(tmp_path, {})
    store.close()
    with pytest.raises(InvalidStateStoreException, match="it is closed"):
        use(store)


def test_a_process_opens_a_directory_once(store: LMDBStore, tmp_path: Path) -> None:
    with pytest.raises(LockException, match="it is in use"):
        LMDBStore.open(tmp_path, {})
    store.write({b"a": b"1"}, b"1")
    assert store.version() == b"1"


def test_dropping_everything_keeps_the_version(store: LMDBStore) -> None:
    store.write({b"": b"0", b"a": b"1", PAD + b"long": b"2"}, b"1")
    store.write({b"b": b"3"}, b"2", dropped=[(b"", b"\xff")])
    assert list(store.scan(None, None)) == [(b"b", b"3")]
    assert store.version() == b"2"


OTHER_PROCESS = """
import sys
from pathlib import Path
from millstream.stores.byte_stores.lmdb import LMDBStore
store = LMDBStore.open(Path(sys.argv[1]), {})
for line in sys.stdin:
    answer = eval(line)
    print(answer, flush=True)
"""


@pytest.fixture
def other(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", OTHER_PROCESS, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield process
        process.kill()


def asked(process: subprocess.Popen[str], question: str) -> str:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(question + "\n")
    process.stdin.flush()
    return process.stdout.readline().strip()


def test_processes_use_one_file_one_after_the_other(
    store: LMDBStore, other: subprocess.Popen[str]
) -> None:
    store.write({b"a": b"1"}, b"1")
    assert asked(other, "store.version(), store.get(b'a')") == "(b'1', b'1')"
    assert asked(other, "store.write({b'a': b'2', b'b': b'x' * 1000}, b'2')") == "None"
    assert store.get(b"a") == b"1", "a reader moves on only when it asks for the version"
    assert store.version() == b"2"
    assert store.get(b"a") == b"2"
    store.write({b"a": b"3"}, b"3")
    assert asked(other, "store.version(), store.get(b'a')") == "(b'3', b'3')"


def test_a_map_that_another_process_grew_is_adopted(
    tmp_path: Path, other: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ours, "MAP_BYTES", 64 << 10)
    store = LMDBStore.open(tmp_path, {})
    store.write({b"a": b"1"}, b"1")
    scan = store.scan(None, None)
    big = "{b'%d' % n: bytes(1 << 20) for n in range(20)}"
    assert asked(other, f"store.write({big}, b'2')") == "None"
    assert store.version() == b"2"
    assert store.get(b"19") == bytes(1 << 20)
    assert list(scan) == [(b"a", b"1")]
    store.close()


def test_the_lock_of_a_process_that_died_is_free(
    tmp_path: Path, store: LMDBStore, other: subprocess.Popen[str]
) -> None:
    store.write({b"a": b"1", b"b": b"2"}, b"1")
    begun = "writer=store._environment.begin(write=True), scan=store.scan(None, None)"
    assert asked(other, f"globals().update({begun})") == "None"
    other.kill()
    other.wait()
    store.write({b"c": b"3"}, b"2")
    assert store.version() == b"2"
    assert list(islice(store.scan(None, None), 3))[-1] == (b"c", b"3")


def grown(store: LMDBStore, directory: Path) -> float:
    """Change the same entries in many turns; return by what factor the file has grown."""
    before = (directory / "data.mdb").stat().st_size
    for turn in range(200):
        store.version()
        store.write({b"%03d" % n: b"%d" % turn for n in range(50)}, b"%d" % turn)
    return (directory / "data.mdb").stat().st_size / before


def test_a_file_does_not_grow_while_another_process_rests(
    tmp_path: Path, store: LMDBStore, other: subprocess.Popen[str]
) -> None:
    store.write({b"%03d" % n: b"first" for n in range(50)}, b"first")
    assert asked(other, "store.version(), store.get(b'000')") == "(b'first', b'first')"
    assert asked(other, "store.rest()") == "None"
    assert grown(store, tmp_path) < 2
    assert asked(other, "store.get(b'000'), store.version()") == "(b'199', b'199')"


def test_a_file_does_not_grow_after_a_reader_has_died(
    tmp_path: Path, store: LMDBStore, other: subprocess.Popen[str]
) -> None:
    store.write({b"%03d" % n: b"first" for n in range(50)}, b"first")
    assert asked(other, "store.version(), store.get(b'000')") == "(b'first', b'first')"
    other.kill()
    other.wait()
    assert grown(store, tmp_path) < 2


def test_a_store_that_rests_can_be_read(store: LMDBStore, other: subprocess.Popen[str]) -> None:
    store.write({b"a": b"1", b"b": b"2"}, b"1")
    scan = store.scan(None, None)
    get = store.get
    store.rest()
    store.rest()
    long = "b'p' * 600"
    assert asked(other, f"store.write({{b'': b'0', {long}: b'3', b'b': None}}, b'2')") == "None"
    assert list(scan) == [(b"a", b"1"), (b"b", b"2")]
    expected = [(b"", b"0"), (b"a", b"1"), (b"p" * 600, b"3")]
    assert list(store.scan(None, None)) == expected
    assert list(store.scan(None, None, reverse=True)) == expected[::-1]
    keys = [b"", b"a", b"b", b"p" * 600]
    assert store.get_many(keys) == list(map(get, keys)) == [b"0", b"1", None, b"3"]
    assert store.size_estimate() == 2
    store.write({b"c": b"4"}, b"3")
    assert store.version() == b"3"
    assert store.get(b"c") == b"4"


def test_a_store_that_rests_adopts_a_map_that_another_process_grew(
    tmp_path: Path, other: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ours, "MAP_BYTES", 64 << 10)
    store = LMDBStore.open(tmp_path, {})
    store.write({b"a": b"1"}, b"1")
    store.rest()
    big = "{b'%d' % n: bytes(1 << 20) for n in range(20)}"
    assert asked(other, f"store.write({big}, b'2')") == "None"
    assert store.get(b"19") == bytes(1 << 20)
    store.write({b"b": bytes(1 << 20)}, b"3")
    assert store.version() == b"3"
    store.close()
