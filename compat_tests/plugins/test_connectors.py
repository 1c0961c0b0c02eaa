"""Connectors pass the kit, and `replay` runs a topology over them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from millstream import Serdes, StreamsBuilder
from millstream.core.chunk import RawChunk
from millstream.core.errors import IllegalArgumentException, PluginError
from millstream.plugins.stock.connectors import FilesConnector, MemoryConnector
from millstream.testing import replay
from millstream.testing.kit import BrokenPromise, ConnectorTests, run_suite

TEXT = {"default.key.serde": "string", "default.value.serde": "string"}


class TestFiles(ConnectorTests):
    connector_class = FilesConnector


class TestMemory(ConnectorTests):
    connector_class = MemoryConnector


class Forgetful(MemoryConnector):
    """Loses headers."""

    def write(self, chunk: RawChunk) -> None:
        chunk.headers = None
        super().write(chunk)


def test_a_broken_connector_is_caught() -> None:
    suite = type("Suite", (ConnectorTests,), {"connector_class": Forgetful})
    (outcome,) = run_suite(suite, ["test_what_is_written_is_read"])
    assert isinstance(outcome.error, BrokenPromise)
    assert outcome.message().startswith("broken promise: read yields what was written, in order")


def counted() -> Any:
    builder = StreamsBuilder()
    builder.stream(["one", "two"]).selectKey(
        lambda key, value: value
    ).groupByKey().count().toStream().mapValues(str).to("counts")
    return builder.build()


def test_recorded_topics_go_through_a_topology_in_the_order_of_time(tmp_path: Path) -> None:
    (tmp_path / "one.jsonl").write_text(
        '{"key": null, "value": "a", "timestamp": 1}\n{"key": null, "value": "b", "timestamp": 5}\n'
    )
    (tmp_path / "two.jsonl").write_text('{"key": null, "value": "b", "timestamp": 3}\n')
    (tmp_path / "unread.jsonl").write_text("not even JSON\n")
    counts = replay(counted(), f"files:{tmp_path}", f"files:{tmp_path / 'out'}", TEXT)
    assert counts == {"counts": 3}
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["counts.jsonl"]
    assert (tmp_path / "out" / "counts.jsonl").read_text().splitlines() == [
        '{"key": "a", "value": "1", "timestamp": 1}',
        '{"key": "b", "value": "1", "timestamp": 3}',
        '{"key": "b", "value": "2", "timestamp": 5}',
    ]


def test_a_line_that_is_no_record_is_named(tmp_path: Path) -> None:
    (tmp_path / "one.jsonl").write_text('{"key": null, "value": "a", "timestamp": 1}\n{"key": 1}\n')
    with pytest.raises(IllegalArgumentException, match=r'cannot read line 2 of ".*one\.jsonl"'):
        replay(counted(), f"files:{tmp_path}", MemoryConnector(), TEXT)


def test_a_place_without_a_connectors_name_is_an_error() -> None:
    with pytest.raises(IllegalArgumentException, match='"folder" does not say where topics are'):
        replay(counted(), "folder", MemoryConnector(), TEXT)
    with pytest.raises(PluginError, match='no installed plugin offers a connector named "flies"'):
        replay(counted(), "flies:folder", MemoryConnector(), TEXT)


def test_bytes_that_are_no_text_keep_their_value(tmp_path: Path) -> None:
    source = MemoryConnector()
    source.write(
        RawChunk("in", 0, [0], [7], [b"\xff"], [Serdes.Long().serializer().serialize("", 3)])
    )
    builder = StreamsBuilder()
    builder.stream("in").to("out")
    raw = {"default.key.serde": Serdes.ByteArray(), "default.value.serde": Serdes.ByteArray()}
    assert replay(builder.build(), source, f"files:{tmp_path}", raw) == {"out": 1}
    line = (tmp_path / "out.jsonl").read_text()
    assert line == (
        '{"key": {"base64": "/w=="}, "value": "\\u0000\\u0000\\u0000\\u0000\\u0000\\u0000\\u0000'
        '\\u0003", "timestamp": 7}\n'
    )
