"""Drafts compute, compare and write values as Java does, also in loops; what differs is left."""

from __future__ import annotations

import pytest

from compat_tests.porting.running import HEAD, run
from millstream.porting.drafting.draft import draft

OBJECTS = (
    "enum Mark { LOW, HIGH; Mark next() { return values()[(ordinal() + 1) % values().length]; } }"
    ' enum Twin { A("x"), B("x"); final String s; Twin(String s) { this.s = s; } }'
    " record Place(int x, double y) {}"
    " static class Made { static final Map<String, Integer> M = new HashMap<>();"
    ' static { M.put("a", 1); } final int id; Made(int id) { this.id = id; }'
    " int plus() { return id + M.get(\"a\"); } }"
    " static class Key { final String a; int b; Key(String a, int b) { this.a = a; this.b = b; }"
    " public boolean equals(Object o) { return a.equals(((Key) o).a); }"
    " public int hashCode() { return a.hashCode(); } }"
)  # fmt: skip


# What Java 17 printed for these.
@pytest.mark.parametrize(
    ("java", "found"),
    [
        ('int a = -7; int b = 2; return a / b + " " + a % b;', "-3 -1"),
        (
            'Map<String, Integer> m = Map.of("a", 7, "b", -2); return m.get("a") / m.get("b");',
            -3,
        ),
        ('double d = 3; d /= 2; int n = -7; n /= 2; n %= 2; return d + "/" + n;', "1.5/-1"),
        ('return "p" + Math.pow(2, 3);', "p8.0"),
        (
            'double d = 3; double e = 7 / 2; return d + " " + e + " " + 1e10 + " " + 1e-5;',
            "3.0 3.0 1.0E10 1.0E-5",
        ),
        ('boolean b = true; return b + " " + !b + " " + (1 < 2);', "true false true"),
        ('List<String> l = List.of("x", "y"); return "l" + l + Map.of("a", 1);', "l[x, y]{a=1}"),
        ('String[] s = {"x", null}; return Arrays.toString(s);', "[x, null]"),
        ('Map<String, String> m = new HashMap<>(); return "m" + m.get("a");', "mnull"),
        (
            'return String.format("%.1f %.2f|%5.1f|%s %s%%", 0.25, 1.005, 2.0, true, null);',
            "0.3 1.01|  2.0|true null%",
        ),
        ('return "" + new Place(1, 2);', "Place[x=1, y=2.0]"),
        ('return Mark.HIGH.next() + " " + Mark.LOW;', "LOW LOW"),
        ("return new Made(2).plus();", 3),
        (
            (
                'Map<Key, Integer> m = new HashMap<>(); m.put(new Key("a", 1), 5); return '
                'm.get(new Key("a", 2));'
            ),
            5,
        ),
        ("String s = \"7a\"; return s.charAt(0) - '0' + (int) 'a' + \" \" + (char) 65;", "104 A"),
        (
            'String s = """\n    {\n      "a": "b\\\\n"\n    }\n  """; return s;',
            '  {\n    "a": "b\\n"\n  }\n',
        ),
        (
            (
                'Set<String> seen = new HashSet<>(); String a = "x"; boolean b = '
                'seen.add(a); return b + " " + seen.add(a);'
            ),
            "true false",
        ),
        (
            (
                "int n = 0; for (int i = 0; i < 9; i += 4) { n += i; } for (int i = 3; i > "
                "0; i--) { n += i; } return n;"
            ),
            18,
        ),
        (
            (
                "List<Integer> a = new ArrayList<>(List.of(1, 2)); int n = 0; for (int i = "
                "0; i < a.size(); i++) { if (i == 0) { a.add(9); } n++; } return n;"
            ),
            3,
        ),
        ('return Twin.B + " " + Twin.values().length + (Twin.A == Twin.B);', "B 2false"),
        (
            (
                'try { Integer.parseInt("z"); return 0; } catch (IllegalArgumentException e) '
                "{ return 1; }"
            ),
            1,
        ),
        (
            (
                "try { List<Integer> l = new ArrayList<>(); return l.get(5); } "
                "catch (RuntimeException e) { return 1; }"
            ),
            1,
        ),
        (
            (
                'try { throw new Exception("x"); } catch (RuntimeException e) { return 1; } '
                "catch (Exception e) { return 2; }"
            ),
            2,
        ),
        (
            (
                'try { Mark.valueOf("NONE"); return 0; } catch (IllegalArgumentException e) '
                "{ return 1; }"
            ),
            1,
        ),
        (
            (
                'try { try { throw new IllegalStateException("a"); } '
                "catch (IllegalStateException e) "
                '{ throw new RuntimeException("b", e); } } catch (RuntimeException e) '
                "{ return e.getMessage() + e.getCause().getMessage(); }"
            ),
            "ba",
        ),
        (
            (
                'List<String> l = List.of("x", "y"); List<String> r = List.of("y"); '
                'String each = "!"; '
                "return l.stream().filter(s -> r.stream().anyMatch(t -> t.equals(s)))"
                '.map(s -> "s " + s + each).collect(Collectors.joining());'
            ),
            "s y!",
        ),
        ('return Stream.of("ab").map(s -> s + "!").collect(Collectors.joining());', "ab!"),
        ('return "\u00e9".getBytes(StandardCharsets.ISO_8859_1).length;', 1),
        (
            (
                'return Map.of("a", 2).entrySet().stream()'
                '.map(e -> e.getKey() + "=" + e.getValue()).collect(Collectors.joining(","));'
            ),
            "a=2",
        ),
        (
            (
                "int n = 3; int c = 0; for (int i = 0; i < n; i++) { if (i == 0) { n = 5; "
                "} c++; } return c;"
            ),
            5,
        ),
    ],
)
def test_a_value_is_what_it_is_in_java(java: str, found: object) -> None:
    made = run(f"static Object f() {{ {java} }} {OBJECTS}")["f"]()
    assert (made, type(made)) == (found, type(found))


@pytest.mark.parametrize(
    "java",
    [
        "for (String x : l) { switch (n) { case 2: if (n == i) { break; } i++; break; default: } }",
        "do { i--; if (i == 2) { continue; } n++; } while (i > n);",
        "for (int j = 0; j < l.size(); j++) { if (j == 1) { continue; } l.add(\"x\"); }",
        "byte b = (byte) n;",
        "byte[] b = s.getBytes(); n += b[0];",
        "byte[] b = s.getBytes(); for (byte x : b) { n += x; }",
        "byte[] b = s.getBytes(Charset.forName(s));",
        "Map<String, String> m = new HashMap<>() {{ put(s, s); }};",
        "boolean b = l.add(\"x\");",
        "if (l.addAll(l)) { n++; }",
        "Collections.shuffle(l);",
    ],
)  # fmt: skip
def test_what_would_differ_unseen_is_left(java: str) -> None:
    source = (
        f"{HEAD} class A {{ static void f(List<String> l, int n, int i, String s) {{ {java} }} }}"
    )
    assert draft(source.encode()).left == (2,)


def test_functions_of_one_line_have_types_of_their_own() -> None:
    java = (
        'static void f(StreamsBuilder b) { b.<String, String>stream("in")'
        '.mapValues(v -> v + "!").mapValues(v -> v.length() / 2.0).mapValues(v -> v + "?"); }'
    )
    text = draft(f"{HEAD} class A {{ {java} }}".encode()).text
    assert 'lambda v: f"{text_of(v)}?"' in text
