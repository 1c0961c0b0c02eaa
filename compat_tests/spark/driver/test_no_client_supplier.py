"""What stands after the configuration in Java: a client supplier, a clock."""

from __future__ import annotations

from typing import Any

import pytest

from millstream import KafkaStreams, StreamsBuilder, UnsupportedOperationException


def test_a_client_supplier_or_a_clock_is_told_what_replaces_it() -> None:
    builder = StreamsBuilder()
    builder.stream("in").to("out")
    config = {"application.id": "app", "bootstrap.servers": "nowhere:0"}
    made: Any = KafkaStreams
    for others in ((object(),), (object(), 5), ("session",)):
        with pytest.raises(UnsupportedOperationException, match="topology and a conf") as raised:
            made(builder.build(), config, *others)
        assert "consumer." in raised.value.hint
        assert "spark=session" in raised.value.hint
