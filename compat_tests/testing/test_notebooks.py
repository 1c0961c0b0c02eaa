"""What a notebook shows: topologies as drawings, records as tables, all texts escaped."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest

from millstream import Consumed, Headers, KeyValue, Produced, Serdes, StreamsBuilder, Topology
from millstream.testing import TestRecord, TopologyTestDriver
from millstream.testing.tables import RecordList, records_table

TEXT = Serdes.String()
EVIL = "<script>alert('&')</script>"


def copying() -> Topology:
    builder = StreamsBuilder()
    read, write = Consumed.with_(TEXT, TEXT), Produced.with_(TEXT, TEXT)
    builder.stream("in", read).to("out", write)
    return builder.build()


def run(*records: tuple[str | None, str]) -> Any:
    driver = TopologyTestDriver(copying(), {})
    source = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer(), 0, 1)
    for record in records:
        source.pipeInput(*record)
    return driver.createOutputTopic("out", TEXT.deserializer(), TEXT.deserializer())


def cells(html: str) -> list[str]:
    return [each.text or "" for each in ElementTree.fromstring(html).iter("td")]


def test_a_topology_is_a_drawing() -> None:
    drawn = copying()._repr_svg_()
    assert ElementTree.fromstring(drawn).tag == "{http://www.w3.org/2000/svg}svg"
    assert drawn == copying().describe()._repr_svg_()


def test_an_output_topic_is_a_table_and_its_records_stay_unread() -> None:
    output = run(("a", EVIL), (None, "y"))
    html = output._repr_html_()
    assert "<script>" not in html
    assert cells(html) == [
        *("'a'", repr(EVIL), "1970-01-01T00:00:00Z", ""),
        *("None", "'y'", "1970-01-01T00:00:00.001Z", ""),
    ]
    assert output.getQueueSize() == 2


def test_lists_that_topics_return_are_lists_and_tables() -> None:
    records = run(("a", "x")).readRecordsToList()
    assert records == [TestRecord("a", "x", 0)]
    assert cells(records._repr_html_())[:2] == ["'a'", "'x'"]
    pairs = run(("a", "x")).readKeyValuesToList()
    assert pairs == [KeyValue("a", "x")]
    assert cells(pairs._repr_html_()) == ["'a'", "'x'"]


def test_a_record_shows_its_headers_and_no_time_if_it_has_none() -> None:
    record = TestRecord("a", 1, Headers().add("<b>", b"x"))
    assert cells(record._repr_html_()) == ["'a'", "1", "", "<b>=b'x'"]


def test_long_lists_and_long_values_are_cut() -> None:
    html = RecordList(KeyValue("k", "v" * 10_000) for _ in range(103))._repr_html_()
    assert html.count("<tr>") == 101
    assert html.endswith("<p>and 3 more</p>")
    assert max(map(len, cells(html.partition("<p>")[0]))) < 600


def test_nothing_is_a_table_without_rows() -> None:
    assert cells(records_table([])) == []
    assert cells(run()._repr_html_()) == []


def test_a_loop_over_an_output_topic_reads_what_is_there() -> None:
    output = run(("a", "x"), ("b", "y"))
    assert [(each.key(), each.value()) for each in output] == [("a", "x"), ("b", "y")]
    assert output.isEmpty()
    assert list(output) == []


def test_serdes_and_stores_close_at_the_end_of_a_block() -> None:
    closed = []

    class Closes(type(TEXT)):  # type: ignore[misc]  # the class has no name in the public API
        def close(self) -> None:
            closed.append(self)

    with Closes() as serde:
        assert closed == []
    assert closed == [serde]
    with pytest.raises(KeyError), TEXT.serializer():
        raise KeyError
