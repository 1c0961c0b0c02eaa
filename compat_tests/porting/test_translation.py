"""What single pieces of Java become."""

from __future__ import annotations

from pathlib import Path

import pytest

from millstream.core.errors import IllegalArgumentException
from millstream.porting.drafting.draft import Draft, draft, draft_file

HEAD = "import org.apache.kafka.streams.kstream.*;\nimport java.util.*;\n"


def statements(java: str) -> list[str]:
    """Return the lines of a function with these statements."""
    head = "class A { static void f(String s, int n, List<String> l, Object o) {"
    made = draft(f"{HEAD}{head} {java} }} }}".encode()).text
    rows = made.partition("def f(s, n, l, o):\n")[2].splitlines()
    return [row.removeprefix("    ") for row in rows]


def expression(java: str) -> str:
    (made,) = statements(f"Object x = {java};")
    return made.removeprefix("x = ")


@pytest.mark.parametrize(
    ("java", "python"),
    [
        ('s + ": " + n', 'f"{s}: {n}"'),
        ('"{" + s + "}"', 'f"{{{s}}}"'),
        ('n + 1 + "a"', 'f"{n + 1}a"'),
        ('"a" + s.split("b")', '"a" + text_of(split(s, "b"))'),
        ("n / 2", "quotient(n, 2)"),
        ("n / 2.0", "n / 2.0"),
        ("(double) n / 3", "float(n) / 3"),
        ("(n + 1) * 2", "(n + 1) * 2"),
        ("1_000L", "1_000"),
        ("017", "0o17"),
        (".5f", "0.5"),
        ("'x'", '"x"'),
        ("o == null", "o is None"),
        ("o != null && !s.isEmpty()", "o is not None and bool(s)"),
        ('!s.equals("a")', 's != "a"'),
        ('!s.contains("a")', '"a" not in s'),
        ('(s == null || n > 1) && n < 3', "(s is None or n > 1) and n < 3"),
        ("n > 1 ? s : null", "s if n > 1 else None"),
        ("s.substring(1, 3).trim().length()", "len(s[1:3].strip())"),
        ('s.replaceAll("a", "b")', 're.sub("a", "b", s)'),
        ("Long.parseLong(s)", "parse_int(s, bits=64)"),
        ("String.valueOf(n)", "str(n)"),
        ('String.format("%s-%05d", s, n)', '"%s-%05d" % (s, n)'),
        ("l.get(0)", "l[0]"),
        ("l.size()", "len(l)"),
        ("List.of(1, 2)", "[1, 2]"),
        ("Set.of(1)", "{1}"),
        ('Map.of("a", 1)', '{"a": 1}'),
        ("new HashMap<String, Long>()", "{}"),
        ("new ArrayList<>(l)", "list(l)"),
        ("new int[]{1, 2}", "[1, 2]"),
        ("new String[3]", "[None] * 3"),
        ("o instanceof String", "isinstance(o, str)"),
        ("l.stream().map(x -> x.trim()).toList()", "[each.strip() for each in l]"),
        ("l.stream().filter(String::isEmpty).count()", "sum(1 for each in l if not each)"),
        ("l.stream().anyMatch(x -> x.equals(s))", "any(each == s for each in l)"),
        ("s.getBytes()", "s.encode()"),
        ("x -> x.toUpperCase()", "lambda x: x.upper()"),
        ("String::toUpperCase", "str.upper"),
        ("(a, b) -> KeyValue.pair(b, a)", "lambda a, b: KeyValue.pair(b, a)"),
        ("switch (n) { case 1, 2 -> 3; default -> 4; }", "(3 if n in (1, 2) else 4)"),
        ("String.class", "str"),
        ('"""\n  two\n  lines\n  """', '"two\\nlines\\n"'),
        ("-n", "-n"),
        ("~n & 1", "~n & 1"),
        ("new Class(lambda, class_)", "Class(lambda_, class_)"),
    ],
)  # fmt: skip
def test_an_expression(java: str, python: str) -> None:
    assert expression(java) == python


