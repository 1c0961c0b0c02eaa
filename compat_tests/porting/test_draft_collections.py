"""Drafts change maps and lists by functions, and know the types inside them, as Java does."""

from __future__ import annotations

import pytest

from compat_tests.porting.running import HEAD, run
from millstream.porting.drafting.draft import draft

MEMBERS = (
    "static int made = 0; static int make(String k) { made++; return k.length(); }"
    " static int sum(int... xs) { int t = 0; for (int x : xs) { t += x; } return t; }"
    " static String all(String by, String... xs) { return String.join(by, xs) + xs.length; }"
    " static void add(StringBuffer sb, boolean b) { sb.append(b); }"
    " static String half(double d) { return \"\" + d / 2; }"
    " static class Price { double v; Price(double v) { this.v = v; }"
    " String kind() { return getClass().getSimpleName(); } void set(double d) { v = d; }"
    " String show(double more) { return \"v\" + v + more; } }"
    " record Part(String s, int n) { Part { s = s.trim();"
    " if (n < 0) { throw new IllegalArgumentException(\"neg\"); } }"
    " Part(String s) { this(s, 7); } }"
    " static abstract class Page { String whole() { return start() + body() + end(); }"
    " String start() { return \"<\"; } abstract String body(); String end() { return \">\"; } }"
    " static class Long0 { int y = 2; } static class Longer extends Long0 { int n = 3;"
    " static final Longer LONGEST = new Longer(); int both() { return n + y; } }"
    " record Place(int x, int y) { static final Place ORIGIN = new Place(0, 0);"
    " static final int SIZE = 2; Place plus(Place o) { return new Place(x + o.x, y + o.y); } }"
    " interface Signs { String SIGN = \"sign\"; int N = 3; }"
    " static class Sign implements Signs { String shown() { return SIGN + N; } }"
    " enum Color { RED(\"r\"), BLUE(\"b\"); private static final String NONE = \"?\";"
    " private static final Map<String, Color> BY = new HashMap<>();"
    " static { for (Color c : values()) { BY.put(c.code, c); } }"
    " final String code; Color(String c) { code = c; }"
    " static Color by(String c) { return BY.get(c); } }"
)  # fmt: skip


