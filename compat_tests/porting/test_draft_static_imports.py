"""Drafts of what a Java file imports by itself: methods, constants, nested classes."""

from __future__ import annotations

from pathlib import Path

from compat_tests.porting.running import run
from millstream import Duration, KafkaStreams, KeyValue, Materialized
from millstream.porting.drafting.draft import draft, draft_file


def test_methods_and_constants_of_java_have_their_class() -> None:
    names = run(
        "static Object f() { return asList(ofMillis(5), ZERO, requireNonNull(singletonList(1))); }"
        " static Object g(List<String> l) { return l.stream().map(x -> x + x).collect(toList()); }",
        "import static java.time.Duration.*; import static java.util.Arrays.asList;"
        " import static java.util.Collections.singletonList;"
        " import static java.util.Objects.requireNonNull;"
        " import static java.util.stream.Collectors.toList;",
    )
    assert names["f"]() == [Duration.ofMillis(5), Duration.ZERO, [1]]
    assert names["g"](["a"]) == ["aa"]


def test_what_a_file_declares_is_its_own() -> None:
    names = run(
        "static Object f() { return ofMillis(5); } static int ofMillis(int n) { return n; }"
        " static final int ZERO = 7; static Object g() { return ZERO; }",
        "import static java.time.Duration.*;",
    )
    assert (names["f"](), names["g"]()) == (5, 7)


def test_lines_keep_their_numbers() -> None:
    java = (
        "import static java.util.Arrays.asList;\nclass A {\n static Object f(Object g) {\n"
        ' return asList(asList(1),\n g.handle(System.getProperty("user.dir")));\n }\n}'
    )
    assert draft(java.encode()).left == (4,)


def test_nested_classes_are_those_of_their_class() -> None:
    names = run(
        "static Object f() { return State.RUNNING; } static Object g() { return IN_MEMORY; }"
        " static Object h() { return StoreType.ROCKS_DB; }"
        " static Object i() { return pair(1, 2); }",
        "import org.apache.kafka.streams.KafkaStreams.State;"
        " import org.apache.kafka.streams.kstream.Materialized.StoreType;"
        " import static org.apache.kafka.streams.KeyValue.pair;"
        " import static org.apache.kafka.streams.kstream.Materialized.StoreType.IN_MEMORY;",
    )
    assert names["f"]() is KafkaStreams.State.RUNNING
    assert names["g"]() is Materialized.StoreType.IN_MEMORY
    assert names["h"]() is Materialized.StoreType.ROCKS_DB
    assert names["i"]() == KeyValue(1, 2)


def test_classes_of_the_program_keep_what_is_imported_of_them(tmp_path: Path) -> None:
    main, test = (tmp_path / "src" / each / "java" / "shop" for each in ("main", "test"))
    for folder in (main, test):
        folder.mkdir(parents=True)
    (main / "Shop.java").write_text(
        'package shop; class Shop { static final String IN = "in"; int n; Shop(int n) { } }'
    )
    (main / "Names.java").write_text(
        'package shop; class Names { static final String OUT = "out"; }'
    )
    (main / "Order.java").write_text("package shop; record Order(String id) { }")
    (test / "ShopTest.java").write_text(
        "package shop; import static shop.Shop.IN; import static shop.Names.*; class ShopTest {"
        " static String f(Order o) { return g(IN, OUT, o.id()); } int n; }"
    )
    text = draft_file(test / "ShopTest.java").text
    # A test lies in the package of what it tests, below another root.
    assert "g(Shop.IN, OUT, o.id)" in text


def test_nested_classes_of_what_a_class_implements_are_known() -> None:
    java = (
        "import org.apache.kafka.streams.errors.*; class A implements ProcessingExceptionHandler {"
        " public ProcessingHandlerResponse handle(Object c, Object r, Exception e) {"
        " return ProcessingHandlerResponse.CONTINUE; } }"
    )
    assert (
        "ProcessingExceptionHandler.ProcessingHandlerResponse.CONTINUE"
        in draft(java.replace("errors.*", "errors.ProcessingExceptionHandler").encode()).text
    )


def test_classes_of_the_test_utilities_are_imported_from_there() -> None:
    java = (
        "import org.apache.kafka.streams.processor.api.MockProcessorContext.CapturedForward;\n"
        "class A { static Object f() { return new CapturedForward<>(null); } }"
    )
    text = draft(java.encode()).text
    assert "from millstream.testing import CapturedForward" in text
