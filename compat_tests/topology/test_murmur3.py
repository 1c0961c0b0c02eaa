"""The hash in the messages of a foreign-key join, against values of Kafka's ``Murmur3.hash128``."""

from __future__ import annotations

import pytest

from millstream.topology.operators.murmur3 import murmur3_128

KNOWN = {
    b"": "9d2764a018e329428c3cf3b035938518",
    b"a": "3361634e7e0f5188e9c7dda24eae326b",
    b"0123456789abcdef": "1a6e941ec6a76967d7d82808f505d6b1",
    b"\xff" * 37: "9deb4c880e9d1f94f361278c2e37abde",
}


@pytest.mark.parametrize("data", KNOWN)
def test_the_hash_is_kafkas(data: bytes) -> None:
    assert murmur3_128(data).hex() == KNOWN[data]