# What Java 17 printed for these.
@pytest.mark.parametrize(
    ("java", "found"),
    [
        ('return sum(new int[] {1, 2}) + " " + sum(4, 5) + " " + sum();', "3 9 0"),
        ('int[] a = {1, 2, 3}; return "" + sum(a);', "6"),
        ('String[] a = {"x", "y"}; return all("-", a) + all("+", "q") + all("/");', "x-y2q10"),
        (
            (
                'Map<String, Integer> m = new LinkedHashMap<>(); m.put("a", 1); m.put("b", 2);'
                ' String s = ""; for (var e : m.entrySet()) {'
                ' s += e.getKey() + "=" + e.getValue() + ";"; } return s;'
            ),
            "a=1;b=2;",
        ),
        (
            (
                "var m = new HashMap<String, Map<String, Long>>();"
                ' m.put("a", new HashMap<>()); m.get("a").put("b", 1L);'
                ' String s = ""; for (var e : m.entrySet()) { for (var f : e.getValue().entrySet())'
                " { s += e.getKey() + f.getKey() + f.getValue(); } } return s;"
            ),
            "ab1",
        ),
        ('Map<String, Integer> m = new HashMap<>(); return "" + m.get("a");', "null"),
        ('Set<String> s = Set.of(); return s + "," + Set.of("a");', "[],[a]"),
        (
            (
                'Map<String, Integer> m = new HashMap<>(); m.put("a", 1); m.put("b", 5);'
                " m.entrySet().removeIf(e -> e.getValue() > 3); return m.toString();"
            ),
            "{a=1}",
        ),
        (
            (
                'Map<String, Integer> m = new HashMap<>(); m.put("a", 1); m.put("b", 5);'
                ' m.values().removeIf(v -> v > 3); m.put("c", 0);'
                ' m.keySet().removeIf(k -> k.equals("a")); return m.toString();'
            ),
            "{c=0}",
        ),
        (
            (
                "List<Integer> l = new ArrayList<>(List.of(1, 2, 3, 4));"
                ' boolean b = l.removeIf(x -> x % 2 == 0); return b + "" + l;'
            ),
            "true[1, 3]",
        ),
        (
            (
                "Map<String, Integer> m = new HashMap<>();"
                ' m.merge("a", 1, Integer::sum); m.merge("a", 4, (x, y) -> x * 10 + y);'
                ' m.merge("b", 1, Integer::sum); m.merge("b", 1, (x, y) -> null); return "" + m;'
            ),
            "{a=14}",
        ),
        (
            (
                "Map<String, Integer> m = new HashMap<>();"
                ' m.compute("a", (k, v) -> v == null ? 1 : v + 1);'
                ' m.compute("a", (k, v) -> v == null ? 1 : v + 1);'
                ' m.computeIfPresent("a", (k, v) -> v * 5);'
                ' m.computeIfPresent("b", (k, v) -> v * 5); return "" + m;'
            ),
            "{a=10}",
        ),
        (
            (
                "Map<String, Integer> m = new HashMap<>();"
                ' int a = m.computeIfAbsent("abc", k -> make(k));'
                ' m.computeIfAbsent("abc", A::make); return a + " " + made;'
            ),
            "3 1",
        ),
        (
            (
                "record Pair(String a, int b) {} List<Pair> l = new ArrayList<>();"
                ' l.add(new Pair("x", 3)); return l.get(0).a() + l.get(0).b() + l.get(0);'
            ),
            "x3Pair[a=x, b=3]",
        ),
        ('return new Part(" a ", 1).s() + new Part("b").n();', "a7"),
        (
            (
                'try { return "" + new Part("a", -1); }'
                " catch (IllegalArgumentException e) { return e.getMessage(); }"
            ),
            "neg",
        ),
        (
            (
                'return Color.by("b") + " " + Color.by("r").name() + Color.by("zz")'
                " + Color.values().length + Color.NONE;"
            ),
            "BLUE REDnull2?",
        ),
        (
            (
                "Price p = new Price(3); String s = p.show(1); p.set(7);"
                " return half(3) + s + p.show(2);"
            ),
            "1.5v3.01.0v7.02.0",
        ),
        ('double[] d = {1, 2}; return d[0] + d[1] + "" + d[0] + Double.toString(5);', "3.01.05.0"),
        ("return 0xFFFFFFFF + 0x7FFFFFFF;", 2147483646),
        (
            (
                "Map<String, Integer> m = new HashMap<>();"
                ' try { int n = m.get("a"); return "got" + n; }'
                ' catch (NullPointerException e) { return "npe"; }'
            ),
            "npe",
        ),
        (
            (
                "StringBuilder sb = new StringBuilder(16); for (int i = 0; i < 3; i++) {"
                " if (sb.length() > 0) { sb.append(','); } sb.append(i).append(1.0 * i); }"
                " return sb.toString();"
            ),
            "00.0,11.0,22.0",
        ),
        (
            (
                'StringBuffer sb = new StringBuffer("abc"); sb.reverse(); sb.insert(0, "x");'
                " sb.setLength(3); sb.deleteCharAt(0); sb.setCharAt(0, 'z'); add(sb, true);"
                ' return sb + "" + sb.charAt(1) + sb.indexOf("b");'
            ),
            "zbtrueb1",
        ),
        ("return new Price(1).kind();", "Price"),
        (
            (
                "List<Integer> out = new ArrayList<>(); List.of(1, 2, 3).forEach(x -> {"
                " for (int i = 0; i < 5; i++) { if (i == x) { return; } }"
                " if (x == 9) { return; } out.add(x); }); return out.size();"
            ),
            0,
        ),
        (
            (
                "List<String> out = new ArrayList<>(); Map<String, Integer> m = new"
                ' LinkedHashMap<>(); m.put("a", 1); m.put("b", 2); m.forEach((k, v) -> {'
                ' if (k.equals("a")) { return; } out.add(k + v); }); return out.get(0);'
            ),
            "b2",
        ),
        (
            (
                'return new Page() { int more = 3; String body() { return "b" + more; }'
                ' String end() { return "!"; } }.whole();'
            ),
            "<b3!",
        ),
        ("return new Longer().both() + Longer.LONGEST.n;", 8),
        ("return Place.ORIGIN.plus(new Place(1, 2)).x() + Place.SIZE;", 3),
        ("return new Sign().shown() + Signs.SIGN;", "sign3sign"),
        ("return new String(new byte[] {104, 105});", "hi"),
        ("return Duration.ofHours(1).plusMinutes(30).minusMillis(5).toMillis();", 5399995),
        (
            (
                "List<Supplier<Integer>> l = new ArrayList<>();"
                " for (int i = 0; i < 3; i++) { int k = i; l.add(() -> k); }"
                ' return l.get(0).get() + "" + l.get(2).get();'
            ),
            "02",
        ),
    ],
)
def test_a_value_is_what_it_is_in_java(java: str, found: object) -> None:
    before = "import java.util.function.*; import java.time.*;"
    made = run(f"static Object f() {{ {java} }} {MEMBERS}", before)["f"]()
    assert (made, type(made)) == (found, type(found))


def test_a_static_field_stands_below_the_method_that_makes_it() -> None:
    made = run(
        "static final int N = calc(4); static int calc(int x) { return x * x; }"
        " static { add(N); } static List<Integer> L; static void add(int n) { L = List.of(n); }"
        " static final P ZERO = new P(0); static int zero() { return ZERO.v; }"
        " static class P { final int v; P(int v) { this.v = v; } }"
    )
    assert (made["N"], made["L"], made["zero"]()) == (16, [16], 0)


@pytest.mark.parametrize(
    "java",
    [
        "static byte[] f() { return new byte[] {-1}; }",
        "record Two(int a, int b) { Two(int a) { this(a, a * 2); } }",
        (
            "static String f(Object o) { if (o instanceof Integer) { return \"int\"; }"
            " return o instanceof Long ? \"long\" : \"?\"; }"
        ),
        "static Object f() { return new java.util.concurrent.locks.ReentrantLock(); }",
    ],
)  # fmt: skip
def test_what_python_has_no_counterpart_for_is_left(java: str) -> None:
    assert set(draft(f"{HEAD} class A {{ {java} }}".encode()).left) == {2}


def test_a_loop_over_a_long_chain_of_kafka_is_no_place_that_is_left() -> None:
    java = (
        'void f(TopologyTestDriver d) { d.createOutputTopic("a-long-name", new'
        " StringDeserializer(), new StringDeserializer()).readKeyValuesToList()"
        '.forEach(kv -> System.out.println(kv.key + " is " + kv.value)); }'
    )
    before = "import org.apache.kafka.common.serialization.*; "
    assert draft(f"{HEAD} {before} class A {{ {java} }}".encode()).left == ()


def test_names_in_an_array_are_given_to_kafka_one_by_one() -> None:
    java = 'Topology f(String[] from) { return new Topology().addSource("in", from); }'
    assert '"in", *from_)' in draft(f"{HEAD} class A {{ {java} }}".encode()).text
