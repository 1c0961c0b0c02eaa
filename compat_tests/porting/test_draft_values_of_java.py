"""What drafts read, ask and collect gives what Java gives, or is left."""

from __future__ import annotations

import pytest

from compat_tests.porting.running import HEAD, run
from millstream.porting.drafting.draft import draft

READ = """static Object f(String s) {
    try { return %s; } catch (NumberFormatException e) { return e.getMessage(); } }"""


# What Java 17 gave for these.
@pytest.mark.parametrize(
    ("java", "s", "found"),
    [
        ("Integer.parseInt(s)", "+7", 7),
        ("Integer.parseInt(s)", " 7", 'For input string: " 7"'),
        ("Integer.parseInt(s)", "1_000", 'For input string: "1_000"'),
        ("Integer.parseInt(s)", "", 'For input string: ""'),
        ("Integer.parseInt(s, 16)", "-fF", -255),
        ("Integer.valueOf(s)", "2147483648", 'For input string: "2147483648"'),
        ("Long.parseLong(s)", "2147483648", 2_147_483_648),
        ("Long.valueOf(s)", "9223372036854775808", 'For input string: "9223372036854775808"'),
        ("Double.parseDouble(s)", " 1.5 ", 1.5),
        ("Double.parseDouble(s)", "1e3d", 1_000.0),
        ("Double.parseDouble(s)", "-Infinity", float("-inf")),
        ("Double.parseDouble(s)", "1_0", 'For input string: "1_0"'),
        ("Double.valueOf(s)", "inf", 'For input string: "inf"'),
        ("Double.valueOf(s)", "nan", 'For input string: "nan"'),
    ],
)
def test_numbers_are_read_as_java_reads_them(java: str, s: str, found: object) -> None:
    assert run(READ % java)["f"](s) == found


def test_null_is_no_number() -> None:
    assert isinstance(run(READ % "Integer.parseInt(s)")["f"](None), str)


def test_a_reference_reads_numbers_in_the_same_way() -> None:
    names = run(
        "static Object f(List<String> l) { return l.stream().map(Long::valueOf).toList(); }"
    )
    assert names["f"](["3000000000"]) == [3_000_000_000]
    with pytest.raises(ValueError, match='For input string: " 1"'):
        names["f"]([" 1"])


@pytest.mark.parametrize(
    ("wanted", "yes", "no"),
    [
        ("Integer", 1, True),
        ("Long", 1, 1.0),
        ("Number", 1, "1"),
        ("Number", 1.5, None),
        ("Object", False, None),
        ("Collection", {1}, {1: 2}),
    ],
)
def test_objects_are_of_the_kinds_that_java_says(wanted: str, yes: object, no: object) -> None:
    asked = run(f"static boolean f(Object o) {{ return o instanceof {wanted}; }}")["f"]
    assert asked(yes) is True
    assert asked(no) is False


def test_an_empty_sum_of_doubles_is_a_double() -> None:
    names = run(
        "static Object f(List<Double> l) {"
        " return l.stream().mapToDouble(Double::doubleValue).sum(); }"
    )
    assert repr(names["f"]([])) == "0.0"
    assert names["f"]([1.5, 2.0]) == 3.5


@pytest.mark.parametrize(
    "java",
    [
        'm.putIfAbsent("a", 1) == null',
        "new LinkedHashSet<String>()",
        "new LinkedHashSet<>(m.keySet())",
        "new Use(LinkedHashSet::new)",
        "Integer.toBinaryString(5)",
        "Stream.of(1, 2).takeWhile(x -> x > 1).findFirst()",
        "use().all().stream().takeWhile(x -> true).toList()",
    ],
)
def test_what_python_s_own_would_do_otherwise_is_left(java: str) -> None:
    source = f"{HEAD} class A {{ Object f(Map<String, Integer> m) {{ return {java}; }} }}"
    assert draft(source.encode()).left == (2,)


def test_a_value_that_nobody_asks_for_is_put_if_absent() -> None:
    fill = run('static void f(Map<String, Integer> m) { m.putIfAbsent("a", 1); }')["f"]
    given = {"a": 0}
    fill(given)
    assert given == {"a": 0}


def test_what_a_list_does_not_have_has_no_place_in_it() -> None:
    find = run("static boolean f(List<String> l, String s) { return l.indexOf(s) >= 0; }")["f"]
    assert find(["a"], "a") is True
    assert find(["a"], "b") is False


def test_a_constant_by_its_name_has_what_enums_have() -> None:
    names = run('} enum E { A, B } class Use { static int f() { return E.valueOf("B").ordinal(); }')
    assert names["f"]() == 1
