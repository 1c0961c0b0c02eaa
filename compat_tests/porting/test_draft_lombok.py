"""Drafts of classes with Lombok's annotations, and of what uses them."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from compat_tests.porting.running import run
from millstream.porting.drafting.draft import draft, draft_file


def test_the_logger_is_there_and_writes_its_arguments(caplog: pytest.LogCaptureFixture) -> None:
    names = run(
        'static void f(String s) { log.info("got {} of {}", s, 3); }'
        ' static void g(Exception e) { log.error("no {}", "way", e); }',
        before="@Slf4j",
    )
    with caplog.at_level(logging.INFO):
        names["f"]("a")
        names["g"](ValueError("why"))
    assert [record.getMessage() for record in caplog.records] == ["got a of 3", "no way"]
    assert caplog.records[1].exc_info is not None


def test_getters_setters_and_builders_are_those_of_a_dataclass() -> None:
    names = run(
        "static P f() { P p = P.builder().name(\"a\").big(true).build(); p.setCount(2);"
        " return p.toBuilder().count(p.getCount() + 1).build(); }"
        " static boolean g(P p) { return p.isBig(); }"
        "} @Data @Builder(toBuilder = true) class P {"
        " private String name; private int count; private boolean big;"
    )  # fmt: skip
    made = names["f"]()
    assert (made.name, made.count, names["g"](made)) == ("a", 3, True)


def test_a_class_with_a_constructor_of_lombok_takes_its_final_fields() -> None:
    names = run(
        "} @RequiredArgsConstructor class P implements ValueMapper<String, String> {"
        " private final String store; private int n; private final int m = 3;"
        " public String apply(String v) { return store + v + n + m; }"
    )
    assert names["P"]("s").apply("v") == "sv03"


def test_an_enum_is_its_name_in_texts() -> None:
    names = run('enum Kind { NEW } static String f(Kind k) { return "is " + k; }')
    assert names["f"](names["Kind"].NEW) == "is NEW"


def test_classes_that_are_imported_are_known(tmp_path: Path) -> None:
    model = tmp_path / "src" / "main" / "java" / "a" / "model"
    test = tmp_path / "src" / "test" / "java" / "a" / "b"
    for folder in (model, test):
        folder.mkdir(parents=True)
    (model / "Order.java").write_text("package a.model; @Data class Order { String id; }")
    (test / "ShopTest.java").write_text(
        "package a.b; import a.model.Order;"
        " class ShopTest { static String f(Order o) { return o.getId(); } }"
    )
    assert "return o.id" in draft_file(test / "ShopTest.java").text


def test_a_method_that_kafka_has_too_stays_a_call_where_no_type_is_known() -> None:
    text = draft(
        b"record P(String value) {} class A { static Object f(P p, Object o) {"
        b" g(p.value()); return h(o).value(); } }"
    ).text
    assert "g(p.value)" in text
    assert "return h(o).value()" in text


def test_a_val_has_the_type_of_its_value() -> None:
    names = run(
        'static String f() { val m = new HashMap<String, Long>(); m.put("a", 1L);'
        ' String s = ""; for (val e : m.entrySet()) { s += e.getKey() + e.getValue(); }'
        " return s; }",
        before="import lombok.val;",
    )
    assert names["f"]() == "a1"


def test_a_logger_says_which_levels_it_writes(caplog: pytest.LogCaptureFixture) -> None:
    names = run(
        "static boolean f() { return log.isDebugEnabled() || log.isInfoEnabled(); }",
        before="@Slf4j",
    )
    with caplog.at_level(logging.WARNING):
        assert names["f"]() is False
    with caplog.at_level(logging.INFO):
        assert names["f"]() is True


def test_types_go_through_getters_of_lombok_and_components_of_records() -> None:
    made = draft(
        b"import org.apache.kafka.streams.*; import org.apache.kafka.streams.kstream.*;"
        b" import java.math.*; record Sale(String user, BigDecimal total) {}"
        b" @Data class Visit { private String user; private double length; private boolean last; }"
        b" class A { static void f(KStream<String, Sale> sales, KStream<String, Visit> visits) {"
        b" sales.map((k, s) -> KeyValue.pair(s.user(), s.total())).groupByKey()"
        b".reduce((a, b) -> a.add(b));"
        b" visits.groupBy((k, v) -> v.getUser()).count().toStream().map((k, n) ->"
        b' KeyValue.pair(k + n, n)).to("a");'
        b" visits.mapValues(Visit::getLength).mapValues(d -> d / 2);"
        b" visits.mapValues(v -> v.isLast()).filter((k, b) -> b.equals(true)); } }"
    ).text
    assert ".reduce(lambda a, b: BigDecimal.add(a, b))" in made
    assert 'KeyValue.pair(f"{k}{n}", n)' in made
    assert ".mapValues(lambda d: d / 2)" in made
