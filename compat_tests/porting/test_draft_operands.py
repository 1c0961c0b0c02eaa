"""Drafts of calls whose arguments stand beside an operator, and of numbers of two types."""

from __future__ import annotations

import pytest

from compat_tests.porting.running import HEAD, run
from millstream.porting.drafting.draft import draft


# What Java 17 gave for these.
@pytest.mark.parametrize(
    ("java", "found"),
    [
        ("int a = 5, b = -9; return Math.floorMod(a + b, 7);", 3),
        ("int a = 5, b = 9; return Math.floorMod(a - b, 7) + Math.floorDiv(a + b, 3);", 7),
        ("boolean c = false; return Long.sum(3, c ? 1 : 2);", 5),
        ("boolean c = false; return Integer.sum(c ? 1 : 2, 5);", 7),
        ("boolean c = true; return Math.round(c ? 1.6 : 2.6);", 2),
        ("boolean c = true; return Long.compare(c ? 1L : 5L, 3);", -1),
        ("return Integer.compare(1, 2) * 3 + 10;", 7),
        ('String a = "a"; return 5 - a.compareTo("b");', 6),
        ('int n = 2; return "ab".repeat(n + 1);', "ababab"),
        ('int n = 2; return "x".concat(n > 1 ? "y" : "z");', "xy"),
        ('int n = 2; return List.of("a", "b").contains(n > 1 ? "z" : "a");', False),
        ('int n = 2; return Objects.equals(n > 1 ? "a" : "b", "b");', False),
        ("int n = 2; return Objects.equals(n > 1, n < 3);", True),
        ('String a = "A", b = "b"; return "ab".equalsIgnoreCase(a + b);', True),
        ('String s = null; return "ERROR".equalsIgnoreCase(s);', False),
    ],
)
def test_arguments_beside_an_operator(java: str, found: object) -> None:
    made = run(f"static Object f() {{ {java} }}")["f"]()
    assert (made, type(made)) == (found, type(found))


@pytest.mark.parametrize(
    ("java", "found"),
    [
        ("int n = 0; double t = 10; return n > 0 ? t / n : 0;", 0.0),
        ('int n = 0; double t = 10; return "a=" + (n > 0 ? t : 0);', "a=0.0"),
        ("Double x = null; double y = x == null ? 0 : x; return y;", 0.0),
        ("return Math.max(0, -1.5);", 0.0),
        ('return "v" + Math.min(2, 7.5) + Math.max(3, 4);', "v2.04"),
        (('Map<String, Integer> m = new HashMap<>(); m.put("a", 3);'
         ' double d = m.get("a"); return d;'), 3.0),
        ("Object o = 7; return o instanceof Integer i ? i + 1 : 0;", 8),
    ],
)  # fmt: skip
def test_whole_numbers_that_java_makes_decimals(java: str, found: object) -> None:
    made = run(f"static Object f() {{ {java} }}")["f"]()
    assert (made, type(made)) == (found, type(found))


def test_constants_of_classes_within_a_class() -> None:
    java = (
        'static final String PREFIX = "a"; static final int LIMIT = 4;'
        ' static class P { static final String NAME = PREFIX + "-p"; }'
        " static class Q extends P { static final String TWICE = NAME + NAME; }"
        " record R(int x) { static final int MAX = LIMIT * 2; }"
        " enum Kind { LOW(LIMIT), HIGH(LIMIT + 1); final int code; Kind(int c) { code = c; } }"
        " static final Made FIRST = new Made(3); static class Made { int n; Made(int n)"
        " { this.n = n; } int n() { return n + LIMIT; } }"
        " static Object f() { return P.NAME + Q.TWICE + R.MAX + Kind.HIGH.code + FIRST.n(); }"
    )
    assert run(java)["f"]() == "a-pa-pa-p857"
    # The class around stays one.
    assert run(f"int n; {java}")["A"].f() == "a-pa-pa-p857"


