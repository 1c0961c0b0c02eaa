"""Kafka's hash and default partition; expected values printed by kafka-clients 4.3.1."""

from __future__ import annotations

from typing import Any

import pytest

from millstream.core.partitioning import default_partition, murmur2, to_positive


@pytest.mark.parametrize(
    ("key", "hashed", "of_ten"),
    [
        (b"21", -973932308, 0),
        (b"foobar", -790332482, 6),
        (b"a-little-bit-long-string", -985981536, 2),
        (b"a-little-bit-longer-string", -1486304829, 9),
        (b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971, 7),
        (b"", 275646681, 1),
        (b"a", -1563381124, 4),
        (b"ab", 316155434, 4),
        (b"abc", 479470107, 7),
        (b"abcd", -1323649548, 0),
        (b"k0", -704538303, 5),
    ],
)
def test_partitions_are_kafkas(key: Any, hashed: Any, of_ten: Any) -> None:
    assert murmur2(key) == hashed
    assert default_partition(key, 10) == of_ten


def test_bytes_above_127_are_unsigned() -> None:
    assert murmur2(bytes.fromhex("fffefd80")) == 127523238


def test_to_positive_clears_the_sign_bit() -> None:
    assert to_positive(-1) == 2**31 - 1
    assert to_positive(-(2**31)) == 0
    assert to_positive(7) == 7
