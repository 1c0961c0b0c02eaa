"""Drafts of what JUnit's annotations say of tests: once for all, expected errors, not run."""

from __future__ import annotations

import pytest

from compat_tests.porting.running import run
from millstream.porting.drafting.draft import draft


@pytest.mark.parametrize(
    ("before", "after"), [("BeforeAll", "AfterAll"), ("BeforeClass", "AfterClass")]
)
def test_what_runs_once_for_all_tests_does(before: str, after: str) -> None:
    made = run(
        f"static List<String> seen; @{before} static void init() {{ seen = new ArrayList<>(); }}"
        f' @{before} public static void more() {{ seen.add("more"); }}'
        f' @{after} static void end() {{ seen = null; }} @Test void works() {{ seen.add("a"); }}'
    )["TestA"]
    made.setup_class()
    made().test_works()
    made().test_works()
    assert made.seen == ["more", "a", "a"]
    made.teardown_class()
    assert made.seen is None


def test_what_a_base_runs_once_comes_first_and_its_end_last() -> None:
    names = run(
        "} abstract class Base { static List<String> seen = new ArrayList<>();"
        ' @BeforeAll static void start() { seen.add("base"); }'
        ' @AfterAll static void stop() { seen.add("base ends"); }'
        "} class OneTest extends Base {"
        ' @BeforeAll static void init() { seen.add("own"); }'
        ' @AfterAll static void end() { seen.add("own ends"); } @Test void a() { }'
    )
    names["TestOne"].setup_class()
    names["TestOne"].teardown_class()
    assert names["Base"].seen == ["base", "own", "own ends", "base ends"]


def test_what_runs_once_for_one_object_is_told() -> None:
    made = draft(b"class OneTest { int n;\n@BeforeAll void init() { n = 1; } @Test void a() { } }")
    assert made.left == (2,)
    assert "# Java, line 2, init(): JUnit runs it once, for one object of all tests" in made.text


def test_a_test_that_has_to_end_with_an_error() -> None:
    made = run(
        "@Test(expected = IllegalArgumentException.class) public void refuses() { f(1); }"
        " @Test(expected = IllegalStateException.class, timeout = 5) public void other() { }"
        ' void f(int n) { throw new IllegalArgumentException("n" + n); }'
    )["TestA"]
    made().test_refuses()
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        made().test_other()


def test_tests_that_are_not_run() -> None:
    names = run(
        '@Test @Disabled("later") void a() { } @Test @Ignore void b() { } @Test void c() { }'
        '} @Disabled(value = "all") class OtherTest { @Test void d() { }'
    )
    made = names["TestA"]
    marks = [getattr(each, "pytestmark", []) for each in (made.test_a, made.test_b, made.test_c)]
    assert [[mark.kwargs["reason"] for mark in each] for each in marks] == [["later"], [""], []]
    (whole,) = names["TestOther"].pytestmark
    assert whole.kwargs == {"reason": "all"}


@pytest.mark.parametrize(
    ("java", "python"),
    [
        ("CartTest", "TestCart"),
        ("CartTests", "TestCart"),
        ("CartIT", "TestCartIT"),
        ("TestCart", "TestCart"),
    ],
)
def test_pytest_finds_classes_that_begin_with_test(java: str, python: str) -> None:
    assert f"class {python}:" in draft(f"class {java} {{ @Test void a() {{ }} }}".encode()).text
    assert f"class {java}:" in draft(f"class {java} {{ int n; void a() {{ }} }}".encode()).text


def test_a_class_that_has_the_tests_of_its_base_is_found() -> None:
    java = b"abstract class Base { @Test void a() { } } class CacheTest extends Base { }"
    assert "class TestCache(TestBase):" in draft(java).text
