"""Keys of a cache by the part that many have in common."""

from __future__ import annotations

from millstream.stores.cache.rows import CachedRows, CachedTimes
from millstream.stores.window.keys import WindowKeys, key_of

KEYS = WindowKeys(60_000)


def test_a_row_is_in_order_whatever_comes_and_goes() -> None:
    rows = CachedRows(key_of, [KEYS.join(b"a", 20), KEYS.join(b"b", 5)])
    for start in (10, 70_000, 15):
        rows.add(KEYS.join(b"a", start))
    assert rows.of(b"a") == [KEYS.join(b"a", start) for start in (10, 15, 20, 70_000)]
    for start in (15, 10, 70_000):
        rows.discard(KEYS.join(b"a", start))
    assert rows.of(b"a") == [KEYS.join(b"a", 20)]
    rows.discard(KEYS.join(b"a", 20))
    assert rows.of(b"a") == []
    assert rows.of(b"b") == [KEYS.join(b"b", 5)]


def test_rows_may_mix_where_a_key_has_a_zero_byte_in_it() -> None:
    """Between windows of one key then come those of another, which a range would touch."""
    short, long = b"a", b"a" + bytes(7)
    between = sorted([KEYS.join(short, 1), KEYS.join(long, 0), KEYS.join(short, 300)])
    assert [key_of(raw) for raw in between] == [long, short, short]
    rows = CachedRows(key_of, [KEYS.join(short, 1), KEYS.join(b"abc", 2)])
    assert rows.apart
    rows.add(KEYS.join(long, 0))
    assert not rows.apart


def test_keys_of_one_length_never_mix() -> None:
    numbers = [number.to_bytes(8, "big") for number in range(3)]
    assert CachedRows(key_of, [KEYS.join(number, 7) for number in numbers]).apart


def test_the_windows_of_some_times_are_found_without_the_others() -> None:
    made = [KEYS.join(b"k%d" % key, start) for start in (70_000, 5, 20) for key in (2, 1)]
    times = CachedTimes(KEYS.time_at, made[:3])
    for key in made[3:]:
        times.add(key)
    times.discard(made[0])

    def between(first: int, last: int) -> list[bytes]:
        return times.between(first.to_bytes(8, "big"), last.to_bytes(8, "big"))

    assert between(5, 19) == sorted(made[2:4])
    assert between(6, 70_000) == sorted([made[1], *made[4:]])
    assert between(0, 4) == []

    times.discard(made[1])
    assert between(0, 100_000) == sorted(made[2:])
