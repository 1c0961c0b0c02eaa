"""Drafts of calls on classes that are not among the files, and on those of a base."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat_tests.porting.running import run
from millstream.porting.drafting.draft import draft, draft_file
from millstream.porting.drafting.near import Near

HEAD = "package shop; import org.apache.kafka.streams.kstream.*; import shop.model.Ping;"


@pytest.mark.parametrize(
    "call",
    ["getMessage()", "getCause()", "isEmpty()", "size()", "length()", 'contains("x")', "trim()"],
)
def test_a_method_of_a_class_that_is_not_at_hand_stays_a_call(call: str) -> None:
    mapped = f"Object f(KStream<String, Ping> s) {{ return s.mapValues(p -> p.{call}); }}"
    asked = f"Object g(Ping p) {{ return p.{call}; }}"
    made = draft(f"{HEAD} class A {{ {mapped} {asked} }}".encode())
    assert f"s.mapValues(lambda p: p.{call})" in made.text
    assert f"return p.{call}" in made.text


def test_an_error_has_a_message_and_a_cause() -> None:
    names = run(
        "static String f(Exception e) { return e.getMessage() + e.getCause().getMessage(); }"
        " static Object g(List<Throwable> l) { return l.stream().map(t -> t.getMessage())"
        ".collect(Collectors.toList()); }"
        " static String h(Lost lost) { return lost.getMessage(); }"
        "} class Lost extends IllegalStateException { Lost(String s) { super(s); }",
        before="import java.util.stream.*;",
    )
    error = ValueError("a")
    error.__cause__ = ValueError("b")
    assert names["f"](error) == "ab"
    assert names["g"]([ValueError("c")]) == ["c"]
    assert names["h"](names["Lost"]("d")) == "d"


def test_a_library_whose_objects_are_used_is_named() -> None:
    made = draft(
        b"package a.b;\nimport com.fasterxml.jackson.databind.JsonNode;\n"
        b"import java.util.*; class A { List<JsonNode> held;\n"
        b"static String g(JsonNode n) { return n.get(1).asText(); } }"
    )
    assert made.left == (2,)
    assert "JsonNode is of com.fasterxml.jackson.databind, which is not here" in made.text


def test_getters_and_setters_of_a_base_are_its_fields() -> None:
    names = run(
        "static String f(Paid p) { p.setId(\"b\"); return p.getId() + p.getCents(); }"
        " static List<String> g(List<Paid> l) {"
        " return l.stream().map(Paid::getId).collect(Collectors.toList()); }"
        "} class Event { private String id; Event(String id) { this.id = id; }"
        " String getId() { return id; } void setId(String id) { this.id = id; }"
        "} class Paid extends Event { private long cents;"
        " Paid(String id, long cents) { super(id); this.cents = cents; }"
        " long getCents() { return cents; } void check() { }",
        before="import java.util.stream.*;",
    )  # fmt: skip
    paid = names["Paid"]("a", 5)
    assert names["g"]([paid]) == ["a"]
    assert names["f"](paid) == "b5"


def test_a_builder_of_avro_that_copies_a_record(tmp_path: Path) -> None:
    java, avro = tmp_path / "src" / "main" / "java" / "shop", tmp_path / "src" / "main" / "avro"
    for folder in (java, avro):
        folder.mkdir(parents=True)
    (avro / "Line.avsc").write_text(
        '{"type": "record", "name": "Line", "namespace": "shop", "fields": ['
        '{"name": "sku", "type": "string"}, {"name": "count", "type": "int"}]}'
    )
    (java / "Lines.java").write_text(
        "package shop; class Lines {"
        " static Line more(Line a, Line b) {"
        " return Line.newBuilder(a).setCount(a.getCount() + b.getCount()).build(); }"
        " static Line same(Line a) { return Line.newBuilder(a).build(); } }"
    )
    made = draft_file(java / "Lines.java")
    assert made.left == ()

    class Line:
        def __init__(self, sku: str, count: int) -> None:
            self.sku, self.count = sku, count

    names: dict[str, object] = {"Line": Line}
    exec(made.text, names)  # noqa: S102 - the draft is the test's own
    one, two = Line("a", 1), Line("b", 2)
    more, same = names["more"], names["same"]
    assert callable(more)
    assert callable(same)
    assert vars(more(one, two)) == {"sku": "a", "count": 3}
    assert (one.count, same(one) is one) == (1, False)


def _written(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True)
    for name, source in files.items():
        (folder / name.replace("_", ".")).write_text(source)
    return folder


@pytest.mark.parametrize("build", ["pom.xml", "settings.gradle.kts", ""])
@pytest.mark.parametrize("module", ["common", "libs/common"])
def test_classes_of_another_module_of_the_build_are_known(
    build: str, module: str, tmp_path: Path
) -> None:
    if build:
        (tmp_path / build).touch()
    java = Path("src/main/java/shop")
    _written(
        tmp_path / module / java / "model",
        Ping_java="package shop.model; public class Ping { String message; private Kind kind;"
        " public String getMessage() { return message; } public Kind getKind() { return kind; } }",
        Kind_java="package shop.model; public enum Kind { A }",
    )
    fields = '"fields": [{"name": "n", "type": "int"}]'
    avro = f'{{"type": "record", "name": "Line", "namespace": "%s", {fields}}}'
    _written(tmp_path / module / "src/main/avro", Line_avsc=avro % "shop.model", O_avsc=avro % "x")
    app = _written(
        tmp_path / "apps/app" / java / "app",
        App_java="package shop.app; import shop.model.*; import shop.model.Ping;"
        " import shop.model.Line; class App { static String f(Ping p) { return p.getMessage(); }"
        " static String g(Ping p) { return p.getKind().name(); }"
        " static int h(Line l) { return l.getN(); } }",
    )
    text = draft_file(app / "App.java").text
    assert ("return p.message" in text) is bool(build)
    assert ("return p.kind.name" in text) is bool(build)
    assert ("return l.n" in text) is bool(build)


def test_modules_with_packages_of_one_name_do_not_mix(tmp_path: Path) -> None:
    (tmp_path / "pom.xml").touch()
    java = Path("src/main/java/shop")
    order = "package shop; public class Order { public String getId() { return %s; } String id; }"
    _written(
        tmp_path / "one" / java,
        Order_java=order % "id",
        App_java="package shop; class App { String f(Order o, Line l) {"
        " return o.getId() + l.getSku(); } }",
    )
    _written(
        tmp_path / "two" / java,
        Order_java=order % '"two"',
        Line_java="package shop; public class Line { String sku; String getSku() { return sku; } }",
        Unused_java="package shop; public class Unused { String getSku() { return null; } }",
    )
    path = tmp_path / "one" / java / "App.java"
    found = Near.of(path, path.read_bytes())
    assert sorted(found.shapes) == ["Line", "Order"]
    assert "{text_of(o.id)}{text_of(l.sku)}" in draft_file(path).text
