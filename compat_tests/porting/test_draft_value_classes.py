"""Drafts of classes of values with methods of their own, and of what their constructors give."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from compat_tests.porting.running import run
from millstream import JsonSerde
from millstream.porting.drafting.draft import draft

FIELDS = "private int n; private List<String> l = new ArrayList<>();"
GETTERS = "public int getN() { return n; } public void setN(int n) { this.n = n; }"


@pytest.mark.parametrize(
    ("before", "members"),
    [
        ("", FIELDS + GETTERS),
        ("@Getter @NoArgsConstructor", FIELDS),
        ("", "public int n; public List<String> l = new ArrayList<>();"),
        ("", FIELDS + " P() { } P(int n, List<String> l) { this.n = n; this.l = l; }" + GETTERS),
    ],
)
def test_a_class_of_values_with_methods_is_a_dataclass(before: str, members: str) -> None:
    made: Any = run(
        f"}} {before} class P {{ {members} public P add(String s) {{ l.add(s); n++; return this; }}"
        " public boolean big() { return l.size() > 1; } public static P empty() { return new P(); }"
    )["P"]
    value = made.empty().add("a").add("b")
    assert (value.n, value.l, value.big()) == (2, ["a", "b"], True)
    serde: Any = JsonSerde.of(made)
    data = serde.serializer().serialize("t", value)
    assert data == b'{"n":2,"l":["a","b"]}'
    assert serde.deserializer().deserialize("t", data).add("c").n == 3


@pytest.mark.parametrize(
    "java",
    [
        "@Service class P { private int n; public int getN() { return n; } void f() { } }",
        "class P { private final List<String> l; P(List<String> l) { this.l = l; } void f() { } }",
        "class P { private Runnable r = () -> f(); Runnable getR() { return r; } void f() { } }",
        "class P { public int n; public int n() { return n + 1; } }",
    ],
)
def test_other_classes_stay_classes(java: str) -> None:
    assert "@dataclass" not in draft(f"import java.util.*; {java}".encode()).text


def test_a_shorter_constructor_gives_values_by_default() -> None:
    names = run(
        '} class P { String a; int n; double d; P() { this("x", 1, 2); }'
        " P(String a, int n, double d) { this.a = a; this.n = n; this.d = d; }"
        "} class Q { String a; List<String> l; Kind k = Kind.OLD;"
        " Q(String a) { this.a = a; this.l = new ArrayList<>(); this.k = Kind.NEW; }"
        "} enum Kind { NEW, OLD } class R { private int n; private Kind k;"
        " R() { n = 5; k = Kind.OLD; }"
    )
    assert dataclasses.astuple(names["P"]()) == ("x", 1, 2.0)
    one, two = names["Q"]("a"), names["Q"]("b")
    one.l.append("c")
    assert (one.a, two.l, two.k) == ("a", [], names["Kind"].NEW)
    assert (names["R"]().n, names["R"]().k) == (5, names["Kind"].OLD)


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ("P(String a) { this(a, 7); } P() { }", "of a; its values are others."),
        ("P(int n) { this.n = n; }", "of n; give these by name."),
        ("P(String a) { this(a, a.length()); }", "of a; its values are others."),
    ],
)
def test_constructors_that_do_not_agree_are_told(other: str, told: str) -> None:
    made = draft(
        "class P { String a; int n; P(String a, int n) { this.a = a; this.n = n; }\n"
        f"{other} }}".encode()
    )
    assert made.left == (2,)
    assert f"# Java, line 2: another constructor, {told}" in made.text


def test_lombok_takes_final_fields_first() -> None:
    made = run(
        "} @Data class P { private int n; private final String a; boolean f() { return n > 0; }"
    )
    assert (made["P"]("x").a, made["P"]("x").f()) == ("x", False)


def test_a_class_that_a_builder_makes_is_one_of_values() -> None:
    names = run(
        "} class P { private String id; private List<String> tags;"
        " private P(Builder builder) { id = builder.id; tags = builder.tags; } P() { }"
        " public String getId() { return id; } public List<String> getTags() { return tags; }"
        " public static Builder builder() { return new Builder(); }"
        " public boolean tagged() { return !tags.isEmpty(); }"
        " static class Builder { private String id; private List<String> tags = new ArrayList<>();"
        " Builder withId(String id) { this.id = id; return this; }"
        " Builder tag(String tag) { tags.add(tag); return this; }"
        " P build() { return new P(this); } }"
    )
    made: Any = names["P"]
    value = made.builder().withId("a").tag("b").build()
    serde: Any = JsonSerde.of(made)
    data = serde.serializer().serialize("t", value)
    assert data == b'{"id":"a","tags":["b"]}'
    read = serde.deserializer().deserialize("t", data)
    assert (read.id, read.tags, read.tagged()) == ("a", ["b"], True)
    assert len({value, read}) == 2
    assert (made().id, made().tags) == (None, None)


def test_a_method_that_adds_is_no_setter() -> None:
    java = (
        "static class Sum { private int n; private double most; public void add(int x) { n += x; }"
        " public int getN() { return n; } public void setN(int n) { this.n = n; } }"
        " static int f() { Sum s = new Sum(); s.setN(1); s.add(3); s.add(4); return s.getN(); }"
    )
    assert run(java)["f"]() == 8