@pytest.mark.parametrize(
    ("java", "python"),
    [
        ("n++;", ["n += 1"]),
        ("s += n;", ["s += str(n)"]),
        ("if (n > 1) return; else if (n < 0) { n = 1; }",
         ["if n > 1:", "    return", "elif n < 0:", "    n = 1"]),
        ("for (int i = 0; i < n; i++) { }", ["for i in range(n):", "    pass"]),
        ("for (String x : l) l.add(x);", ["for x in l:", "    l.append(x)"]),
        ("while (n > 0) { break; }", ["while n > 0:", "    break"]),
        ("do { n--; } while (n > 0);",
         ["while True:", "    n -= 1", "    if not (n > 0):", "        break"]),
        ("l.forEach(x -> l.add(x));", ["for x in l:", "    l.append(x)"]),
        ("try { n = 1; } catch (NumberFormatException e) { } finally { n = 2; }",
         ["try:", "    n = 1", "except ValueError:", "    pass", "finally:", "    n = 2"]),
        ('throw new IllegalStateException("no");', ['raise IllegalStateException("no")']),
        ('System.out.println("a");', ['print("a")']),
        ("// why\nn = 1; /* and\n * how */", ["# why", "n = 1", "# and", "# how"]),
        ("switch (n) { case 1: case 2: s = null; break; default: return; }",
         ["if n in (1, 2):", "    s = None", "else:", "    return"]),
        ("var list = l; list.add(s);", ["list_ = l", "list_.append(s)"]),
    ],
)  # fmt: skip
def test_a_statement(java: str, python: list[str]) -> None:
    assert statements(java) == python


@pytest.mark.parametrize(
    "java",
    [
        "new StringBuilder(s).codePointAt(0);",
        "outer: for (;;) { break outer; }",
        "switch (n) { case 1: n = 2; case 2: n = 3; }",
        "o = new Thread(() -> {});",
        "Files.delete(s);",
        "for (int i = 0; i < n; i++) { if (i == 1) continue; i = 3; }",
        "l.stream().sorted(String.CASE_INSENSITIVE_ORDER).toList();",
        "Optional.of(s).ifPresentOrElse(x -> {}, () -> {});",
        "Map.of(s);",
        "assertEquals(s);",
        "Math.round();",
    ],
)
def test_what_is_not_translated_is_left_with_its_text(java: str) -> None:
    head = "import java.nio.file.Files;\nimport java.util.Optional;\nclass A {"
    source = f"{head} static void f(String s, int n, List<String> l) {{ {java} }} }}"
    made = draft(source.encode())
    assert made.left == (3,)
    assert "    # Java, line 3" in made.text
    assert f"    #   {java}" in made.text
    assert '    raise NotImplementedError("line 3")' in made.text
    compile(made.text, "draft", "exec")


def of_a_stream(java: str) -> Draft:
    """Return the draft of a class that does something with a stream."""
    head = (
        "import org.apache.kafka.streams.kstream.*; class A { void f(KStream<String, String> s) {"
    )
    return draft(f"{head} {java} }} }}".encode())


def test_a_function_that_is_not_translated_leaves_the_chain_whole() -> None:
    made = of_a_stream('s.mapValues(v -> new StringBuilder(v).codePointAt(0)).to("x");')
    assert len(made.left) == 1
    assert 's.mapValues(mapValues_line_1).to("x")' in made.text


def test_methods_that_are_gone_are_told_above_the_statement() -> None:
    made = of_a_stream('s.through("x");')
    assert "# Java, line 1: KStream.through is missing here: gone from Kafka" in made.text
    assert made.left == (1,)


def test_a_class_of_fields_is_a_dataclass_and_getters_are_its_fields() -> None:
    made = draft(
        b"class P { private String a; public String getA() { return a; } }"
        b" class Q { static String f(P p) { return p.getA(); } }"
    )
    assert "@dataclass\nclass P:\n    a: str | None = None\n" in made.text
    assert "return p.a" in made.text


def test_a_setter_is_an_assignment() -> None:
    made = draft(
        b"class P { private String a; void setA(String a) { this.a = a; } }"
        b" class Q { static void f(P p) { p.setA(null); } }"
    )
    assert "p.a = None" in made.text


def test_classes_of_the_same_folder_are_known(tmp_path: Path) -> None:
    (tmp_path / "Order.java").write_text("record Order(String id) {}")
    shop = "class Shop { static String f(Order o) { return o.id(); } }"
    (tmp_path / "Shop.java").write_text(shop)
    made = draft_file(tmp_path / "Shop.java").text
    assert "return o.id" in made
    assert "o.id()" not in made


def test_an_expression_that_is_nested_too_deeply_is_told() -> None:
    with pytest.raises(IllegalArgumentException, match="cannot draft"):
        of_a_stream("s" + ".peek((k, v) -> {})" * 3000 + ";")
