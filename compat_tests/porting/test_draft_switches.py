"""Drafts of switches that give a value, and of those over types."""

from __future__ import annotations

import pytest

from compat_tests.porting.running import HEAD, run
from millstream.porting.drafting.draft import draft

SHAPES = (
    "sealed interface Shape permits Circle, Square {} record Circle(double r) implements Shape {}"
    " record Square(double a, String name) implements Shape {} enum Level { LOW, HIGH }"
)


# What Java 21 gives for these.
@pytest.mark.parametrize(
    ("java", "found"),
    [
        pytest.param(
            "static String f() { return g(1) + g(2) + g(9); } static String g(int i) { try {"
            ' return switch (i) { case 1 -> "one"; case 2, 3 -> { String t = "t"; yield t + i; }'
            ' default -> throw new IllegalArgumentException("no " + i); };'
            " } catch (IllegalArgumentException e) { return e.getMessage(); } }",
            "onet2no 9",
            id="a throw and a block",
        ),
        pytest.param(
            "static Object f() { return List.of(g(Level.LOW), g(Level.HIGH)); }"
            " static int g(Level l) { int n = switch (l) { case LOW -> 1;"
            " case HIGH -> { if (l == Level.LOW) { yield 7; } else { yield 5; } } }; return n; }",
            [1, 5],
            id="an enum, all of it",
        ),
        pytest.param(
            'static String f() { return g(new Circle(2)) + g(new Square(3, "s"))'
            ' + g(new Square(1, "t")); } static String g(Shape s) { return switch (s) {'
            ' case Circle c -> "c" + c.r(); case Square q when q.a() > 2 -> "big" + q.name();'
            ' case Square q -> "q" + q.a(); }; }',
            "c2.0bigsq1.0",
            id="types",
        ),
        pytest.param(
            'static String f() { return g(new Circle(2)) + g(new Square(3, "s")) + g(null); }'
            ' static String g(Shape s) { switch (s) { case null -> { return "none"; }'
            ' case Circle(double r) -> { return "c" + r; }'
            " case Square(double a, String n) -> { return n + a; } } }",
            "c2.0s3.0none",
            id="parts of records",
        ),
        pytest.param(
            "static Object f() { return List.of(g(1), g(2)); } static double g(int i) {"
            " double d = switch (i) { case 1 -> 1; default -> { yield 2; } }; return d; }",
            [1.0, 2.0],
            id="doubles",
        ),
        pytest.param(
            "static String f() { return String.join(g(2), g(1), g(3)); } static String g(int i) {"
            ' return h(switch (i) { case 1: yield "a"; case 2: yield "b"; default: yield "c";'
            " }); } static String h(String s) { return s + s; }",
            "aabbcc",
            id="labels with colons, within a call",
        ),
    ],
)
def test_a_value(java: str, found: object) -> None:
    assert run(f"{SHAPES} {java}")["f"]() == found
    assert not draft(f"{HEAD} class A {{ {SHAPES} {java} }}".encode()).left


def test_a_value_that_python_cannot_place_is_left() -> None:
    for java in (
        (
            "static boolean f(int i) { return i > 1 && switch (i) { case 1 -> true;"
            " default -> throw new IllegalStateException(); }; }"
        ),
        (
            "static int f(Object o) { return switch (o) { case Integer i -> 1; case Long l -> 2;"
            " default -> 3; }; }"
        ),
        (
            "static int f(int i) { int n = switch (i) { case 1 -> { for (int k = 0; k < 9; k++)"
            " if (k == i) yield k; yield 3; } default -> 4; }; return n; }"
        ),
    ):
        assert draft(f"{HEAD} class A {{ {java} }}".encode()).left, java
