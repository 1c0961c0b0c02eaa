"""Drafts of classes of tests: what each test has anew, and the parameters of tests."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.porting.running import run

JUNIT = "import org.junit.jupiter.params.provider.*; import java.util.stream.Stream;"


def _cases(test: Any) -> list[Any]:
    """Return what the marks of a test give it."""
    (mark,) = [each for each in test.pytestmark if each.name == "parametrize"]
    return list(mark.args[1])


def test_each_test_has_fields_of_its_own() -> None:
    made = run(
        "private final StreamsBuilder builder = new StreamsBuilder();"
        " private final List<String> seen = new ArrayList<>();"
        ' private final KStream<String, String> stream = builder.stream("in");'
        " private final Predicate<String, String> all = (k, v) -> true;"
        " private int calls = 0; private String name; private boolean open = false;"
        " @Test void a() { stream.filter(all).foreach((k, v) -> seen.add(v)); seen.add(name); }"
    )["TestA"]
    first, second = made(), made()
    for each in (first, second):
        each.setup_method()
        each.test_a()
    assert first.seen == [None]
    assert first.builder is not second.builder
    assert (made.calls, made.name, made.open) == (0, None, False)


def test_fields_are_there_before_what_a_test_class_sets_up() -> None:
    made = run(
        "private final List<String> seen = new ArrayList<>();"
        ' @BeforeEach void before() { seen.add("set up"); } @Test void a() { }'
    )["TestA"]
    test = made()
    test.setup_method()
    test.setup_method()
    assert test.seen == ["set up"]


@pytest.mark.parametrize(
    ("java", "cases"),
    [
        ("@ValueSource(booleans = {true, false}) void a(boolean x)", [True, False]),
        ('@ValueSource(strings = "b") void a(String x)', ["b"]),
        ("@NullSource @ValueSource(longs = {1L, 2L}) void a(Long x)", [None, 1, 2]),
        ("@NullAndEmptySource void a(String x)", [None, ""]),
        ('@CsvSource({"b, 1, true", "\'c, d\', -2L, false"}) void a(String x, long n, boolean y)',
         [("b", 1, True), ("c, d", -2, False)]),
        ('@CsvSource({"b,", "c, 2.5"}) void a(String x, Double n)', [("b", None), ("c", 2.5)]),
    ],
)  # fmt: skip
def test_values_beside_a_test_are_its_parameters(java: str, cases: list[Any]) -> None:
    made = run(f"@ParameterizedTest {java} {{ }}", JUNIT)["TestA"]
    assert _cases(made.test_a) == cases


@pytest.mark.parametrize(
    ("java", "names"),
    [
        ("@EnumSource(EmitStrategy.StrategyType.class) void a(EmitStrategy.StrategyType x)",
         ["ON_WINDOW_CLOSE", "ON_WINDOW_UPDATE"]),
        ("@EnumSource void a(EmitStrategy.StrategyType x)",
         ["ON_WINDOW_CLOSE", "ON_WINDOW_UPDATE"]),
        ("@EnumSource(value = EmitStrategy.StrategyType.class, names = \"ON_WINDOW_CLOSE\")"  # noqa: ISC004
         " void a(EmitStrategy.StrategyType x)", ["ON_WINDOW_CLOSE"]),
        ("@EnumSource(value = EmitStrategy.StrategyType.class, names = {\"ON_WINDOW_CLOSE\"},"  # noqa: ISC004
         " mode = EnumSource.Mode.EXCLUDE) void a(EmitStrategy.StrategyType x)",
         ["ON_WINDOW_UPDATE"]),
    ],
)  # fmt: skip
def test_values_of_an_enum_are_parameters(java: str, names: list[str]) -> None:
    made = run(f"@ParameterizedTest {java} {{ }}", JUNIT)["TestA"]
    assert sorted(each.name for each in _cases(made.test_a)) == names


def test_methods_give_parameters() -> None:
    made = run(
        '@ParameterizedTest @MethodSource("cases") void a(String x, int n) { }'
        " static Stream<Arguments> cases() {"
        ' return Stream.of(Arguments.of(B, 1), arguments("c", 2)); }'
        ' static final String B = "b";',
        f"{JUNIT} import static org.junit.jupiter.params.provider.Arguments.arguments;",
    )["TestA"]
    assert _cases(made.test_a) == [("b", 1), ("c", 2)]


def test_values_without_counterpart_are_left() -> None:
    made = run('@ParameterizedTest @CsvSource({"b, 1"}) void a(String x) { }', JUNIT)["TestA"]
    assert not hasattr(made.test_a, "pytestmark")


def test_a_class_may_set_up_and_clean_up_with_several_methods() -> None:
    made = run(
        "private final List<String> seen = new ArrayList<>();"
        ' @BeforeEach void first() { seen.add("first"); }'
        ' @BeforeEach void second() { seen.add("second"); }'
        ' @Test void a() { seen.add("test"); }'
        ' @AfterEach void third() { seen.add("third"); }'
        ' @AfterEach void fourth() { seen.add("fourth"); }'
    )["TestA"]
    test = made()
    test.setup_method()
    test.test_a()
    test.teardown_method()
    assert test.seen == ["first", "second", "test", "third", "fourth"]
