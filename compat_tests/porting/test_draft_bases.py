"""Drafts of classes that extend others: what JUnit and Java run of the base without a word."""

from __future__ import annotations

from typing import Any

from compat_tests.porting.running import run
from millstream.porting.drafting.draft import draft

BASE = """
abstract class Base {
    protected String made; protected int closed = 0;
    @BeforeEach void setUp() { made = topic() + "!"; }
    @AfterEach void tearDown() { closed = closed + 1; }
    abstract String topic();
}
"""


def made_of(java: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": __name__}
    exec(compile(draft(java.encode()).text, "draft", "exec"), names)  # noqa: S102
    return names


def test_what_a_base_sets_up_comes_after_the_fields_and_before_what_the_class_sets_up() -> None:
    found = made_of(
        BASE + 'class ATest extends Base { String name = new String("in"); String seen;'
        " @BeforeEach void own() { seen = made; } String topic() { return name; }"
        " @Test void a() {} }"
    )
    test = found["TestA"]()
    test.setup_method()
    test.teardown_method()
    assert (test.made, test.seen, test.closed) == ("in!", "in!", 1)


def test_a_base_without_tests_has_no_constructor_either() -> None:
    assert "__init__" not in draft(BASE.encode()).text


def test_a_method_of_the_same_name_takes_the_place_of_the_bases() -> None:
    text = draft(
        (
            BASE
            + "class ATest extends Base { @BeforeEach void setUp() { made = null; }"
            + " @Test void a() {} }"
        ).encode()
    ).text
    assert "super().setup_method()" not in text
    called = draft(
        (
            BASE
            + "class ATest extends Base { @BeforeEach void setUp() { super.setUp(); }"
            + " @Test void a() {} }"
        ).encode()
    ).text
    assert called.count("super().setup_method()") == 1


def test_a_constructor_makes_the_base_first() -> None:
    found = made_of(
        "class Case { int kind = 3; int level = 1; void up() { level = level + 1; } }"
        " class Special extends Case { String name; Special(String name) { this.name = name; } }"
    )
    made = found["Special"]("a")
    assert (made.kind, made.level, made.name) == (3, 1, "a")


def test_setters_and_getters_of_the_object_itself_are_its_fields() -> None:
    found = made_of(
        "import lombok.Data; @Data class Case { int kind; void up() { kind = kind + 1; } }"
        " class Special extends Case { int seen;"
        " Special() { setKind(7); up(); seen = getKind(); } }"
    )
    assert found["Special"]().seen == 8


def test_a_constructor_that_calls_another_gives_values_by_default() -> None:
    made = run(
        "private final int size; private final boolean on; private int calls;"
        " A(int size) { this(size, true); }"
        " A(int size, boolean on) { this.size = size; this.on = on; }"
        " A() { this(5, true); } void call() { calls = calls + 1; }"
    )["A"]
    assert [(each.size, each.on) for each in (made(), made(2), made(3, False))] == [
        (5, True),
        (2, True),
        (3, False),
    ]
    left = draft(b"class A { final int n; A() { this(compute()); } A(int n) { this.n = n; f(); } }")
    assert left.left


def test_a_method_of_a_collection_as_a_function() -> None:
    made = run(
        "private final List<String> seen = new ArrayList<>();"
        " private int calls;"
        " void go(Map<String, Integer> found) {"
        " found.keySet().forEach(seen::add); calls = calls + 1; }"
    )["A"]()
    made.go({"a": 1})
    assert made.seen == ["a"]


def test_springs_configuration_is_the_properties() -> None:
    made = run(
        'static Object f() { Map<String, Object> given = new HashMap<>(); given.put("a", 1);'
        " return new KafkaStreamsConfiguration(given).asProperties(); }",
        "import org.springframework.kafka.config.KafkaStreamsConfiguration;",
    )["f"]
    assert made() == {"a": 1}


def test_a_class_may_replace_one_of_several_methods_that_set_up() -> None:
    found = made_of(
        'abstract class Base { protected String seen = "";'
        ' @BeforeEach void first() { seen = seen + "1"; }'
        ' @BeforeEach void second() { seen = seen + "2"; } }\n'
        "class ATest extends Base {"
        ' @BeforeEach void second() { super.second(); seen = seen + "x"; }'
        ' @BeforeEach void third() { seen = seen + "3"; } @Test void a() {} }'
    )
    test = found["TestA"]()
    test.setup_method()
    assert test.seen == "12x3"


def test_a_class_may_extend_one_of_its_own_name() -> None:
    found = made_of(
        "class TestRecord extends org.apache.kafka.streams.test.TestRecord<String, String> {"
        " private static final int LIMIT = twice(2);"
        " TestRecord(String value) { super(value); }"
        " static int twice(int n) { return 2 * n; }"
        " String shown() { String own = value(); return own + LIMIT; } }"
    )
    assert found["TestRecord"]("a").shown() == "a4"


def test_classes_that_extend_each_others_names() -> None:
    text = draft(
        b"class A extends other.B { int x = y; void f() { g(); } }"
        b" class B extends other.A { int y; }"
    ).text
    assert "class A(B):" in text
    assert "class B(A):" in text
