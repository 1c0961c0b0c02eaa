"""Drafts keep what Java's scopes mean: variables of loops, static fields."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.porting.running import HEAD, run
from millstream import KeyValue, Serdes, StreamsBuilder
from millstream.porting.drafting.draft import draft
from millstream.testing import TopologyTestDriver

DEFAULTS = {"default.key.serde": Serdes.String(), "default.value.serde": Serdes.String()}


def made(build: Any) -> list[KeyValue[str, str]]:
    """Return what comes out for one record in each of the topics a and b."""
    builder = StreamsBuilder()
    build(builder, ["a", "b"])
    text = Serdes.String()
    with TopologyTestDriver(builder.build(), DEFAULTS) as driver:
        for topic in ("a", "b"):
            driver.createInputTopic(topic, text.serializer(), text.serializer()).pipeInput("k", "v")
        output = driver.createOutputTopic("out", text.deserializer(), text.deserializer())
        return output.readKeyValuesToList()


def test_a_lambda_keeps_the_variable_of_its_loop() -> None:
    loops = [
        'for (String t : l) { b.<String, String>stream(t).mapValues(v -> t + v).to("out"); }',
        'l.forEach(t -> b.<String, String>stream(t).mapValues(v -> t + v).to("out"));',
        (
            "for (int i = 0; i < l.size(); i++) { String t = l.get(i);"
            ' b.<String, String>stream(t).mapValues(v -> { return t + v; }).to("out"); }'
        ),
        (
            "for (String t : l) { b.<String, String>stream(t).mapValues("
            " new ValueMapper<String, String>() {"
            ' public String apply(String v) { return t + v; } }).to("out"); }'
        ),
    ]
    for loop in loops:
        build = run(f"static void build(StreamsBuilder b, List<String> l) {{ {loop} }}")["build"]
        assert made(build) == [KeyValue("k", "av"), KeyValue("k", "bv")], loop


def test_a_longer_lambda_keeps_the_variable_of_its_loop() -> None:
    loop = (
        "for (String t : l) { b.<String, String>stream(t).mapValues(v -> {"
        ' String all = t; all += v; return all; }).to("out"); }'
    )
    build = run(f"static void build(StreamsBuilder b, List<String> l) {{ {loop} }}")["build"]
    assert made(build) == [KeyValue("k", "av"), KeyValue("k", "bv")]


def test_a_class_that_keeps_the_variable_of_its_loop_is_left() -> None:
    supplier = (
        "new ValueMapper<String, String>() { private int n; "
        "public String apply(String v) { n = 1; return t; } public void close() {} }"
    )
    java = (
        f"{HEAD} class A {{ static void f(StreamsBuilder b, List<String> l) {{"
        f" for (String t : l) b.stream(t).mapValues({supplier}); }} }}"
    )
    assert draft(java.encode()).left


def test_no_variable_outside_the_loop_becomes_a_parameter() -> None:
    text = draft(
        f"{HEAD} class A {{ static void f(List<String> l, String s) {{"
        " for (String t : l) { l.removeIf(x -> x.equals(s)); g(y -> y + s); } } }".encode()
    ).text
    assert 'g(lambda y: f"{text_of(y)}{s}")' in text


def test_static_fields_of_a_module_are_set_by_its_functions() -> None:
    names = run(
        "private static int count = 0; private static String last;"
        " static void note(String s) { count++; last = s; }"
        " static void qualified(String s) { A.last = s; }"
        " static String own() { String last = null; last = \"own\"; return last; }"
        " static void same(String last) { A.last = last + A.count; }"
        " static void each(List<String> l) { l.forEach(x -> { last = x; }); }"
        " static String now() { return last; } static int seen() { return count; }"
    )  # fmt: skip
    names["note"]("a")
    assert (names["seen"](), names["now"]()) == (1, "a")
    assert names["own"]() == "own"
    assert names["now"]() == "a"
    names["qualified"]("b")
    assert names["now"]() == "b"
    names["same"]("d")
    assert names["now"]() == "d1"
    names["each"](["c"])
    assert names["now"]() == "c"


def test_a_named_function_gets_the_keys_and_values_of_a_map() -> None:
    seen: list[object] = []
    names = run(
        "static void copied(Map<String, Long> m, Map<String, Long> to) { m.forEach(to::put); }"
        " static void told(Map<String, Long> m) { m.forEach(A::tell); }"
        " static void tell(String k, Long v) { SEEN.add(k + v); }",
        SEEN=type("Seen", (), {"add": seen.append}),
    )
    to = {"a": 1}
    names["copied"]({"a": 2, "b": 3}, to)
    assert to == {"a": 2, "b": 3}
    names["told"]({"a": 2, "b": 3})
    assert len(seen) == 2


# What Java 17 printed for these.
@pytest.mark.parametrize(
    ("java", "found"),
    [
        (
            (
                'String s = "out"; Object o = new Object() { String s;'
                ' void set() { s = "in"; } public String toString() { set(); return s; } };'
                " return o.toString() + s;"
            ),
            "inout",
        ),
        (
            (
                'String s = "out"; class In { String s = "in"; String f() { return s; }'
                " String g(String s) { return s; } } In in = new In(); return in.f() + in.g(s);"
            ),
            "inout",
        ),
        (
            (
                'String s = "out"; class Up { String s = "up"; } class In extends Up {'
                ' String f() { s += "!"; return s; } } return new In().f() + s;'
            ),
            "up!out",
        ),
        (
            (
                'String s = "out"; Object o = new Object() { int n = 1;'
                " public String toString() { return s + n; } }; return o.toString();"
            ),
            "out1",
        ),
    ],
)
def test_a_field_of_an_inner_class_comes_before_a_local_around_it(java: str, found: str) -> None:
    assert run(f"static String f() {{ {java} }}")["f"]() == found
