"""Drafts of tests: what AssertJ, JUnit and Hamcrest assert, and what tests inherit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compat_tests.porting.running import HEAD, run
from millstream.porting.drafting.draft import draft, draft_file


def checks(java: str, **given: Any) -> bool:
    """Tell whether the draft of an assertion holds."""
    head = "static void f(Object x, List<Object> l, Map<String, Integer> m, String s)"
    names = run(f"{head} {{ {java} }} static void no() {{ throw new IllegalStateException(S); }}"
                ' private static final String S = "no way";')  # fmt: skip
    values = {"x": 3, "l": [1, 2, 2], "m": {"a": 1}, "s": "abc", **given}
    try:
        names["f"](**values)
    except (AssertionError, pytest.fail.Exception):
        return False
    return True


CAUGHT = "Exception e = assertThrows(IllegalStateException.class, () -> no()); "


@pytest.mark.parametrize(
    ("holds", "does_not"),
    [
        ("assertThat(l).containsExactly(1, 2, 2);", "assertThat(l).containsExactly(2, 1, 2);"),
        ("assertThat(l).containsExactlyInAnyOrder(2, 1, 2);",
         "assertThat(l).containsExactlyInAnyOrder(2, 1);"),
        ("assertThat(l).containsOnly(1, 2);", "assertThat(l).containsOnly(1);"),
        ("assertThat(l).contains(1, 2);", "assertThat(l).contains(1, 3);"),
        ("assertThat(l).isNotNull().hasSize(3).contains(1);",
         "assertThat(l).isNotNull().hasSize(3).contains(4);"),
        ('assertThat(m).as("the map").containsEntry("a", 1);',
         'assertThat(m).containsEntry("a", 2);'),
        ('Assertions.assertThat(s).startsWith("a").isEqualTo("abc");',
         'Assertions.assertThat(s).startsWith("b");'),
        ("assertThat(x).isBetween(1, 3);", "assertThat(x).isBetween(4, 5);"),
        ('assertThat(m, hasEntry("a", 1));', 'assertThat(m, hasEntry("a", 2));'),
        ("assertThrows(IllegalStateException.class, () -> { no(); });",
         "assertThrows(IllegalStateException.class, () -> { return; });"),
        (CAUGHT + "assertEquals(S, e.getMessage());", CAUGHT + "assertEquals(s, e.getMessage());"),
        ("assertThatThrownBy(() -> no()).isInstanceOf(RuntimeException.class)"  # noqa: ISC004
         '.hasMessageContaining("way");',
         'assertThatThrownBy(() -> no()).hasMessageContaining("other");'),
        ("assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> no());",
         "assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> { });"),
        ("assertAll(() -> assertEquals(3, x), () -> assertNotNull(l));",
         "assertAll(() -> assertEquals(3, x), () -> assertNull(l));"),
        ("assertDoesNotThrow(() -> assertEquals(3, x));",
         "assertDoesNotThrow(() -> { assertEquals(3, x); return; }); assertEquals(4, x);"),
    ],
)  # fmt: skip
def test_an_assertion_holds_where_java_s_does(holds: str, does_not: str) -> None:
    assert checks(holds)
    assert not checks(does_not)


@pytest.mark.parametrize(
    "java",
    [
        "assertThat(l).extracting(x).contains(1);",
        "assertThat(l).anyMatch(y -> true);",
        "assertThatThrownBy(() -> no()).hasCause(x);",
    ],
)
def test_an_assertion_without_counterpart_is_left(java: str) -> None:
    source = f"{HEAD} class A {{ static void f(Object x, List<Object> l) {{ {java} }} }}"
    assert draft(source.encode()).left == (2,)


def test_properties_of_the_system_are_variables_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("input.topic", raising=False)
    names = run(
        'static String f() { return System.getProperty("input.topic", "in"); }'
        ' static void g() { System.setProperty("input.topic", "other"); }'
        ' static void h() { System.clearProperty("input.topic"); }'
    )
    assert names["f"]() == "in"
    names["g"]()
    assert names["f"]() == "other"
    names["h"]()
    assert names["f"]() == "in"
    left = draft(b'class A { static String f() { return System.getProperty("user.dir"); } }')
    assert left.left == (1,)


def test_what_a_test_inherits_is_its_own(tmp_path: Path) -> None:
    (tmp_path / "Base.java").write_text(
        "class Base { protected int n = 1; protected static String TOPIC = \"in\";"
        " int g() { return n; } static int h() { return 3; } }"
    )  # fmt: skip
    (tmp_path / "ATest.java").write_text(
        "import static org.mockito.Mockito.when; class ATest extends Base {"
        " static final int K = 2; @Test void a() { g(n, TOPIC, K); when(n); }"
        " static int b() { return h(); } }"
    )
    text = draft_file(tmp_path / "ATest.java").text
    assert "self.g(self.n, Base.TOPIC, TestA.K)" in text
    assert "        when(self.n)" in text
    assert "return TestA.h()" in text
    assert "to be ported and imported: Base, when" in text
