"""Drafts give what Java gives where they went on in silence with something else."""

from __future__ import annotations

import pytest

from compat_tests.porting.running import HEAD, run
from millstream.porting.drafting.draft import draft

MEMBERS = (
    "static int asked = 0; static int ask() { asked += 1; return asked; }"
    " static String once() { return switch (ask()) { case 3 -> \"c\"; case 1 -> \"a\";"
    " case 2 -> \"b\"; default -> \"?\"; }; }"
    " static class Lost extends RuntimeException {"
    " Lost(String m, Throwable t) { super(m, t); } }"
    " enum Mark { LOW, HIGH }"
    " static class Place { String s; Integer n; Place(String s) { this.s = s; }"
    " public String toString() { return \"{s='\" + s + \"', n=\" + n + '}'; } }"
)  # fmt: skip


# What Java 17 printed for these.
@pytest.mark.parametrize(
    ("java", "found"),
    [
        ('switch (ask()) { case 3: return "c"; case 1: return "a"; default: return asked; }', "a"),
        ("return once() + asked;", "a1"),
        ("int n = 5; n *= 1.5; n += 0.9; n /= 2.0; return n;", 3),
        ("long n = -7; n -= 0.5; return n;", -7),
        ("char c = 'a'; c++; c += 2; return \"\" + c;", "d"),
        ("char[] c = {'a', 'b'}; return String.valueOf(c);", "ab"),
        ('Map<String, Integer> m = Map.of("a", 1); return "" + m.keySet() + m.values();', "[a][1]"),
        ('Map<String, Integer> m = Map.of("a", 1); return "" + m.entrySet();', "[a=1]"),
        (
            (
                'try { Objects.requireNonNull(null, "no key"); return "passed"; }'
                " catch (NullPointerException e) { return e.getMessage(); }"
            ),
            "no key",
        ),
        ('return Objects.requireNonNull("x") + "!";', "x!"),
        (
            (
                'try { try { throw new IllegalStateException("a"); }'
                ' catch (IllegalStateException e) { throw new Lost("b", e); } }'
                " catch (Lost e) { return e.getMessage() + e.getCause().getMessage(); }"
            ),
            "ba",
        ),
        ('Mark m = Mark.HIGH; return m.compareTo(Mark.LOW) + " " + Mark.LOW.compareTo(m);', "1 -1"),
        ('String s = null; return Optional.ofNullable(s).orElse("d");', "d"),
        ('return "" + new Place(null);', "{s='null', n=null}"),
    ],
)
def test_a_value_is_what_it_is_in_java(java: str, found: object) -> None:
    made = run(f"static Object f() {{ {java} }} {MEMBERS}")["f"]()
    assert (made, type(made)) == (found, type(found))


def test_a_getter_of_a_record_that_does_more_is_left() -> None:
    java = 'record Name(String s) { public String s() { return s == null ? "none" : s; } }'
    assert draft(f"{HEAD} class A {{ {java} }}".encode()).left == (2,)


@pytest.mark.parametrize(
    "java",
    [
        "static int n = 5; static int n() { return n * 2; }",
        "int x; int total; int total() { return total + 1; }",
        "String name; A name(String n) { name = n; return this; }",
        "Object f(String s) { return Optional.ofNullable(s).stream().toList(); }",
    ],
)
def test_what_would_end_with_an_error_that_says_nothing_is_left(java: str) -> None:
    assert draft(f"{HEAD} class A {{ {java} }}".encode()).left == (2,)


@pytest.mark.parametrize(
    "java",
    [
        "int total; int total() { return total; } int twice() { return total() * 2; }",
        "String name; void name(String n) { name = n; } String up() { return name.trim(); }",
        "enum Mark { LOW, HIGH; Mark other() { return this == LOW ? HIGH : LOW; } }",
        "int v; Runnable f() { return new Runnable() { int n; public void run() { n += v; } }; }",
    ],
)
def test_getters_setters_and_nameless_classes_are_not(java: str) -> None:
    assert draft(f"{HEAD} class A {{ {java} }}".encode()).left == ()


# What Java 17 gave for these.
@pytest.mark.parametrize(
    ("java", "found"),
    [
        pytest.param(
            "static class Sum { private int n; public void add(int x) { n += x; }"
            " public int getN() { return n; } }"
            " static Object f() { Sum s = new Sum(); s.add(3); s.add(4); return s.getN(); }",
            7,
            id="a method that adds is no setter",
        ),
        pytest.param(
            "static class K { int n; K(int n) { this.n = n; } @Override public boolean equals("
            "Object o) { return o instanceof K k && k.n == n; } @Override public int hashCode()"
            " { return n; } } static Object f() { K k = new K(1), none = null;"
            ' return "" + k.equals(none) + k.equals("x") + k.equals(new K(1)); }',
            "falsefalsetrue",
            id="equals of an object of another class",
        ),
        pytest.param(
            "static class K { private int n = 3; Supplier<Integer> next() { return () -> n++; }"
            " Supplier<Integer> more() { return () -> --n; } } static Object f() {"
            " K k = new K(); return List.of(k.next().get(), k.next().get(), k.more().get()); }",
            [3, 4, 4],
            id="a lambda that counts",
        ),
        pytest.param(
            "static int n = 0; static Object f() { List<Runnable> all = new ArrayList<>();"
            " all.add(() -> n += 2); all.add(() -> n += 3); all.forEach(Runnable::run);"
            " Function<Integer, Function<Integer, Integer>> add = a -> b -> a + b;"
            " return n + add.apply(2).apply(3); }",
            10,
            id="functions in a list, and of functions",
        ),
        pytest.param(
            "static class Few implements Iterable<Integer> { final int to; Few(int to)"
            " { this.to = to; } public Iterator<Integer> iterator() {"
            " return new Iterator<Integer>() { int at = 0; public boolean hasNext()"
            " { return at < to; } public Integer next() { return at++; } }; } }"
            " static Object f() { int sum = 0; for (int x : new Few(4)) { sum += x; }"
            " return sum; }",
            6,
            id="a loop over an object of the program",
        ),
        pytest.param(
            'static Object f() { Map<String, Long> m = new HashMap<>(); m.put("a", 1L);'
            ' m.put("b", 5L); List<Map.Entry<String, Long>> l = new ArrayList<>(m.entrySet());'
            " l.sort((x, y) -> Long.compare(y.getValue(), x.getValue()));"
            " return l.get(0).getKey(); }",
            "b",
            id="entries that a comparator sorts",
        ),
    ],
)
def test_what_objects_of_the_program_do(java: str, found: object) -> None:
    assert run(java, "import java.util.function.*;")["f"]() == found
