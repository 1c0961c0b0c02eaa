"""Drafts of chains of Java's Optional, which is the value or None."""

from __future__ import annotations

import pytest

from compat_tests.porting.running import run
from millstream import ContextualProcessor, Record
from millstream.testing import MockProcessorContext


@pytest.mark.parametrize(
    ("java", "given", "found"),
    [
        ('return Optional.ofNullable(m.get(k)).orElse("d");', ["v", None], ["v", "d"]),
        ('return Optional.ofNullable(m.get(k)).orElseGet(() -> "d");', ["v", None], ["v", "d"]),
        (
            (
                "Optional<String> o = Optional.ofNullable(m.get(k));"
                ' return o.map(String::trim).filter(s -> !s.isEmpty()).orElse("d") + 1;'
            ),
            [" v", " ", None],
            ["v1", "d1", "d1"],
        ),
        (
            (
                "var o = Optional.ofNullable(m.get(k)).flatMap(s -> Optional.of(s + s));"
                " return o.isPresent() ? o.get() : null;"
            ),
            ["v", None],
            ["vv", None],
        ),
        (
            (
                "List<String> l = new ArrayList<>();"
                " Optional.ofNullable(m.get(k)).map(s -> s + 1).ifPresent(s -> { l.add(s); });"
                " return l;"
            ),
            ["v", None],
            [["v1"], []],
        ),
        (
            (
                "return m.values().stream().filter(v -> v != null).findFirst()"
                '.map(s -> s + "!").orElse("none");'
            ),
            ["v", None],
            ["v!", "none"],
        ),
    ],
)
def test_a_chain_is_what_it_is_in_java(
    java: str, given: list[str | None], found: list[object]
) -> None:
    function = run(f"static Object f(Map<String, String> m, String k) {{ {java} }}")["f"]
    assert [function({"k": value}, "k") for value in given] == found


def test_a_missing_value_is_an_error() -> None:
    java = "return Optional.ofNullable(m.get(1)).map(s -> s + 1).orElseThrow();"
    function = run(f"static Object f(Map<Integer, String> m) {{ {java} }}")["f"]
    assert function({1: "v"}) == "v1"
    with pytest.raises(TypeError):
        function({})


def test_the_metadata_of_a_record_may_be_missing() -> None:
    source = (
        "} class Where extends ContextualProcessor<String, String, String, String> {"
        " public void process(Record<String, String> r) { context().forward(r.withValue("
        'context().recordMetadata().map(m -> m.topic()).orElse("nowhere"))); }'
    )
    names = run(source, "import org.apache.kafka.streams.processor.api.*;")
    context: MockProcessorContext[str, str] = MockProcessorContext()
    processor: ContextualProcessor[str, str, str, str] = names["Where"]()
    processor.init(context)
    processor.process(Record("k", "v", 0))
    context.setRecordMetadata("in", 0, 5)
    processor.process(Record("k", "v", 0))
    assert [each.record().value() for each in context.forwarded()] == ["nowhere", "in"]
