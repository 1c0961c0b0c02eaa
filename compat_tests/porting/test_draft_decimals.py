"""Drafts of Java's BigDecimal: exact numbers with a scale."""

from __future__ import annotations

import pytest

from compat_tests.porting.running import HEAD, run
from millstream.porting.drafting.draft import draft

BEFORE = "import java.math.*; import java.util.stream.*; import java.math.BigDecimal;"
MEMBERS = (
    "static BigDecimal d(String s) { return new BigDecimal(s); }"
    " static class Total { private BigDecimal sum = BigDecimal.ZERO; private int n;"
    " Total add(BigDecimal x) { sum = sum.add(x); n++; return this; }"
    " BigDecimal mean() { return sum.divide(BigDecimal.valueOf(n), 2, RoundingMode.HALF_UP); } }"
)
EACH = 'String r = ""; for (String x : List.of({})) r += {} + " "; return r;'


# What Java 17 printed for these.
@pytest.mark.parametrize(
    ("java", "found"),
    [
        ('return "" + d("1.10").add(BigDecimal.valueOf(2)).multiply(d("3"));', "9.30"),
        ('return d("10").divide(d("4")) + " " + d("100").divide(d("2.50"));', "2.5 4E+1"),
        ('return d("123456789012345678901234567890.5").add(d("0.25")).toPlainString();',
         "123456789012345678901234567890.75"),
        ('return d("-1").multiply(d("0")) + " " + d("-0.001").setScale(2, RoundingMode.HALF_UP);',
         "0 0.00"),
        (EACH.format('"2.345", "-2.345", "2.3451"', "d(x).setScale(2, RoundingMode.HALF_EVEN)"),
         "2.34 -2.34 2.35 "),
        (EACH.format('"1", "-1", "2"', "d(x).divide(d(\"3\"), 2, RoundingMode.CEILING)"),
         "0.34 -0.33 0.67 "),
        (EACH.format('"1000", "-7.5", "0.001"', 'd(x).remainder(d("2.50"))'), "0 0.00 0.001 "),
        (EACH.format('"0.00", "100", "12.500"', "d(x).stripTrailingZeros()"), "0 1E+2 12.5 "),
        ('return BigDecimal.valueOf(12345, 2) + " " + BigDecimal.valueOf(100.0);', "123.45 100.0"),
        ('return d("1.0").equals(d("1.00")) + " " + d("1.0").compareTo(d("1.00"));', "false 0"),
        (('return Stream.of("1.5", "2").map(BigDecimal::new)'
         '.reduce(BigDecimal.ZERO, BigDecimal::add) + "";'), "3.5"),
        ('return new Total().add(d("1.005")).add(d("2")).mean() + "";', "1.50"),
        (('try { return "" + d("1").divide(d("3")); }'
         ' catch (ArithmeticException e) { return "no end"; }'), "no end"),
        (('try { return "" + d("1").divide(d("0")); }'
         ' catch (ArithmeticException e) { return "zero"; }'), "zero"),
        (('try { return "" + d("1.05").setScale(1); }'
         ' catch (ArithmeticException e) { return "rounds"; }'), "rounds"),
        ("return Stream.of(1, 2, 3).reduce(0, Integer::sum);", 6),
        ('return "\\"" + d("0.5").toString().length() + "\\"";', '"3"'),
    ],
)  # fmt: skip
def test_exact_numbers_are_what_they_are_in_java(java: str, found: object) -> None:
    assert run(f"static Object f() {{ {java} }} {MEMBERS}", before=BEFORE)["f"]() == found


@pytest.mark.parametrize(
    "java",
    [
        'Object f(BigDecimal a) { return a.divide(BigDecimal.TEN, MathContext.DECIMAL32); }',
        'Object f() { return new BigDecimal("1").ulp(); }',
        "record Price(String id, BigDecimal amount, BigDecimal tax) {}",
    ],
)  # fmt: skip
def test_what_differs_is_left(java: str) -> None:
    assert draft(f"{BEFORE} {HEAD} class A {{ {java} }}".encode()).left == (2,)


def test_getters_of_classes_that_are_not_at_hand_give_decimals() -> None:
    java = "static BigDecimal f(Order o) { return o.getPrice().multiply(new BigDecimal(2)); }"
    text = draft(f"{BEFORE} {HEAD} class A {{ {java} }}".encode()).text
    assert "return BigDecimal.multiply(o.getPrice(), BigDecimal.of(2))" in text
