"""Methods of one name in drafts."""

from __future__ import annotations

from pathlib import Path

from compat_tests.porting.running import HEAD, run
from millstream.porting.drafting.draft import draft, draft_file


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
        "static int f(int n) { return 1; } static int f(long n) { return 2; }",
        "static int f(List<A> l) { return 1; } static int f(List<String> l) { return 2; }",
        "static int f(int n) { return 1; } static int f(int... n) { return 2; }",
        "static int f(int n) { return 1; } static int f() { return g(A::f); }",
    ):
        made = draft(f"{HEAD}class A {{ {java} }}".encode())
        assert made.left == (2,), java
        assert "another method of this name" in made.text


def test_classes_of_parameters_tell_methods_apart() -> None:
    names = run(
        'static String f(String s, int n) { return "s" + n; }'
        ' static String f(double d, int n) { return "d" + d + n; }'
        ' static String f(Base b, int n) { return "base"; }'
        ' static String f(Below b, int n) { return "below"; }'
        " static String f(List<String> l, int n) { return f(l.get(0), n); }"
        ' static String f(boolean b, int n) { return b ? "yes" : "no"; }'
        ' String g(Long n) { return "n"; } String g(Base b) { return "g" + f(b, 1); }'
        " String h(String s) { return g(new Base()) + g(1L); }"
        " class Base { } class Below extends Base { }"
    )
    a, base, below = names["A"], names["Base"], names["Below"]
    given = ["x", 2, base(), below(), ["y"], True]
    assert [a.f(each, 1) for each in given] == ["s1", "d21", "base", "below", "s1", "yes"]
    assert a().h("") == "gbasen"


def test_static_methods_of_another_file_are_functions(tmp_path: Path) -> None:
    (tmp_path / "Maps.java").write_text(
        "class Maps { static int of(String s) { return 1; } static int of(Long n) { return 2; } }"
    )
    (tmp_path / "App.java").write_text(
        f"{HEAD}class App {{ static Object f(KStream<String, Long> s) {{"
        f" return s.mapValues(Maps::of); }} }}"
    )
    assert "return s.mapValues(Maps.of)" in draft_file(tmp_path / "App.java").text


def test_tests_of_one_name_are_all_run() -> None:
    text = draft(b"class ATest { @Test void a() {} @Test void a(String s) {} }").text
    assert "def test_a(self):" in text
    assert "def test_a_2(self, s):" in text
