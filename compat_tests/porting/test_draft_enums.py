"""Enums in drafts: their constants are their names in JSON, whatever their constructors take."""

from __future__ import annotations

from dataclasses import make_dataclass
from typing import Any

import pytest

from compat_tests.porting.running import HEAD, run
from millstream import JsonSerde
from millstream.porting.drafting.draft import draft

ENUMS = (
    "enum Level { LOW(1), HIGH(5); private final int weight;"
    " Level(int w) { weight = w; } int weight() { return weight; } }"
    ' enum Card { ONLINE("on", 2), ATM("atm", 2.5); final String code; final double risk;'
    " Card(String code, double risk) { this.code = code; this.risk = risk; } }"
    ' enum Known { X("x"), Y("y"); final String name; final String value;'
    " Known(String n) { name = n; value = n + n; } String getName() { return name; }"
    " static Known of(String v) {"
    " for (Known k : values()) if (k.value.equals(v)) return k; return null; } }"
    ' enum Many { NONE, SOME("x", "y"), EMPTY(); final String[] all;'
    " Many(String... all) { this.all = all; } }"
)


# What Java 17 printed for these.
@pytest.mark.parametrize(
    ("java", "found"),
    [
        ("Level.HIGH.weight() + Level.LOW.name()", "5LOW"),
        ('Card.ONLINE.code + Card.ONLINE.risk + Card.valueOf("ATM").risk', "on2.02.5"),
        ('Known.of("yy").name() + Known.Y.getName() + Known.X.value + Known.Y', "YyxxY"),
        ("Stream.of(Known.values()).map(Known::name).collect(Collectors.joining())", "XY"),
        ("Stream.of(Known.values()).map(Known::getName).collect(Collectors.joining())", "xy"),
        ("Many.NONE.all.length + Many.SOME.all.length + Many.EMPTY.name()", "02EMPTY"),
    ],
)
def test_constants_have_what_they_are_made_with(java: str, found: str) -> None:
    text = f'static String f() {{ return "" + {java}; }} {ENUMS}'
    made = run(text, before="import java.util.stream.*;")
    assert made["f"]() == found


@pytest.mark.parametrize("name", ["Level.LOW", "Card.ATM", "Known.Y", "Many.EMPTY"])
def test_json_has_the_name_of_a_constant(name: str) -> None:
    names = run(ENUMS)
    kind, _, constant = name.partition(".")
    holder: Any = make_dataclass("Holder", [("it", names[kind])])
    serde = JsonSerde.of(holder)
    data = serde.serializer().serialize("t", holder(names[kind][constant]))
    assert data == f'{{"it":"{constant}"}}'.encode()
    assert serde.deserializer().deserialize("t", data) == holder(names[kind][constant])


def test_an_enum_calls_what_all_enums_have() -> None:
    names = run(
        "enum Size { S, M, L; boolean big() { return compareTo(M) > 0; }"
        " String shown() { return toString() + equals(S) + ordinal(); } }"
        " static boolean big(Size s) { return s.big(); }"
        " static String shown(Size s) { return s.shown(); }"
    )
    sizes = list(names["Size"])
    assert [names["big"](each) for each in sizes] == [False, False, True]
    assert [names["shown"](each) for each in sizes] == ["Strue0", "Mfalse1", "Lfalse2"]


def test_another_name_in_json_is_the_constants_value() -> None:
    json = "import com.fasterxml.jackson.annotation.*;"
    names = run('enum E { @JsonProperty("one") A, B } static E f() { return E.A; }', before=json)
    assert [each.value for each in names["E"]] == ["one", "B"]


def test_what_json_writes_instead_of_names_is_left() -> None:
    java = "enum E { A(1); @JsonValue final int n; E(int n) { this.n = n; } }"
    made = draft(f"{HEAD} class A {{ {java} }}".encode())
    assert made.left == (2,)
    assert "@JsonValue" in made.text


def test_constructors_that_disagree_about_a_value_are_left() -> None:
    java = 'P(int n, String s) {} P(int n) { this(n, "x"); } P() { this(0, "y"); }'
    assert draft(f"{HEAD} class P {{ {java} void f() {{}} }}".encode()).left == (2,)


@pytest.mark.parametrize(
    "java",
    [
        (
            "@AllArgsConstructor @Data static class P { double d; } static double f() {"
            " return new P(3).getD() / 2; }"
        ),
        (
            "@Builder @Data static class P { double d; } static double f() {"
            " return P.builder().d(3).build().getD() / 2; }"
        ),
        (
            "@RequiredArgsConstructor enum E { B(3); final double d; } static double f() {"
            " return E.B.d / 2; }"
        ),
    ],
)
def test_lomboks_constructors_make_doubles_of_whole_numbers(java: str) -> None:
    assert run(java, before="import lombok.*;")["f"]() == 1.5


def test_a_sign_is_its_number_in_a_variable_for_numbers() -> None:
    names = run('static String f(char c) { int i = c; c += 1; long l = c; return i + c + "" + l; }')
    assert names["f"]("a") == "19598"


def test_main_that_takes_any_number_of_arguments_gets_them_one_by_one() -> None:
    text = draft(
        b"class A { static void main(String... args) { System.out.println(args.length); } }"
    ).text
    assert "main(*sys.argv[1:])" in text
