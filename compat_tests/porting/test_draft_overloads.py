"""Methods of one name in drafts."""

from __future__ import annotations

from compat_tests.porting.running import HEAD, run
from millstream.porting.drafting.draft import draft


def test_static_methods_are_told_apart_by_the_number_of_arguments() -> None:
    names = run(
        'static String f() { return f("a"); } static String f(String s) { return f(s, 2); }'
        " static String f(String s, int n) { return s + n; }"
    )
    assert names["f"]() == "a2"
    assert names["f"]("b") == "b2"
    assert names["f"]("b", 3) == "b3"


def test_methods_of_an_object_are_told_apart_too() -> None:
    names = run(
        "int n = 1; int f() { return f(2); } int f(int m) { return n + m; }"
        " static int g(int a) { return g(a, 4); } static int g(int a, int b) { return a + b; }"
    )
    made = names["A"]()
    assert (made.f(), made.f(5), names["A"].g(1), made.g(1, 2)) == (3, 6, 5, 3)


def test_what_only_types_tell_apart_is_left() -> None:
    for java in (
        "static int f(int n) { return 1; } static int f(String s) { return 2; }",
        "static int f(int n) { return 1; } static int f(int... n) { return 2; }",
        "static int f(int n) { return 1; } static int f() { return g(A::f); }",
    ):
        made = draft(f"{HEAD}class A {{ {java} }}".encode())
        assert made.left == (2,), java
        assert "another method of this name" in made.text


def test_tests_of_one_name_are_all_run() -> None:
    text = draft(b"class ATest { @Test void a() {} @Test void a(String s) {} }").text
    assert "def test_a(self):" in text
    assert "def test_a_2(self, s):" in text
