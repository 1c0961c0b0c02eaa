"""What a program forgets or gives wrongly is named where it happens: headers, init, patterns."""

from __future__ import annotations

import re
from typing import Any

import pytest

from millstream import (
    ClassCastException,
    ContextualFixedKeyProcessor,
    ContextualProcessor,
    Header,
    Headers,
    IllegalStateException,
    Record,
    StreamsBuilder,
    Topology,
)


@pytest.mark.parametrize("wrong", [[("name", b"value")], {"name": b"value"}, "name", 5])
def test_a_record_takes_headers_only(wrong: Any) -> None:
    with pytest.raises(ClassCastException, match="headers cannot be a"):
        Record("k", "v", 1, wrong)
    with pytest.raises(ClassCastException, match="headers cannot be a"):
        Record("k", "v", 1).withHeaders(wrong)


def test_a_record_has_headers_of_its_own() -> None:
    headers = Headers().add("name", b"value")
    records = Record("k", "v", 1, headers), Record("k", "v", 1).withHeaders(headers)
    headers.add("later", b"")
    assert [list(record.headers()) for record in records] == [[Header("name", b"value")]] * 2
    assert list(Record("k", "v", 1, None).headers()) == []


@pytest.mark.parametrize("wrong", [[("name", b"value")], ["name"], [Header("name", "text")]])  # type: ignore[arg-type]
def test_headers_are_made_of_headers(wrong: Any) -> None:
    with pytest.raises(ClassCastException):
        Headers(wrong)


def test_values_of_headers_are_copied_to_bytes() -> None:
    value = bytearray(b"value")
    given: Any = [Header("one", value), Header("none", None)]  # type: ignore[arg-type]
    headers = Headers(given)
    value.clear()
    assert [each.value() for each in headers] == [b"value", None]


@pytest.mark.parametrize("kind", [ContextualProcessor, ContextualFixedKeyProcessor])
def test_a_forgotten_init_is_named(kind: Any) -> None:
    class Forgetful(kind):  # type: ignore[misc]
        def init(self, context: Any) -> None:
            """Forget the context."""

        def process(self, record: Any) -> None:
            self.context().forward(record)

    processor = Forgetful()
    processor.init(None)
    with pytest.raises(IllegalStateException, match="has no context") as caught:
        processor.process(Record("k", "v", 1))
    assert "super().init(context)" in caught.value.hint


def test_a_pattern_of_topics_is_of_text() -> None:
    pattern: Any = re.compile(b"in.*")
    builder = StreamsBuilder()
    builder.stream(pattern)
    with pytest.raises(ClassCastException, match="pattern of bytes"):
        builder.build()
    with pytest.raises(ClassCastException, match="pattern of bytes"):
        Topology().addSource("source", pattern)
