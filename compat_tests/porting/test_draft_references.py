"""Methods of what a variable holds, given to another method: ``prices::get``, ``PLUS::add``."""

from __future__ import annotations

import pytest

from compat_tests.porting.running import HEAD, run
from millstream.porting.drafting.draft import draft

MEMBERS = (
    "interface Acc { int add(int a, int b); }"
    " interface Full { int f(int x); default int g(int x) { return f(x) + 1; } }"
    " static class Triple implements Full { public int f(int x) { return x * 3; } }"
    " static final Acc PLUS = (a, b) -> a + b; static final Full TRIPLE = new Triple();"
    " static final Function<String, String> UP = String::toUpperCase;"
    " static final Predicate<String> SHORT = s -> s.length() < 2;"
    ' static final Map<String, Integer> PRICES = Map.of("a", 1, "bb", 2);'
    " final Function<Integer, Integer> twice = x -> x * 2;"
    " static int apply(BinaryOperator<Integer> op) { return op.apply(3, 4); }"
    " void nothing() {}"
)
BEFORE = "import java.util.function.*; import java.util.stream.*;"


# What Java 17 printed for these.
@pytest.mark.parametrize(
    ("java", "found"),
    [
        ("Stream.of(1, 2).map(twice::apply).collect(Collectors.toList())", "[2, 4]"),
        ('Stream.of("a", "bb").map(UP::apply).collect(Collectors.joining())', "ABB"),
        ('Stream.of("a", "bb").filter(SHORT::test).collect(Collectors.joining()) + 1', "a1"),
        ('Stream.of("bb", "c").map(PRICES::get).collect(Collectors.toList())', "[2, null]"),
        ('Stream.of("bb", "c").filter(PRICES::containsKey).collect(Collectors.joining())', "bb"),
        ('Stream.of("a", "bb").filter(known::contains).collect(Collectors.joining())', "a"),
        ('Stream.of("a", "bb").filter("a"::equals).collect(Collectors.joining())', "a"),
        ("Stream.of(1, 2).map(TRIPLE::f).collect(Collectors.toList())", "[3, 6]"),
        ("Stream.of(1, 2).map(TRIPLE::g).collect(Collectors.toList())", "[4, 7]"),
        ("apply(PLUS::add) + PLUS.add(1, 2)", "10"),
        ("Stream.of(1, 2).map(local::apply).collect(Collectors.joining())", "<1><2>"),
    ],
)
def test_a_method_of_what_a_variable_holds(java: str, found: str) -> None:
    made = run(
        f'{MEMBERS} String f() {{ Set<String> known = Set.of("a");'
        f' Function<Integer, String> local = x -> "<" + x + ">"; return "" + ({java}); }}',
        before=BEFORE,
    )
    assert made["A"]().f() == found


def test_a_further_method_of_a_lambdas_interface_is_left() -> None:
    java = (
        "interface Full { int f(int x); default int g(int x) { return f(x) + 1; } }"
        " static final Full ONE = x -> 1;\n"
        " static Object f() { return Stream.of(1).map(ONE::g).toList(); }"
    )
    assert draft(f"{HEAD}{BEFORE} class A {{ {java} }}".encode()).left == (3,)


def test_a_method_of_a_list_without_a_counterpart_is_left() -> None:
    java = "static Object f(List<String> l) { return Stream.of(1).map(l::listIterator).toList(); }"
    assert draft(f"{HEAD}{BEFORE} class A {{ {java} }}".encode()).left == (2,)


def test_a_method_of_kafka_is_no_function_of_the_program() -> None:
    names = run(
        "interface Acc { int add(int a, int b); } static int twice(Acc a) { return a.add(1, 2); }"
        ' static Headers f() { return new RecordHeaders().add("a", null).add("b", null); }',
        before="import org.apache.kafka.common.header.*;"
        " import org.apache.kafka.common.header.internals.*;",
    )
    assert [each.key() for each in names["f"]()] == ["a", "b"]


def test_a_number_after_what_may_be_a_text_is_a_part_of_the_text() -> None:
    java = 'static <K> String f(Windowed<K> w, K k) { return k + 1 + ".." + w; }'
    assert run(java)["f"]("w", "k") == "k1..w"
    assert run(java)["f"]("w", 4) == "5..w"
