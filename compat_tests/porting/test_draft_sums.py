"""Sums whose values may be texts or numbers, by what the draft can know of them."""

from __future__ import annotations

import pytest

from compat_tests.porting.running import HEAD, run
from millstream.porting.drafting.draft import draft

MEMBERS = (
    "static class Held<T> { T value; Held(T value) { this.value = value; } }"
    " static <A, B> String shown(Held<A> a, Held<B> b) { return a.value + (String) b.value; }"
)


# What Java 17 printed for these.
@pytest.mark.parametrize(
    ("java", "found"),
    [
        ('Held<String> a = new Held<>("a"); return a.value + new Held<>(3).value;', "a3"),
        ('Held<String> a = new Held<>("a"); Object o = null; return a.value + o;', "anull"),
        ('Held<String> a = new Held<>(null); return a.value + new Held<>("b").value;', "nullb"),
        ("Held<Integer> a = new Held<>(4); return a.value + new Held<>(3).value;", 7),
        (
            (
                'Held<String> a = new Held<>("a"); a.value += new Held<>(true).value;'
                " return a.value;"
            ),
            "atrue",
        ),
        ("int[] a = {1, 2}; int[] b = {3}; return a.length + b.length;", 3),
    ],
)
def test_a_text_among_two_values_makes_a_text(java: str, found: object) -> None:
    made = run(f"static Object f() {{ {java} }} {MEMBERS}")["f"]()
    assert (made, type(made)) == (found, type(found))


def test_getters_of_a_class_that_is_not_at_hand_may_give_texts() -> None:
    names = run("static Object f(Sender s) { return s.getCode() + s.getNumber(); }")

    class Sender:
        def __init__(self, code: object, number: object) -> None:
            self.getCode, self.getNumber = lambda: code, lambda: number

    assert [names["f"](Sender(*each)) for each in (("a", "b"), ("a", None), (1, 2))] == [
        "ab",
        "anull",
        3,
    ]


@pytest.mark.parametrize(
    "java",
    ["int n; int f(Other o) { return n + o.count(); }", "int f(Other o) { return 1 + o.count(); }"],
)
def test_a_number_that_is_known_is_added_plainly(java: str) -> None:
    assert "def added" not in draft(f"{HEAD} class A {{ {java} }}".encode()).text