def test_serdes_of_shorter_numbers() -> None:
    before = (
        "import org.apache.kafka.common.serialization.*; import org.apache.kafka.streams.kstream.*;"
    )
    java = (
        "static Object f() { return List.of(Serdes.serdeFrom(Integer.class).serializer(),"
        " WindowedSerdes.timeWindowedSerdeFrom(Integer.class, 500L).serializer(),"
        " WindowedSerdes.sessionWindowedSerdeFrom(Short.class).serializer(),"
        " Serdes.serdeFrom(Long.class).serializer()); }"
    )
    whole, times, sessions, long_ = run(java, before)["f"]()
    assert len(whole.serialize("t", 1)) == 4
    assert len(long_.serialize("t", 1)) == 8
    assert type(times).__name__ == "TimeWindowedSerializer"
    assert type(sessions).__name__ == "SessionWindowedSerializer"


def test_texts_of_objects_of_lombok() -> None:
    java = (
        "@Data @AllArgsConstructor static class Order { String id; Double price; boolean paid; }"
        ' static String f() { return "o: " + new Order("x", 2.0, true) + new Order(null, null,'
        " false); }"
    )
    made = run(java, "import lombok.*;")["f"]()
    assert made == "o: Order(id=x, price=2.0, paid=true)Order(id=null, price=null, paid=false)"


# What Java 17 printed for these.
@pytest.mark.parametrize(
    ("java", "found"),
    [
        (
            ('return String.format("%,d|%,.2f|%+d|% d|%(d|%08.3f|%-8.2f|", 1234567, 9876.545, 5, 6,'
            " -7, -3.14159, 2.5);"),
            "1,234,567|9,876.55|+5| 6|(7)|-003.142|2.50    |",
        ),
        ('return String.format("%2$s %1$s %2$s", "a", "b") + "%s!".formatted(1.0);', "b a b1.0!"),
        (('return String.format("%S|%.2s|%5.1s|%c|%b|%x|%X", "ab", "xyz", "q", \'c\','
         " null, 255, 255);"),
         "AB|xy|    q|c|false|ff|FF"),
        ('return String.format("%e|%.1e|%n%%", 12345.678, 0.00012).replace("\\n", "/");',
         "1.234568e+04|1.2e-04|/%"),
        (('String p = "%s=%d;"; return String.format(p, "k", 3)'
         ' + String.format(Locale.US, "%.1f", 0.25);'),
         "k=3;0.3"),
        ('return String.format("%d %.1f %s %5d|", null, null, null, null);',
         "null n null  null|"),
        ('Object[] o = {"a", 1}; return String.format("%s-%s", o);', "a-1"),
    ],
)  # fmt: skip
def test_formats(java: str, found: str) -> None:
    assert run(f"static String f() {{ {java} }}")["f"]() == found


def test_a_format_of_another_locale_is_left() -> None:
    java = 'static String f(Locale l) { return String.format(l, "%.1f", 0.25); }'
    assert draft(f"{HEAD} class A {{ {java} }}".encode()).left


@pytest.mark.parametrize(
    ("java", "told"),
    [
        ("int h = 7; for (char c : s.toCharArray()) { h = 31 * h + c; } return h;", "overflows"),
        ("long h = 7; while (h < 9) { h *= 31; } return h;", "overflows"),
        ("float f = 0.1f; return f * 3;", "32 bits"),
        ("float f = 0.1f; f += 0.2; return f;", "32 bits"),
        ("int n = 0; for (int i = 1; i < 9; i *= 2) { n = n + i; } return n * 2;", ""),
        ("double d = 0.1; d *= 3; return d;", ""),
    ],
)
def test_numbers_of_other_sizes_are_told_once(java: str, told: str) -> None:
    made = draft(f"{HEAD} class A {{ static Object f(String s) {{ {java} }} }}".encode())
    assert len(made.left) == bool(told)
    assert told in made.text
