"""What the test driver is asked for by name."""

from __future__ import annotations

from typing import Any

import pytest

from millstream import ClassCastException, Serdes, Topology
from millstream.testing import TopologyTestDriver

TEXT = Serdes.String().deserializer()
TOPOLOGY = Topology().addSource("in", TEXT, TEXT, "in")
GETTERS = (
    "getStateStore",
    "getKeyValueStore",
    "getTimestampedKeyValueStore",
    "getTimestampedKeyValueStoreWithHeaders",
    "getVersionedKeyValueStore",
    "getWindowStore",
    "getTimestampedWindowStore",
    "getTimestampedWindowStoreWithHeaders",
    "getSessionStore",
    "getSessionStoreWithHeaders",
)


@pytest.mark.parametrize("getter", GETTERS)
@pytest.mark.parametrize("name", [[], {}, 5])
def test_a_store_is_asked_for_by_a_text(getter: str, name: Any) -> None:
    with TopologyTestDriver(TOPOLOGY) as driver:
        with pytest.raises(ClassCastException, match="name cannot be"):
            getattr(driver, getter)(name)
        assert getattr(driver, getter)("other") is None
