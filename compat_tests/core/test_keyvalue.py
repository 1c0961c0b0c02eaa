"""KeyValue."""

from __future__ import annotations

import pickle

from millstream.core.keyvalue import KeyValue


def test_a_key_value_unpacks_compares_and_hashes_like_a_pair() -> None:
    pair = KeyValue.pair("k", 1)
    key, value = pair
    assert (key, value) == ("k", 1)
    assert pair == KeyValue("k", 1)
    assert pair != KeyValue("k", 2)
    assert len({pair, KeyValue("k", 1)}) == 1
    assert str(pair) == "KeyValue(k, 1)"
    assert pickle.loads(pickle.dumps(pair)) == pair
