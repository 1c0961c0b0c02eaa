"""Questions of the live page with keys that a store's serde does not write: refused with 400."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from millstream import Processor, Record, Serdes, Stores, StreamsBuilder
from millstream.page.queries import RefusedQuery, answer
from millstream.testing import TopologyTestDriver


class Keeping(Processor[str, str, None, None]):
    """Makes the store known to the topology."""

    def process(self, record: Record[str, str]) -> None:
        """Do nothing."""


@pytest.mark.parametrize(
    ("serde", "key"),
    [
        ("string", "many"),
        ("boolean", "true"),
        ("integer", "99999"),
    ],
)
def test_a_key_that_the_serde_does_not_write_is_refused(serde: str, key: str) -> None:
    builder = StreamsBuilder()
    kept = Stores.inMemoryKeyValueStore("kept")
    builder.addStateStore(Stores.keyValueStoreBuilder(kept, Serdes.Short(), Serdes.String()))
    text = Serdes.String()
    builder.stream("in").process(Keeping, "kept")
    config = {"default.key.serde": text, "default.value.serde": text}
    with TopologyTestDriver(builder.build(), config) as driver:
        store = driver.getKeyValueStore("kept")
        view: Any = SimpleNamespace(
            notes=lambda: {"kept": SimpleNamespace(type="key-value", values="plain")},
            streams=SimpleNamespace(store=lambda parameters: store),
        )
        with pytest.raises(RefusedQuery, match="does not take this key") as caught:
            answer(view, "kept", {"key": key, "key_serde": serde})
        assert caught.value.status == 400
        assert "key_serde" in caught.value.hint
        found = answer(view, "kept", {"key": "7", "key_serde": "short"})
        assert found["entries"] == []
