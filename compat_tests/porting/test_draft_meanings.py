"""Drafts mean what Java means where the two languages differ unseen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compat_tests.porting.running import HEAD, run
from millstream import KeyValue, Serdes, StreamsBuilder
from millstream.porting.drafting.draft import draft
from millstream.testing import TopologyTestDriver


def given(java: str, s: str = "", n: int = 0, b: bool = False) -> object:
    """Return what a Java expression gives."""
    names = run(f"static Object f(String s, int n, long m, boolean b) {{ return {java}; }}")
    return names["f"](s, n, n, b)


# What Java 17 printed for these.
@pytest.mark.parametrize(
    ("java", "s", "n", "found"),
    [
        ("Math.round(n + 0.5)", "", 2, 3),
        ("Math.round(n - 0.5)", "", -2, -2),
        ("Boolean.valueOf(s)", "false", 0, False),
        ("Boolean.parseBoolean(s)", "TRUE", 0, True),
        ("s.hashCode()", "millstream", 0, -1_035_211_108),
        ("s.hashCode()", "\U0001f600 é", 0, 1_703_757_164),
        ("n >>> 28", "", -1, 15),
        ("m >>> 60", "", -1, 15),
        ('"a" + b', "", 0, "afalse"),
        ("String.valueOf(b) + s", "x", 0, "falsex"),
        (r's.replaceAll("(\\w+)-(\\w+)", "$2\\$$1")', "ab-cd", 0, "cd$ab"),
        (r's.replaceAll("(?<a>x)y", "${a}")', "xyz", 0, "xz"),
        (r's.replaceAll("\\W", "")', "naïve", 0, "nave"),
        (r's.matches("\\d+")', "٣", 0, False),
        ('String.join("-", s, s + 1, "c")', "ab", 0, "ab-ab1-c"),
        ('String.join("-", s)', "ab", 0, "ab"),
        ('String.join("-", java.util.List.of(s, s))', "ab", 0, "ab-ab"),
        ("Integer.parseInt(s, 16)", "ff", 0, 255),
    ],
)
def test_an_expression_means_what_it_means_in_java(
    java: str, s: str, n: int, found: object
) -> None:
    assert given(java, s, n) == found


@pytest.mark.parametrize(
    "java",
    [
        *("o.hashCode()", "Objects.hash(l, o)"),
        *('Objects.toString(o, "none")', "Integer.toString(1, 16)"),
    ],
)
def test_what_python_does_otherwise_is_left(java: str) -> None:
    source = f"{HEAD} class A {{ static Object f(List<String> l, Object o) {{ return {java}; }} }}"
    assert draft(source.encode()).left == (2,)


def test_a_hash_code_of_hash_codes_stays() -> None:
    names = run(
        "} class K { private String a; void run() {} "
        "public int hashCode() { return Objects.hash(a); }"
    )
    assert hash(names["K"]()) == hash(names["K"]())


def test_null_of_an_outer_join_is_written_as_in_java() -> None:
    build = run(
        "static void build(StreamsBuilder b) { KTable<String, String> t = b.table(\"t\");"
        " b.<String, String>stream(\"s\").leftJoin(t, (l, r) -> l + \"/\" + r).to(\"out\"); }"
    )["build"]  # fmt: skip
    builder = StreamsBuilder()
    build(builder)
    text = Serdes.String()
    config = {"default.key.serde": text, "default.value.serde": text}
    with TopologyTestDriver(builder.build(), config) as driver:
        driver.createInputTopic("s", text.serializer(), text.serializer()).pipeInput("k", "v")
        output = driver.createOutputTopic("out", text.deserializer(), text.deserializer())
        assert output.readKeyValue() == KeyValue("k", "v/null")


def test_constants_of_an_enum_in_a_switch_belong_to_it() -> None:
    names = run(
        "enum Kind { NEW, OLD } static int f(Kind k) { return switch (k) {"
        " case NEW -> 1; default -> 2; }; }"
        " static int g(Kind k) { switch (k) { case NEW: return 1; default: return 2; } }"
    )
    assert [names["f"](each) for each in names["Kind"]] == [1, 2]
    assert [names["g"](each) for each in names["Kind"]] == [1, 2]


def test_an_optional_is_the_value_or_none() -> None:
    names = run(
        "static Optional<String> find(String s) { return Optional.ofNullable(s); }"
        " static String f(String s) { Optional<String> o = find(s);"
        ' return o.isPresent() ? o.get() : o.orElse("none"); }'
        " static Optional<String> g() { return Optional.empty(); }"
    )
    assert (names["f"]("a"), names["f"](None), names["g"]()) == ("a", "none", None)


def test_what_a_context_knows_of_the_record_is_it_or_none() -> None:
    text = draft(
        f"{HEAD} class A {{ static void f(ProcessorContext<String, String> c) {{"
        " g(c.recordMetadata().isPresent(), c.recordMetadata().get().topic()); }".encode()
    ).text
    assert "g(c.recordMetadata() is not None, c.recordMetadata().topic())" in text


def test_limits_of_numbers_are_numbers() -> None:
    names = run(
        "static Object f() { return List.of(Integer.MAX_VALUE, Long.MIN_VALUE, Boolean.TRUE); }"
        " static Object g(int x) { return Math.min(x, -Integer.MAX_VALUE) + Integer.MIN_VALUE; }"
    )
    assert names["f"]() == [2**31 - 1, -(2**63), True]
    assert names["g"](0) == -(2**31 - 1) - 2**31


def test_a_method_of_an_interface_is_the_one_of_the_class_above() -> None:
    java = "class A implements Processor { public void close() { Processor.super.close(); } }"
    assert "super().close()" in draft(f"{HEAD} {java}".encode()).text


def test_a_missing_entry_becomes_an_empty_object() -> None:
    names = run(
        "static void f(Map<String, List<Integer>> m) {"
        ' m.computeIfAbsent("a", k -> new ArrayList<>()).add(1);'
        ' m.computeIfAbsent("a", k -> new ArrayList<>()).add(2); }'
    )
    found: dict[str, list[int]] = {}
    names["f"](found)
    assert found == {"a": [1, 2]}


def test_a_folder_for_a_test_is_a_temporary_one() -> None:
    names = run(
        'static String f() { return Files.createTempDirectory("t").toString(); }',
        "import java.nio.file.Files;",
    )
    assert Path(names["f"]()).is_dir()


def test_a_function_that_was_given_is_called() -> None:
    names = run(
        "static String f(Function<String, String> g, Supplier<String> s, Consumer<String> c,"
        " KeyValueMapper<String, String, String> m, BiPredicate<String, String> p) {"
        ' c.accept("x"); return p.test("a", "b") ? g.apply("x") + m.apply("k", "v") : s.get(); }',
        "import java.util.function.*;",
    )
    seen: list[str] = []

    def call(holds: bool) -> str:
        given = (str.upper, lambda: "s", seen.append, lambda k, v: k + v, lambda a, b: holds)
        return str(names["f"](*given))

    assert (call(True), call(False), seen) == ("Xkv", "s", ["x", "x"])


def test_an_object_with_a_method_keeps_it() -> None:
    java = (
        "static class Up implements ValueMapper<String, String> {"
        " public String apply(String s) { return s.toUpperCase(); } String name() { return u; }"
        ' private String u = "up"; }'
        ' static String f(ValueMapper<String, String> g) { return g.apply("x"); }'
        " static String h() { return f(new Up()); }"
    )
    assert run(java)["h"]() == "X"


def test_lists_of_a_tests_topics_are_read_by_index() -> None:
    java = (
        "static Object f(TestOutputTopic<String, String> o) { return o.readValuesToList().get(0); }"
    )
    assert "o.readValuesToList()[0]" in draft(f"{HEAD} class A {{ {java} }}".encode()).text


def test_a_random_number_is_at_least_0_and_below_1() -> None:
    names = run("static double f() { return Math.random(); }")
    assert all(0 <= names["f"]() < 1 for _ in range(50))


def test_equals_of_two_arguments_is_no_method_of_objects() -> None:
    class StringUtils:
        @staticmethod
        def equals(a: str, b: str) -> bool:
            return a == b

    names = run(
        "static boolean same(String a, String b) { return StringUtils.equals(a, b); }",
        StringUtils=StringUtils,
    )
    assert names["same"]("a", "b") is False
    assert names["same"]("a", "a") is True


def test_a_static_to_string_stands_beside_the_objects_own() -> None:
    made = draft(
        b"""class Place { final String town; Place(String town) { this.town = town; }
            public String toString() { return "P" + town; }
            static String toString(Place p) { return p == null ? "none" : p.toString(); }
            String both() { return toString() + toString(this) + toString(null); } }"""
    )
    names: dict[str, Any] = {}
    exec(compile(made.text, "draft", "exec"), names)  # noqa: S102
    assert names["Place"]("x").both() == "PxPxnone"
    assert str(names["Place"]("x")) == "Px"
    assert made.left == ()


def test_what_is_not_empty_is_true_and_not_the_list() -> None:
    names = run(
        "static boolean f(List<String> l) { return !l.isEmpty(); }"
        " static boolean g(List<String> l) { boolean b = l != null && !l.isEmpty(); return b; }"
        ' static String h(String s) { if (!s.isEmpty() && !s.isBlank()) { return s; } return "-"; }'
        ' static String i(String s) { return !s.isEmpty() ? s : "-"; }'
    )
    assert [names["f"](each) for each in (["a"], [])] == [True, False]
    assert [names["g"](each) for each in (["a"], [], None)] == [True, False, False]
    assert [names["h"](each) for each in ("a", " ", "")] == ["a", "-", "-"]
    assert [names["i"](each) for each in ("a", "")] == ["a", "-"]


def test_a_counter_that_changes_in_an_expression() -> None:
    names = run(
        "static int made = 0; int n; List<String> l = new ArrayList<>();"
        ' static String next() { return "t" + ++made; }'
        " static int[] fill() { int[] a = new int[3]; int i = 0; a[i++] = 5; a[i++] = 6;"
        " a[++i - 1] = 7; return a; }"
        " void add(String s) { l.add(s + n++); l.add(String.valueOf(--this.n));"
        " int m = n++; n += m; }"
    )
    made = names["A"]
    assert [made.next(), made.next()] == ["t1", "t2"]
    assert made.fill() == [5, 6, 7]
    one = made()
    one.add("x")
    assert (one.l, one.n) == (["x0", "0"], 1)


def test_a_counter_that_may_be_read_before_it_changes_is_left() -> None:
    for java in (
        "return n + n++;", "return f(0) + n++;", "while (n++ < 3) { } return n;",
        "return x > 0 && n++ > 1 ? 1 : 0;", "return x > 0 ? n++ : 0;",
        "Runnable r = () -> g(n++); return n;", "if (n++ > 2) { return 1; } return n;",
    ):  # fmt: skip
        made = draft(f"class A {{ int n; int f(int x) {{ {java} }} }}".encode())
        assert made.left, java


def test_a_loop_over_an_iterator_and_parts_joined_between_two_texts() -> None:
    names = run(
        "static String f(List<String> l) { for (Iterator<String> i = l.iterator(); i.hasNext();) {"
        ' String s = i.next(); if (s.isEmpty()) { continue; } if (s.equals("b")) { i.remove(); } }'
        ' return l.stream().map(s -> s + s).collect(Collectors.joining(", ", "[", "]")); }',
        before="import java.util.stream.*;",
    )
    assert names["f"](["a", "b", "", "c"]) == "[aa, , cc]"


def test_a_sum_of_whole_numbers_is_a_double_where_it_is_declared_so() -> None:
    names = run(
        "static String f(List<String> l) { double a = l.stream().mapToInt(String::length).sum();"
        ' double b = l.stream().filter(s -> s.isEmpty()).count(); return a + " " + b; }'
        " static double g(List<String> l) {"
        " return l.stream().mapToLong(s -> s.length()).sum() / 2; }"
    )
    assert names["f"](["a", "bc", ""]) == "3.0 1.0"
    assert names["g"](["a", "bc"]) == 1.0
